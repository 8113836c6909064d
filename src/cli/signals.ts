// Signals and the last words of the process: the first SIGTERM drains, the second ends at once (threat T29).
import { killAllChildren } from '../transports/process-group.ts';

/** Calls `drain` on the first signal; the process ends when it is done, or at the second signal, or after `limitMs`. */
export function onSignals(drain: (reason: string) => Promise<void>, limitMs: number): void {
  let signalled = false;
  const handle = (signal: string) => {
    if (signalled) process.exit(1);
    signalled = true;
    const limit = setTimeout(() => process.exit(1), limitMs);
    limit.unref();
    drain(`the gateway was stopped (${signal})`).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => handle(signal));
  process.on('exit', killAllChildren);
}
