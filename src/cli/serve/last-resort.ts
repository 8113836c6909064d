// The last resort of `patchbay serve`: what no guard has caught (decision 0023).

/** So many faults within `spanMs` end the server. */
export const mostFaults = 10;
/** Ms. */
export const spanMs = 60_000;

/** The dependencies of the last resort. */
export interface LastResortPorts {
  /** Monotonic ms. */
  now(): number;
  /** Counts and logs the fault. */
  report(thrown: unknown): void;
  /** Ends the server in order, with a code that says failure. Called once. */
  end(reason: string): void;
}

/** Returns the handler of a fault. The server goes on, unless faults come so fast that it cannot be well. */
export function createLastResort({ now, report, end }: LastResortPorts): (thrown: unknown) => void {
  let times: readonly number[] = [];
  let hasEnded = false;

  return (thrown) => {
    try {
      report(thrown);
    } catch {
      // A log that fails must not cause the next fault.
    }
    times = [...times, now()].slice(-mostFaults);
    const [first] = times;
    const isTooFast = times.length === mostFaults && first !== undefined && now() - first < spanMs;
    if (!isTooFast || hasEnded) return;
    hasEnded = true;
    end(`the gateway has failed ${mostFaults} times within a minute`);
  };
}

/** Installs the handler for everything that is thrown outside of all guards. */
export function installLastResort(ports: LastResortPorts): void {
  const handle = createLastResort(ports);
  process.on('uncaughtException', handle);
  process.on('unhandledRejection', handle);
}
