// The commands of many clients in one order: which have been carried out, which wait, what came of them. Knows no protocol
// and no session; what a command does is its caller's.
import { type Outcome, refused } from '../model/errors.ts';
import type { CommandBroadcast } from '../contract/broadcast.ts';
import { createCourse } from './course.ts';
import { createIdentities, type IdentityMatch } from './identities.ts';
import { createLanes, type Lanes } from './lanes.ts';
import { maxBytesInFlight } from '../contract/ledger-limits.ts';
import type { Entry, LedgerPorts } from './ports.ts';
import { createRates, rateSentence } from './rates.ts';
import { attempt, createSteps } from './steps.ts';
import { createVersions } from './versions.ts';
import { weightOf } from './weight.ts';
import { createWork, laneOf, type Work } from './work.ts';

/** Figures for metrics. */
export interface LedgerFigures {
  readonly inFlight: number;
  readonly outcomes: number;
  readonly keys: number;
  readonly lanes: number;
  readonly versions: number;
  /** Carried out since the beginning. */
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

/** The ledger of one principal: what one may not see again is not in it (docs/threats.md T21). */
export interface Ledger {
  submit(entry: Entry): void;
  /** That session is gone. One of the same name that comes later has nothing of it but the ids of its commands. */
  forget(session: string): void;
  /** Somebody has changed that session whose commands are not this ledger's. */
  changed(session: string): void;
  /** Undefined for a session that there is not. */
  version(session: string): number | undefined;
  /** From now on everything is refused as `shutting-down`, without broadcast. */
  shut(): void;
  /** Calls back once, when nothing is in flight. */
  whenIdle(callback: () => void): void;
  figures(): LedgerFigures;
}

/** An empty ledger. */
export function createLedger(ports: LedgerPorts): Ledger {
  const { clock, limits } = ports;
  const steps = createSteps();
  const identities = createIdentities(ports);
  const versions = createVersions((session) => ports.exists(session));
  const rates = createRates(limits, () => clock.now());
  const refusals = { busy: 0, rate: 0, allRate: 0, answers: 0 };
  const idle: (() => void)[] = [];
  let isShut = false;
  let count = 0;
  let inFlight = 0;
  let repetitions = 0;
  /** Of all payloads that are held. */
  let bytes = 0;

  const broadcast = (message: CommandBroadcast) => attempt(() => ports.broadcast(message));
  const course = createCourse({ clock, limits, steps, identities, versions, lanes: () => lanes, broadcast, ended });
  const lanes: Lanes = createLanes(course.begin, steps.run);

  /** The order of the checks is that of docs/protocols/common.md 2.2. */
  function take(entry: Entry): void {
    const { ticket } = entry;
    if (isShut) {
      const outcome = refused('shutting-down', 'Server is shutting down');
      return attempt(() => entry.settle(outcome, { replayed: false, timedOut: false }));
    }
    count += 1;
    const identity = identities.identify(ticket);
    const known = identities.recognise(ticket, identity);
    if (known !== null) return answerKnown(entry, known);
    const draw = { lane: laneOf(ticket), answers: ticket.allowance === 'answers' };
    const exhausted = rates.exhausted(draw);
    if (exhausted !== null) {
      refusals[exhausted] += 1;
      return refuse(entry, refused('limit', rateSentence(exhausted, limits)));
    }
    const weight = weightOf(ticket.payload, maxBytesInFlight);
    if (inFlight >= limits.maxInFlight || !hasRoom(weight)) return refuseAsBusy(entry);
    rates.count(draw);
    inFlight += 1;
    bytes += weight;
    const work = createWork({ entry, number: count, weight }, identity);
    identities.admit(work);
    broadcast({ kind: 'command', phase: 'accepted', how: 'executed', ticket, number: count });
    lanes.enter(work);
  }

  function answerKnown(entry: Entry, known: IdentityMatch): void {
    if (known.is === 'conflict') return refuse(entry, refused('conflict', known.message));
    // Repetitions that wait are held in memory like commands, but need no allowance: they have a cap of their own.
    const weight = known.is === 'under-way' ? weightOf(entry.ticket.payload, maxBytesInFlight) : 0;
    if (known.is === 'under-way' && (repetitions >= limits.maxInFlight || !hasRoom(weight))) return refuseAsBusy(entry);
    broadcast({ kind: 'command', phase: 'accepted', how: 'replayed', ticket: entry.ticket, number: count });
    const repetition = { entry, number: count, weight };
    if (known.is === 'kept') return course.repeat(repetition, known.kept);
    known.work.repetitions.push(repetition);
    repetitions += 1;
    bytes += weight;
  }

  /** One alone always has: to come again would not help it. */
  function hasRoom(weight: number): boolean {
    return bytes === 0 || bytes + weight <= maxBytesInFlight;
  }

  function refuseAsBusy(entry: Entry): void {
    refusals.busy += 1;
    refuse(entry, refused('busy', 'Server busy - too many concurrent commands. Please retry.'));
  }

  function refuse(entry: Entry, outcome: Outcome): void {
    const receipt = { replayed: false, timedOut: false };
    const refusal = { kind: 'command', how: 'refused', ticket: entry.ticket, number: count } as const;
    broadcast({ ...refusal, phase: 'accepted' });
    broadcast({ ...refusal, phase: 'finished', ending: { outcome, receipt } });
    attempt(() => entry.settle(outcome, receipt));
  }

  function ended(work: Work): void {
    inFlight -= 1;
    repetitions -= work.repetitions.length;
    for (const { weight } of [work, ...work.repetitions]) bytes -= weight;
    steps.run(callIdle);
  }

  function callIdle(): void {
    if (inFlight > 0) return;
    for (const callback of idle.splice(0)) attempt(callback);
  }

  return {
    submit: (entry) => steps.run(() => take(entry)),
    forget: (session) =>
      steps.run(() => {
        versions.forget(session);
        identities.forget(session);
      }),
    changed: (session) => steps.run(() => versions.changed(session)),
    version: versions.of,
    shut() {
      isShut = true;
    },
    whenIdle(callback) {
      idle.push(callback);
      steps.run(callIdle);
    },
    figures: () => ({
      inFlight,
      outcomes: identities.outcomes,
      keys: identities.keys,
      lanes: lanes.size,
      versions: versions.size,
      executed: course.executed,
      refused: { ...refusals },
      lastMinute: rates.lastMinute(),
    }),
  };
}
