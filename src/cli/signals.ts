// Handles signals: the first one shuts down in order, the second one ends the process at once (docs/threats.md T29).
import { killAllChildren, whenChildrenAreGone } from '../transports/child/process-group.ts';

/** How long to wait for agent processes to exit, ms. Their channels send SIGTERM and then SIGKILL. */
const childrenMs = 6000;

/**
 * Calls `drain` on the first signal. The process ends when `drain` is done and the agent processes have exited; at the
 * latest on a second signal or after `limitMs` ms. The exit code of an orderly end is `codeOf(signal)`, by default
 * `process.exitCode`; of any other end 1. Returns a function that does the same without a signal.
 */
export function onSignals(
  drain: (reason: string) => Promise<void>,
  limitMs: () => number,
  codeOf: (signal: NodeJS.Signals) => number | undefined = () => undefined,
): (reason: string, code?: number) => void {
  let signalled = false;
  function stop(reason: string, code?: number): void {
    if (signalled) process.exit(1);
    signalled = true;
    const limit = setTimeout(() => process.exit(1), limitMs());
    limit.unref();
    drain(reason)
      .then(() => whenChildrenAreGone(childrenMs))
      .then(
        () => process.exit(code ?? process.exitCode),
        () => process.exit(1),
      );
  }
  const handle = (signal: NodeJS.Signals) => stop(`the gateway was stopped (${signal})`, codeOf(signal));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => handle(signal));
  process.on('exit', killAllChildren);
  return stop;
}
