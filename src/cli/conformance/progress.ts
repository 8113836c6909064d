// Prints the progress of a run to stderr: a changing line on a terminal, an occasional line elsewhere, or a line per
// check.
import type { Progress } from '../../conformance/runner/runner.ts';
import { type TextStream, writeLine } from './outcome.ts';

/** Receives the progress of a run. */
export interface ProgressLine {
  check(progress: Progress): void;
  /** Prints a separate line. */
  say(line: string): void;
  /** Removes the changing line. */
  end(): void;
}

/** The stream and the form of the progress. */
export interface ProgressOptions {
  readonly stream: TextStream;
  /** Print a line for each check. */
  readonly isVerbose: boolean;
  /** Interval between two lines without a terminal, ms; default 5000. */
  readonly everyMs?: number;
}

const verdictWords = {
  passed: 'ok',
  failed: 'FAILED',
  unclear: 'unclear',
  'not-applicable': 'not applicable',
} as const;

/** Starts the progress output at once. */
export function createProgress({ stream, isVerbose, everyMs = 5000 }: ProgressOptions): ProgressLine {
  const isLive = stream.isTTY === true && !isVerbose;
  const running = new Set<string>();
  let [done, of, trouble] = [0, 0, 0];
  let hasLine = false;
  let hasBegun = false;
  const now = () => {
    const wrong = trouble === 0 ? '' : `, ${trouble} not passed`;
    const [first] = running;
    return `${done} of ${of}${wrong}${first === undefined ? '' : `; now ${first}`}`;
  };
  function clear(): void {
    if (hasLine) stream.write('\r\u001b[2K');
    hasLine = false;
  }
  function show(): void {
    if (!isLive) return;
    stream.write(`\r\u001b[2K${now().slice(0, (stream.columns ?? 80) - 1)}`);
    hasLine = true;
  }
  const timer = isLive || isVerbose ? undefined : setInterval(() => stream.write(`${now()}\n`), everyMs).unref();

  return {
    check(progress) {
      ({ done, of } = progress);
      if (progress.phase === 'started') running.add(progress.id);
      else running.delete(progress.id);
      // The first line is printed at once.
      if (!isLive && !hasBegun) stream.write(`${now()}\n`);
      hasBegun = true;
      const { verdict } = progress;
      if (verdict === 'failed' || verdict === 'unclear') trouble += 1;
      if (isVerbose && verdict !== undefined) {
        const [why] = (progress.reason ?? '').split('\n');
        writeLine(stream, `[${done}/${of}] ${progress.id}: ${verdictWords[verdict]}${why === '' ? '' : `: ${why}`}`);
      }
      show();
    },
    say(line) {
      clear();
      writeLine(stream, line);
      show();
    },
    end() {
      clearInterval(timer);
      clear();
    },
  };
}
