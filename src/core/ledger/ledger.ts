// Orders the commands of many clients: recognises repetitions, runs commands in lanes, and keeps outcomes. The caller
// carries the commands out.
import type { CommandBroadcast } from '../contract/broadcast.ts';
import { refused } from '../model/errors.ts';
import { createAdmission } from './admission.ts';
import type { AdmittedCommand } from './admitted-command.ts';
import { createLanes, type Lanes } from './command-lanes.ts';
import { createExecution } from './execution.ts';
import { createIdentities } from './identities.ts';
import type { LedgerRecord } from './ledger-records.ts';
import type { Entry, LedgerPorts } from './ports.ts';
import { attempt, createSerialExecutor } from './serial-executor.ts';

/** Figures for metrics. */
export interface LedgerFigures {
  readonly inFlight: number;
  readonly outcomes: number;
  readonly keys: number;
  readonly lanes: number;
  /** Commands that have run so far. */
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
  /** Forgets a closed session. A later session of the same name shares only command ids with it. */
  forget(session: string): void;
  /**
   * Takes the records of an earlier process, oldest first, before the first command that they are about. A command that was admitted and
   * did not end is not carried out again: a repetition is told that its outcome is lost.
   */
  restore(records: Iterable<LedgerRecord>): void;
  /** Everything that {@link Ledger.restore} needs. */
  records(): LedgerRecord[];
  /** Refuses every later command as `shutting-down`, without a broadcast. */
  shut(): void;
  /** Calls back once when no command is in flight. */
  whenIdle(callback: () => void): void;
  figures(): LedgerFigures;
}

/** The outcome of a command that an earlier process has not ended. */
const lostOutcome = refused(
  'aborted',
  'the gateway was restarted while the command was carried out; its outcome is unknown',
);

/** Creates an empty ledger. */
export function createLedger(ports: LedgerPorts): Ledger {
  const { clock, limits, keeper, counterOf } = ports;
  const executor = createSerialExecutor();
  const identities = createIdentities(ports);
  const broadcast = (message: CommandBroadcast) => attempt(() => ports.broadcast(message));
  const shared = {
    clock,
    limits,
    ...(keeper === undefined ? {} : { keeper }),
    executor,
    identities,
    counterOf,
    broadcast,
  };
  const execution = createExecution({ ...shared, lanes: () => lanes, ended });
  const lanes: Lanes = createLanes(execution.begin, executor.run);
  const admission = createAdmission({ ...shared, lanes, execution });
  const idleCallbacks: (() => void)[] = [];

  function ended(work: AdmittedCommand): void {
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
        identities.forget(session);
        keeper?.keep({ kind: 'forget', session });
      }),
    restore(records) {
      const at = (keeper?.timeOrigin ?? 0) + clock.now();
      for (const record of records) {
        if (record.kind === 'forget') identities.forget(record.session);
        else identities.restore(record, lostOutcome, Math.max(0, at - record.at));
      }
    },
    records: () => identities.records((at) => (keeper?.timeOrigin ?? 0) + at),
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
      executed: execution.executed,
      refused: { ...admission.refusals },
      lastMinute: admission.lastMinute(),
    }),
  };
}
