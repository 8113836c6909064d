// Two sessions whose agents say the same, one in bursts and the other delta by delta, with readers at the same places.
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Backend } from '../../../src/core/contract/adapter/backend.ts';
import type { Projection, SessionView } from '../../../src/core/contract/adapter/projection.ts';
import type { Peek, Receiver } from '../../../src/core/contract/channel.ts';
import type { Reader } from '../../../src/core/contract/reader.ts';
import { type Burst, eventsIn } from '../../../src/core/model/burst.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createSession } from '../../../src/core/session/open-session.ts';
import { defaultSessionLimits } from '../../../src/core/session/session-ports.ts';
import { burstOf, partTexts, singleProjection, withAsides } from './bursts.ts';
import { openChannel } from './open-channel.ts';
import { drain } from './stream-rig.ts';
import { createVirtualClock } from './virtual-clock.ts';

const peek: Peek = { header: null, bytes: new Uint8Array(), lineEnd: () => -1, ascii: () => '', utf8: () => '' };
/** A run with an open text. */
export const opening: readonly Event[] = [
  { type: 'run-start' },
  { type: 'turn-start' },
  { type: 'message-start', id: 'm' },
  { type: 'block-start', index: 0, block: { kind: 'text' } },
];
export const notice: Event = { type: 'notice', level: 'info', text: 'n' };
/** Dialects by name. */
export type Dialects = Readonly<Record<string, (view: SessionView) => Projection>>;

/** A session whose agent says things at once, in bursts or (`isSingle`) one delta after the other. */
export function createBurstRig(
  isSingle: boolean,
  dialects: Dialects,
  window = { frames: 8192, bytes: 8 * 1024 * 1024 },
) {
  const receivers: Receiver[] = [];
  const notes: string[] = [];
  let said: Burst | null = null;
  const backend: Backend = {
    decode: () => [],
    encode: () => [],
    recognise: () => null,
    recogniseBurst: () => (said === null ? null : { next: 1, accept: () => said ?? burstOf(['?']) }),
    onTimer: () => [],
  };
  let events: readonly Event[] = [];
  backend.decode = () => events.map((message) => ({ do: 'deliver', message }));
  const session = createSession({
    id: 's',
    epoch: '0123456789ab',
    clock: createVirtualClock(),
    limits: { ...defaultSessionLimits, window },
    connect: () => ({
      backend,
      channel: openChannel('agent', receivers),
    }),
    note: (level, text) => void notes.push(`${level}: ${text}`),
  });
  session.start();
  const say = (...list: Event[]) => {
    events = list;
    receivers[0]?.frame({ bytes: new Uint8Array(), text: '', json: null, from: () => ({}) as never });
  };
  const streamOf = (dialect: string) => session.stream(dialect, dialects[dialect] ?? singleProjection);
  return {
    session,
    notes,
    say,
    streamOf,
    burst(burst: Burst) {
      if (isSingle) return say(...eventsIn(burst));
      said = burst;
      expect(receivers[0]?.takeBurst?.(peek, 0, 1, 100)).toBe(1);
    },
  };
}

type Rig = ReturnType<typeof createBurstRig>;

/** One reader in both rigs, and what it was told. */
interface Pair {
  readonly together: Reader;
  readonly apart: Reader;
  /** Cursors that it was given. */
  readonly cursors: string[];
}

/**
 * Reads at most so many bytes in one go, and then as many frames in the other rig. Whether
 * that was a stretch.
 */
function readBoth({ together, apart, cursors }: Pair, maxBytes: number, asStretch: boolean): boolean {
  const part = asStretch ? (together.readStretch?.(maxBytes) ?? null) : null;
  const told = part === null ? together.read(maxBytes) : null;
  const count = part === null ? (told?.length ?? 0) : part.to - part.from;
  const others = [];
  // At least once: reading nothing means waiting for the next wake-up.
  do others.push(...apart.read(1));
  while (others.length < count);
  if (part !== null) expect(partTexts(part)).toEqual(others.map((entry) => entry.kind === 'frame' && entry.out));
  else expect(told?.map(plain)).toEqual(others.map(plain));
  for (const entry of others) if (entry.kind === 'frame' && entry.cursor !== null) cursors.push(entry.cursor);
  return part !== null;
}

const plain = (entry: ReturnType<Reader['read']>[number]) =>
  entry.kind === 'frame' ? { out: entry.out, cursor: entry.cursor, number: entry.number, at: entry.at } : entry;

const delta = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z ]{1,9}$/u) },
  { weight: 1, arbitrary: fc.constantFrom('é', '漢', '🙂', '"', '\\', '\n', '\t\\"', '\u007f', '\ufeff') },
);
const steps = (dialects: Dialects, mayHaveAsides: boolean) =>
  fc.array(step(Object.keys(dialects), mayHaveAsides), { maxLength: 30 });
const step = (names: readonly string[], mayHaveAsides: boolean) =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        deltas: fc.array(delta, { minLength: 2, maxLength: 40 }),
        hasAsides: mayHaveAsides ? fc.boolean() : fc.constant(false),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ event: notice }) },
    { weight: 1, arbitrary: fc.constantFrom(...names).map((inject) => ({ inject })) },
    {
      weight: 2,
      arbitrary: fc.record({ attach: fc.constantFrom(...names), cursor: fc.option(fc.nat()) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ reader: fc.nat(), maxBytes: fc.integer({ min: 1, max: 900 }), asStretch: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ close: fc.nat() }) },
  );
const windows = fc.record({ frames: fc.constantFrom(4, 33, 200, 8192), bytes: fc.constantFrom(500, 20_000, 8 << 20) });

function attachBoth(together: Rig, apart: Rig, dialect: string, cursor: string | null): Pair {
  const attach = (rig: Rig) => rig.streamOf(dialect).attach(cursor);
  return { together: attach(together), apart: attach(apart), cursors: [] };
}

/**
 * Checks that bursts mean what their deltas mean one by one, for every reader of these dialects: with cursors into the
 * middle of a stretch, windows that evict inside one, events, injected frames and late readers. Returns how often a
 * reader was given a stretch.
 */
export function mustMeanTheSame(dialects: Dialects, numRuns: number, mayHaveAsides = false): number {
  let stretches = 0;
  fc.assert(
    fc.property(steps(dialects, mayHaveAsides), windows, fc.boolean(), (list, window, hasBegun) => {
      const together = createBurstRig(false, dialects, window);
      const apart = createBurstRig(true, dialects, window);
      // Some dialects take a burst only behind the first delta of a block.
      const first: Event[] = hasBegun ? [{ type: 'block-delta', index: 0, delta: 'first' }] : [];
      for (const rig of [together, apart]) rig.say(...opening, ...first);
      const pairs = Object.keys(dialects).map((dialect) => attachBoth(together, apart, dialect, null));
      for (const one of list) {
        if ('deltas' in one) {
          const burst = one.hasAsides ? withAsides(burstOf(one.deltas)) : burstOf(one.deltas);
          for (const rig of [together, apart]) rig.burst(burst);
        } else if ('event' in one) for (const rig of [together, apart]) rig.say(one.event);
        else if ('inject' in one) for (const rig of [together, apart]) rig.streamOf(one.inject).inject('"answer"');
        else if ('attach' in one) {
          const cursors = pairs.flatMap((pair) => pair.cursors);
          const cursor = one.cursor === null ? null : (cursors[one.cursor % Math.max(1, cursors.length)] ?? null);
          pairs.push(attachBoth(together, apart, one.attach, cursor));
        } else if ('close' in one) {
          const [gone] = pairs.splice(one.close % Math.max(1, pairs.length), 1);
          gone?.together.close();
          gone?.apart.close();
        } else {
          const pair = pairs[one.reader % Math.max(1, pairs.length)];
          if (pair !== undefined) stretches += readBoth(pair, one.maxBytes, one.asStretch) ? 1 : 0;
        }
      }
      for (const pair of pairs) {
        for (let turn = 0; turn < 5; turn += 1) stretches += readBoth(pair, 2000, true) ? 1 : 0;
      }
      // Notes are told with the next event.
      for (const rig of [together, apart]) rig.say(notice);
      for (const pair of pairs) expect(drain(pair.together).map(plain)).toEqual(drain(pair.apart).map(plain));
      const textOf = (rig: Rig) => rig.session.transcript.open.get('')?.blocks.map(({ text }) => text);
      expect(textOf(together)).toEqual(textOf(apart));
      expect(together.session.transcript).toMatchObject({
        lastSeq: apart.session.transcript.lastSeq,
        bytes: apart.session.transcript.bytes,
      });
      expect(together.notes).toEqual(apart.notes);
    }),
    { numRuns },
  );
  return stretches;
}
