// Admits commands: recognises repetitions, refuses commands beyond the limits, and passes the others on to their lanes.
import type { CommandBroadcast } from '../contract/broadcast.ts';
import { maxBytesInFlight } from '../contract/limits/ledger-limits.ts';
import { type Outcome, refused } from '../model/errors.ts';
import { estimateBytes } from '../model/memory-estimate.ts';
import { type AdmittedCommand, createAdmittedCommand, laneOf } from './admitted-command.ts';
import type { Lanes } from './command-lanes.ts';
import type { Execution } from './execution.ts';
import type { Identities, IdentityMatch } from './identities.ts';
import { createInFlightLoad } from './in-flight-load.ts';
import type { Entry, LedgerPorts } from './ports.ts';
import { type Allowance, createRateLimits, rateSentence } from './rate-limits.ts';
import { attempt } from './serial-executor.ts';

/** The dependencies of the admission. */
export interface AdmissionPorts extends Pick<LedgerPorts, 'clock' | 'limits' | 'keeper'> {
  readonly identities: Identities;
  readonly lanes: Lanes;
  readonly execution: Pick<Execution, 'repeat'>;
  broadcast(message: CommandBroadcast): void;
}

/** Decides which submitted commands are carried out, which are answered as repetitions, and which are refused. */
export interface Admission {
  submit(entry: Entry): void;
  /** Refuses every later command as `shutting-down`, without a broadcast. */
  shut(): void;
  /** Frees the capacity of a command that is over. */
  release(work: AdmittedCommand): void;
  readonly inFlight: number;
  /** Refusals so far, by the exceeded limit. */
  readonly refusals: Readonly<Record<Allowance | 'busy', number>>;
  /** Commands of all lanes within the last minute. */
  lastMinute(): number;
}

/** Creates the admission of an empty ledger. */
export function createAdmission({
  clock,
  limits,
  keeper,
  identities,
  lanes,
  execution,
  broadcast,
}: AdmissionPorts): Admission {
  const rates = createRateLimits(limits, () => clock.now());
  const load = createInFlightLoad(limits);
  const refusals = { busy: 0, rate: 0, allRate: 0, answers: 0 };
  let isShut = false;
  /** The number of the newest submitted command. */
  let number = 0;

  /** Runs the checks in the order of docs/protocols/common.md 2.2. */
  function submit(entry: Entry): void {
    if (isShut) {
      const outcome = refused('shutting-down', 'Server is shutting down');
      return attempt(() => entry.settle(outcome, { replayed: false, timedOut: false }));
    }
    number += 1;
    const { ticket } = entry;
    const identity = identities.identify(ticket);
    const known = identities.recognise(ticket, identity);
    if (known !== null) return submitKnown(entry, known);
    const draw = { lane: laneOf(ticket), answers: ticket.allowance === 'answers' };
    const exhausted = rates.exhausted(draw);
    if (exhausted !== null) {
      refusals[exhausted] += 1;
      return refuse(entry, refused('limit', rateSentence(exhausted, limits)));
    }
    const weight = estimateBytes(ticket.payload, maxBytesInFlight);
    if (!load.hasRoomForCommand(weight)) return refuseAsBusy(entry);
    rates.count(draw);
    load.addCommand(weight);
    const work = createAdmittedCommand({ entry, number, weight }, identity);
    identities.admit(work);
    const record = keeper === undefined ? null : identities.recordOf(work);
    if (record !== null) keeper?.keep({ kind: 'admitted', ...record, at: keeper.timeOrigin + clock.now() });
    broadcast({ kind: 'command', phase: 'accepted', how: 'executed', ticket, number });
    lanes.enter(work);
  }

  function submitKnown(entry: Entry, known: IdentityMatch): void {
    if (known.is === 'conflict') return refuse(entry, refused('conflict', known.message));
    // A waiting repetition takes memory like a command but does not count for the rate limits: repetitions have their
    // own limit.
    const weight = known.is === 'under-way' ? estimateBytes(entry.ticket.payload, maxBytesInFlight) : 0;
    if (known.is === 'under-way' && !load.hasRoomForRepetition(weight)) return refuseAsBusy(entry);
    broadcast({ kind: 'command', phase: 'accepted', how: 'replayed', ticket: entry.ticket, number });
    const repetition = { entry, number, weight };
    if (known.is === 'kept') return execution.repeat(repetition, known.kept);
    known.work.repetitions.push(repetition);
    load.addRepetition(weight);
  }

  function refuseAsBusy(entry: Entry): void {
    refusals.busy += 1;
    refuse(entry, refused('busy', 'Server busy - too many concurrent commands. Please retry.'));
  }

  function refuse(entry: Entry, outcome: Outcome): void {
    const receipt = { replayed: false, timedOut: false };
    const refusal = { kind: 'command', how: 'refused', ticket: entry.ticket, number } as const;
    broadcast({ ...refusal, phase: 'accepted' });
    broadcast({ ...refusal, phase: 'finished', ending: { outcome, receipt } });
    attempt(() => entry.settle(outcome, receipt));
  }

  return {
    submit,
    shut() {
      isShut = true;
    },
    release: load.release,
    get inFlight() {
      return load.commands;
    },
    refusals,
    lastMinute: rates.lastMinute,
  };
}
