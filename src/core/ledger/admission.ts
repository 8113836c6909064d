// Admits commands: recognises repetitions, refuses what is too much, and gives the rest to their lanes.
import type { CommandBroadcast } from '../contract/broadcast.ts';
import { maxBytesInFlight } from '../contract/ledger-limits.ts';
import { type Outcome, refused } from '../model/errors.ts';
import type { Execution } from './execution.ts';
import type { Identities, IdentityMatch } from './identities.ts';
import type { Lanes } from './lanes.ts';
import { createLoad } from './load.ts';
import type { Entry, LedgerPorts } from './ports.ts';
import { type Allowance, createRates, rateSentence } from './rates.ts';
import { attempt } from './serial-executor.ts';
import { weightOf } from './weight.ts';
import { createWork, laneOf, type Work } from './work.ts';

/** Where admitted commands go. */
export interface AdmissionPorts extends Pick<LedgerPorts, 'clock' | 'limits'> {
  readonly identities: Identities;
  readonly lanes: Lanes;
  readonly execution: Pick<Execution, 'repeat'>;
  broadcast(message: CommandBroadcast): void;
}

/** Admits commands. */
export interface Admission {
  submit(entry: Entry): void;
  /** From now on every command is refused as `shutting-down`, without a broadcast. */
  shut(): void;
  /** The command is over: what it took is free again. */
  release(work: Work): void;
  readonly inFlight: number;
  /** Refusals so far, by the limit that they met. */
  readonly refusals: Readonly<Record<Allowance | 'busy', number>>;
  /** Commands of all lanes within the last minute. */
  lastMinute(): number;
}

/** Nothing is admitted yet. */
export function createAdmission({ clock, limits, identities, lanes, execution, broadcast }: AdmissionPorts): Admission {
  const rates = createRates(limits, () => clock.now());
  const load = createLoad(limits);
  const refusals = { busy: 0, rate: 0, allRate: 0, answers: 0 };
  let isShut = false;
  /** Of commands that were handed in: the number of the newest. */
  let number = 0;

  /** The order of the checks is that of docs/protocols/common.md 2.2. */
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
    const weight = weightOf(ticket.payload, maxBytesInFlight);
    if (!load.hasRoomForCommand(weight)) return refuseAsBusy(entry);
    rates.count(draw);
    load.addCommand(weight);
    const work = createWork({ entry, number, weight }, identity);
    identities.admit(work);
    broadcast({ kind: 'command', phase: 'accepted', how: 'executed', ticket, number });
    lanes.enter(work);
  }

  function submitKnown(entry: Entry, known: IdentityMatch): void {
    if (known.is === 'conflict') return refuse(entry, refused('conflict', known.message));
    // A repetition that waits takes memory like a command, but draws on no rate: repetitions have a cap of their own.
    const weight = known.is === 'under-way' ? weightOf(entry.ticket.payload, maxBytesInFlight) : 0;
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
