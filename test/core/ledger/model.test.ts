// For any commands in any order, the ledger gives the same lines as the model, and the promises of the specification
// hold for both (docs/protocols/common.md 2 to 6).
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LedgerLimits } from '../../../src/core/contract/limits/ledger-limits.ts';
import type { Ticket } from '../../../src/core/contract/ticket.ts';
import { createModel } from './model.ts';
import { createRig, type How, ticketOf } from './rig.ts';

type Kind = Partial<Ticket> & { readonly type: string };

/** The kinds of commands that there are, one for each place, effect and lane. */
const kinds: readonly Kind[] = [
  { type: 'set' },
  { type: 'get', effect: 'none' },
  { type: 'prompt', place: 'joins', runs: true, timeoutMs: 80 },
  { type: 'run', runs: true },
  { type: 'steer', place: 'beside' },
  { type: 'answer', place: 'beside', effect: 'none', allowance: 'answers', timeoutMs: 40 },
  { type: 'list', lane: 'server', effect: 'none', timeoutMs: 30 },
  { type: 'open', lane: 'server', effect: 'opens' },
  { type: 'close', effect: 'closes', timeoutMs: 60 },
];

const sessions = ['s1', 's2', 's3'];

/** Mostly the left one. */
const seldom = <Value, Other>(usual: Value, other: fc.Arbitrary<Other>, weight = 6) =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });

const submit = fc.record({
  do: fc.constant('submit' as const),
  kind: fc.constantFrom(...kinds),
  /** 0: a new one; else one that was used so many commands before; undefined: none. */
  id: seldom(0, fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 8 }))),
  key: seldom(undefined, fc.constantFrom('k', 'l'), 3),
  session: fc.constantFrom('s1', 's1', 's2', 's2', 's3'),
  /** So many commands before; below 0: that are still to come; 0: itself. */
  dependsOn: seldom<number[], number[]>(
    [],
    fc.array(fc.constantFrom(-3, -2, -1, -1, 0, 1, 1, 2, 2, 3, 4), { minLength: 1, maxLength: 3 }),
    1,
  ),
  ifVersion: seldom(undefined, fc.nat({ max: 3 }), 5),
  how: fc.constantFrom<How>('hold', 'hold', 'hold', 'hold', 'ok', 'ok', 'fail', 'throw'),
  variant: seldom(0, fc.constant(1)),
});

const step = fc.oneof(
  { weight: 10, arbitrary: submit },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('again' as const), which: fc.nat({ max: 9 }) }) },
  // Counted from the oldest that runs, below 0 from the newest; from the oldest that ever ran: a late end.
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      which: fc.integer({ min: -2, max: 4 }),
      isWell: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('late' as const), which: fc.nat({ max: 9 }), isWell: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 10, 20, 40, 100, 60_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose' as const), session: fc.constantFrom(...sessions) }) },
);

const limits: fc.Arbitrary<LedgerLimits> = fc.record({
  maxInFlight: fc.constantFrom(3, 8, 1_000),
  maxOutcomes: fc.constantFrom(1, 3, 1_000),
  idempotencyTtlMs: fc.constantFrom(15, 1_000),
  dependencyWaitMs: fc.constantFrom(25, 1_000),
  commandsPerMinute: fc.constantFrom(5, 1_000),
  allCommandsPerMinute: fc.constantFrom(12, 1_000),
  answersPerMinute: fc.constantFrom(1, 1_000),
});

/** A command as it was sent. */
interface Sent {
  readonly label: string;
  readonly ticket: Ticket;
  readonly how: How;
}

const courses = [
  'accepted started finished answer',
  'accepted started runs finished answer',
  'accepted started runs undone finished answer',
];

/** The promises, read off the log alone. */
function checkPromises(log: readonly string[], sent: readonly Sent[], isEverythingKept: boolean): void {
  const places = new Map<string, number[]>();
  for (const [place, line] of log.entries()) {
    const label = line.split(' ')[0] ?? '';
    places.set(label, [...(places.get(label) ?? []), place]);
  }
  const lanes = new Map<string, number>();
  const versions = new Map<string, number>();
  const ran = new Set<string>();
  for (const { label, ticket } of sent) {
    const mine = places.get(label) ?? [];
    const words = mine.map((place) => log[place]?.split(/[ :]/u) ?? []);
    const course = words.map(([, phase]) => phase).join(' ');
    // Every command is answered exactly once, in the order of the phases; only executed commands are started.
    const how = words[0]?.[2];
    expect(how === undefined ? courses : ['accepted finished answer']).toContain(course);
    if (how !== undefined) continue;
    // A command with an id runs once, as long as its outcome is kept.
    if (course.includes('runs') && ticket.id !== undefined && isEverythingKept) {
      expect(ran).not.toContain(ticket.id);
      ran.add(ticket.id);
    }
    // In a lane, no command starts in turn before the one that started before it has been answered.
    if (ticket.place !== 'in-turn') continue;
    const lane = ticket.lane === 'server' ? 'server' : `of ${ticket.session}`;
    expect(mine[1]).toBeGreaterThan(lanes.get(lane) ?? -1);
    lanes.set(lane, mine.at(-1) ?? 0);
  }
  // Versions have no gaps: each change is one more, or the first one of a session that is new.
  const tickets = new Map(sent.map(({ label, ticket }) => [label, ticket]));
  for (const line of log) {
    const [, label = '', version] = /^(\S+) finished: ok v(\d+)$/u.exec(line) ?? [];
    const { effect, session = '' } = tickets.get(label) ?? {};
    if (effect === 'opens') versions.set(session, 0);
    if (effect !== 'changes') continue;
    expect([1, (versions.get(session) ?? 0) + 1]).toContain(Number(version));
    versions.set(session, Number(version));
  }
}

/** The test must have met each of these, or it proves nothing. */
const meetings = [
  /accepted replayed/u,
  /undone/u,
  /ok v\d+ replayed/u,
  /Conflicting id '/u,
  /Conflicting idempotencyKey/u,
  /is unknown/u,
  /Dependency '\w+' failed: (?!Dependency)/u,
  /failed: Dependency/u,
  /failed: Command '\w+' timed out/u,
  /depend on itself/u,
  /queued in the same lane/u,
  /waits for this command/u,
  /'dependsOn:/u,
  /mismatch/u,
  /Session \w+ not found/u,
  /Server busy/u,
  /: Rate limit .* commands/u,
  /Global rate limit/u,
  /answers\/minute/u,
];

test('the ledger says what the model says', () => {
  const missing = new Set(meetings);
  const isTrue = fc.property(limits, fc.array(step, { maxLength: 60, size: 'max' }), (bounds, steps) => {
    const rig = createRig({ limits: bounds, sessions: ['s1', 's2'] });
    const model = createModel(bounds, ['s1', 's2']);
    const sent: Sent[] = [];
    let idle = 0;

    function send(ticket: Ticket, how: How): void {
      const label = `#${sent.length}`;
      sent.push({ label, ticket, how });
      rig.send(label, ticket, how);
      model.send(label, ticket, how);
    }

    function end(label: string | undefined, isWell: boolean): void {
      if (label === undefined) return;
      if (isWell) rig.succeed(label);
      else rig.fail(label);
      model.end(label, isWell);
    }

    const answered = new Set<string>();
    const running = () => rig.runs.filter((label) => !answered.has(label));
    let read = 0;

    /** The lines of both since the last call. */
    function look(): void {
      const said = rig.log.slice(read);
      if (said.join() !== model.log.slice(read).join()) expect(said).toEqual(model.log.slice(read));
      for (const line of said) if (line.includes(' answer')) answered.add(line.split(' ')[0] ?? '');
      read = rig.log.length;
      const { inFlight } = rig.ledger.figures();
      if (inFlight !== model.inFlight()) expect(inFlight).toBe(model.inFlight());
    }

    for (const step of steps) {
      switch (step.do) {
        case 'submit': {
          const { kind, how, variant, key, ifVersion } = step;
          const nameOf = (back: number) => `n${sent.length - back}`;
          const id = step.id === undefined ? undefined : nameOf(step.id);
          const session = kind.type === 'list' ? undefined : step.session;
          const dependsOn = step.dependsOn.map(nameOf);
          const payload = { type: kind.type, session, variant };
          const isSudden = kind.effect !== 'opens' && kind.effect !== 'closes';
          send(ticketOf('', { ...kind, id, key, ifVersion, session, dependsOn, payload }), isSudden ? how : 'hold');
          break;
        }
        case 'again': {
          const before = sent[sent.length - 1 - step.which];
          if (before !== undefined) send({ ...before.ticket }, before.how);
          break;
        }
        case 'end':
          end(running().at(step.which), step.isWell);
          break;
        case 'late':
          end(rig.runs[step.which], step.isWell);
          break;
        case 'wait':
          rig.clock.advance(step.ms);
          model.advance(step.ms);
          break;
        case 'lose':
          rig.sessions.delete(step.session);
          rig.ledger.forget(step.session);
          model.lose(step.session);
          break;
        default:
          step satisfies never;
      }
      look();
    }

    // Shutdown: nothing new, and running commands end one after the other.
    rig.ledger.shut();
    model.shut();
    rig.ledger.whenIdle(() => {
      idle += 1;
    });
    for (let round = 0; round < 2; round += 1) {
      for (let label = running()[0]; label !== undefined; label = running()[0]) {
        end(label, true);
        look();
      }
      rig.clock.advance(100_000);
      model.advance(100_000);
      look();
    }
    expect(idle).toBe(1);
    expect(rig.ledger.figures()).toMatchObject({ inFlight: 0, lanes: 0, lastMinute: 0 });
    expect(rig.clock.pending).toBe(0);
    checkPromises(rig.log, sent, bounds.maxOutcomes === 1_000);
    for (const meeting of missing) if (rig.log.some((line) => meeting.test(line))) missing.delete(meeting);
  });
  // These seeds are known to meet everything; others may not.
  fc.assert(isTrue, { seed: 2, numRuns: 300 });
  expect([...missing]).toEqual([]);
  fc.assert(isTrue, { numRuns: Number(process.env.RUNS ?? 300) });
});
