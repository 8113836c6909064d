// The commands of many clients in one order: which have run, which wait, how they ended. What a command does is its
// caller's.
import type { CommandBroadcast } from '../contract/broadcast.ts';
import { createAdmission } from './admission.ts';
import { createExecution } from './execution.ts';
import { createIdentities } from './identities.ts';
import { createLanes, type Lanes } from './lanes.ts';
import type { Entry, LedgerPorts } from './ports.ts';
import { attempt, createSerialExecutor } from './serial-executor.ts';
import { createVersions } from './versions.ts';
import type { Work } from './work.ts';

/** Figures for metrics. */
export interface LedgerFigures {
  readonly inFlight: number;
  readonly outcomes: number;
  readonly keys: number;
  readonly lanes: number;
  readonly versions: number;
  /** Commands that have run since the beginning. */
  readonly executed: number;
  readonly refused: {
    readonly busy: number;
    readonly rate: number;
    readonly allRate: number;
    readonly answers: number;
  };
  /** Commands of all lanes within the last minute. */
  readonly lastMinute: number;
}

/** The ledger of one principal: commands of another principal are not in it (docs/threats.md T21). */
export interface Ledger {
  submit(entry: Entry): void;
  /** The session is gone. A later session of the same name inherits nothing but the ids of its commands. */
  forget(session: string): void;
  /** A command outside this ledger has changed the session. */
  changed(session: string): void;
  /** Undefined for a session that does not exist. */
  version(session: string): number | undefined;
  /** From now on every command is refused as `shutting-down`, without a broadcast. */
  shut(): void;
  /** Calls back once, when nothing is in flight. */
  whenIdle(callback: () => void): void;
  figures(): LedgerFigures;
}

/** An empty ledger. */
export function createLedger(ports: LedgerPorts): Ledger {
  const { clock, limits } = ports;
  const executor = createSerialExecutor();
  const identities = createIdentities(ports);
  const versions = createVersions((session) => ports.exists(session));
  const broadcast = (message: CommandBroadcast) => attempt(() => ports.broadcast(message));
  const shared = { clock, limits, executor, identities, versions, broadcast };
  const execution = createExecution({ ...shared, lanes: () => lanes, ended });
  const lanes: Lanes = createLanes(execution.begin, executor.run);
  const admission = createAdmission({ ...shared, lanes, execution });
  const idleCallbacks: (() => void)[] = [];

  function ended(work: Work): void {
    admission.release(work);
    executor.run(callIdle);
  }

  function callIdle(): void {
    if (admission.inFlight > 0) return;
    for (const callback of idleCallbacks.splice(0)) attempt(callback);
  }

  return {
    submit: (entry) => executor.run(() => admission.submit(entry)),
    forget: (session) =>
      executor.run(() => {
        versions.forget(session);
        identities.forget(session);
      }),
    changed: (session) => executor.run(() => versions.changed(session)),
    version: versions.of,
    shut: admission.shut,
    whenIdle(callback) {
      idleCallbacks.push(callback);
      executor.run(callIdle);
    },
    figures: () => ({
      inFlight: admission.inFlight,
      outcomes: identities.outcomes,
      keys: identities.keys,
      lanes: lanes.size,
      versions: versions.size,
      executed: execution.executed,
      refused: { ...admission.refusals },
      lastMinute: admission.lastMinute(),
    }),
  };
}
