// Signals and the last words of the process: the first one ends in order, the second at once (docs/threats.md T29).
import { killAllChildren, whenChildrenAreGone } from '../transports/process-group.ts';

/** How long agents may take to leave after they were told, ms; their channels send SIGTERM and then SIGKILL. */
const childrenMs = 6000;

/**
 * Calls `drain` on the first signal. The process ends when that is done and the agents have left, or at the second
 * signal, or `limitMs` after it; with `codeOf` the signal, by default `process.exitCode`, when all went well.
 */
export function onSignals(
  drain: (reason: string) => Promise<void>,
  limitMs: () => number,
  codeOf: (signal: NodeJS.Signals) => number | undefined = () => undefined,
): void {
  let signalled = false;
  const handle = (signal: NodeJS.Signals) => {
    if (signalled) process.exit(1);
    signalled = true;
    const limit = setTimeout(() => process.exit(1), limitMs());
    limit.unref();
    drain(`the gateway was stopped (${signal})`)
      .then(() => whenChildrenAreGone(childrenMs))
      .then(
        () => process.exit(codeOf(signal) ?? process.exitCode),
        () => process.exit(1),
      );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => handle(signal));
  process.on('exit', killAllChildren);
}
