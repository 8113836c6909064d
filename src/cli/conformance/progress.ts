// How far a run has come, on stderr: one line that changes on a terminal, a line now and then elsewhere, or one for
// each check.
import type { Progress } from '../../conformance/runner/runner.ts';
import { type TextStream, writeLine } from './outcome.ts';

/** Who is told. */
export interface ProgressLine {
  check(told: Progress): void;
  /** A line of its own. */
  say(line: string): void;
  /** Takes the changing line away. */
  end(): void;
}

/** Where it is told. */
export interface ProgressOptions {
  readonly stream: TextStream;
  /** A line for each check. */
  readonly isVerbose: boolean;
  /** Between two lines where nobody sees one change, ms; default 5000. */
  readonly everyMs?: number;
}

const marks = { passed: 'ok', failed: 'FAILED', unclear: 'unclear', 'not-applicable': 'not applicable' } as const;

/** Begins at once. */
export function createProgress({ stream, isVerbose, everyMs = 5000 }: ProgressOptions): ProgressLine {
  const isLive = stream.isTTY === true && !isVerbose;
  const running = new Set<string>();
  let [done, of, trouble] = [0, 0, 0];
  let hasLine = false;
  let hasBegun = false;
  const now = () => {
    const wrong = trouble === 0 ? '' : `, ${trouble} in trouble`;
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
    check(told) {
      ({ done, of } = told);
      if (told.phase === 'started') running.add(told.id);
      else running.delete(told.id);
      // That it begins is told at once.
      if (!isLive && !hasBegun) stream.write(`${now()}\n`);
      hasBegun = true;
      const { verdict } = told;
      if (verdict === 'failed' || verdict === 'unclear') trouble += 1;
      if (isVerbose && verdict !== undefined) {
        const [why] = (told.reason ?? '').split('\n');
        writeLine(stream, `[${done}/${of}] ${told.id}: ${marks[verdict]}${why === '' ? '' : `: ${why}`}`);
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
