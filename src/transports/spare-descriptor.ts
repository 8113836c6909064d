// One file descriptor in reserve. A process without a free descriptor cannot even open the file that its refusal needs,
// such as a module that is loaded late (docs/faults.md F31).
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** How long the descriptor stays free for the refusal before it is taken again, ms. */
const freeMs = 250;

/** A descriptor that can be given back to the process. */
export interface SpareDescriptor {
  /** Takes the descriptor, unless it is held already or none is free. */
  hold(): void;
  /** Frees the descriptor for a moment if the error says that no descriptor is left. Returns whether it says so. */
  freeFor(error: unknown): boolean;
}

/** Creates a reserve that holds nothing yet. The parameters open, close and wait; the defaults are real. */
export function createSpareDescriptor(
  open: () => number = () => openSync(devNull, 'r'),
  close: (descriptor: number) => void = closeSync,
  later: (callback: () => void) => void = (callback) => void setTimeout(callback, freeMs).unref(),
): SpareDescriptor {
  let held: number | null = null;
  let isReturning = false;

  function hold(): void {
    isReturning = false;
    try {
      held ??= open();
    } catch {
      retake();
    }
  }

  function retake(): void {
    if (isReturning) return;
    isReturning = true;
    later(hold);
  }

  return {
    hold,
    freeFor(error) {
      if (!isWithoutDescriptors(error)) return false;
      if (held !== null) close(held);
      held = null;
      retake();
      return true;
    },
  };
}

/** Whether an error of Node says that this process or this machine has no descriptor left. */
function isWithoutDescriptors(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EMFILE' || code === 'ENFILE';
}

/** The reserve of this process. */
export const spareDescriptor: SpareDescriptor = createSpareDescriptor();
