// Watches the process that an editor names in `initialize` (docs/protocols/eca.md 8.1). Changes no frame.
import { z } from 'zod';
import type { Channel } from '../../core/contract/channel.ts';

/** Interval between two checks of the process, ms. */
const lookMs = 500;

const Initialize = z.looseObject({
  method: z.literal('initialize'),
  params: z.looseObject({ processId: z.int().positive() }),
});

/** The wrapped channel of an eca client and the state of its editor. */
export interface EditorWatch {
  /** Wraps the client's channel for the gateway. */
  wrap(channel: Channel): Channel;
  /**
   * Aborted when the named process ends. A process that was never visible does not count: it may run on another machine
   * or outside our sandbox, where a server that ends for it would be useless (docs/protocols/eca.md 6.1).
   */
  readonly gone: AbortSignal;
}

/** Starts watching when the first `initialize` names a process. */
export function watchEditor(): EditorWatch {
  const gone = new AbortController();
  let isNamed = false;

  function follow(pid: number): void {
    isNamed = true;
    if (!isAlive(pid)) return;
    const look = setInterval(() => {
      if (isAlive(pid)) return;
      clearInterval(look);
      gone.abort('the process of the editor is gone');
    }, lookMs);
    look.unref();
  }

  return {
    wrap: (channel) => ({
      label: channel.label,
      open(receiver) {
        channel.open({
          work: receiver.work,
          frame(frame) {
            const pid = isNamed ? undefined : namedIn(() => frame.json);
            if (pid !== undefined) follow(pid);
            receiver.frame(frame);
          },
          fault: (fault) => receiver.fault(fault),
          drained: () => receiver.drained?.(),
          end: (ending) => receiver.end(ending),
          // Whether the method is there says how the end of the input is taken.
          ...(receiver.inputEnded && { inputEnded: () => receiver.inputEnded?.() }),
        });
      },
      send: (out) => channel.send(out),
      get buffered() {
        return channel.buffered;
      },
      pause: () => channel.pause(),
      resume: () => channel.resume(),
      close: (code, reason) => channel.close(code, reason),
    }),
    gone: gone.signal,
  };
}

/** The process id in an `initialize` frame. Ignores invalid JSON, which the frontend answers. */
function namedIn(read: () => unknown): number | undefined {
  try {
    return Initialize.safeParse(read()).data?.params.processId;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    // EPERM: the process exists and belongs to another user.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}
