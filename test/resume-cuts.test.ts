// Connections that are cut anywhere and come back: a run that is over and one that goes on, each dialect, over a
// WebSocket and over server-sent events. What such a client has heard in the end are the bytes that a client hears which
// nobody cuts (docs/protocols/resume.md 6; docs/faults.md F13).
import { afterEach, describe, expect, test } from 'vitest';
import { adapters } from '../src/adapters/index.ts';
import { within } from '../src/conformance/bounded-wait.ts';
import { owner } from '../src/core/contract/principal.ts';
import { agentRoles } from './support/agent-roles.ts';
import type { ByteProxy } from './support/byte-proxy.ts';
import { clientRoles, type Hear } from './support/client-roles.ts';
import { drain } from './support/core/stream-rig.ts';
import { startCutGateway } from './support/cut-gateway.ts';
import {
  agreeWhole,
  type Dialect,
  dialects,
  forEach,
  numbers,
  placesIn,
  readCut,
  readOnce,
  readRest,
  report,
  transports,
} from './support/cut-readers.ts';
import { isFull, shareOf } from './support/full.ts';
import {
  byBytes,
  type Connect,
  connectEvents,
  connectResumable,
  type Heard,
  type Place,
} from './support/resuming-readers.ts';

/** Cuts of one client of a long run, for each dialect and transport. */
const wanted = isFull ? 100 : 16;
/** Clients of one run that goes on. */
const atOnce = 100;
/** Where a run of so many bytes is cut. */
const bytesOf = (size: number) => placesIn(size, isFull ? 1000 : 8);

const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

/** A session, and a client that nobody cuts. */
interface Rig {
  /** Everything that the uncut client has heard. */
  readonly uncut: readonly Heard[];
  readonly proxy: ByteProxy;
  /** Where clients connect that are cut. */
  readonly place: Place;
  /** A run with these words, from its prompt to its last frame. */
  run(words: string): Promise<void>;
}

async function start({ frontend, options, needsNoGreeting }: Dialect): Promise<Rig> {
  const { board, proxy, port, token, dispose } = await startCutGateway();
  disposals.push(dispose);
  const session = board.createSession({}, owner).id;
  const place = { port: proxy.port, token, frontend, session, options };

  const uncut: Heard[] = [];
  const watchers = new Set<() => void>();
  const reader = connectResumable({ ...place, port }, null, (heard) => {
    uncut.push(heard);
    for (const watcher of [...watchers]) watcher();
  });
  disposals.push(() => reader.end());

  const role = clientRoles.get(frontend);
  if (role === undefined) throw new Error(`no client of ${frontend}`);
  const { prompt, greet, isOver, isAnswered = () => true } = role;
  const frames = () => uncut.map(({ frame }) => frame);
  const hear: Hear = (label, isEnough) => within(label, watchers, () => (isEnough(frames()) ? frames() : undefined));
  /** Nothing is there behind what the uncut client has heard. */
  const isAtEnd = () => {
    const query = Object.fromEntries(new URLSearchParams(options));
    const rest = board.stream({ frontend, session, options: query, principal: owner }, lastCursor(uncut));
    const isEmpty = drain(rest).length === 0 && rest.isPreparing !== true;
    rest.close();
    return isEmpty;
  };
  // On its own connection: an answer before it has attached would be for nobody.
  const { say } = reader;
  if (needsNoGreeting !== true) await greet?.(say, hear);
  return {
    uncut,
    proxy,
    place,
    async run(words) {
      const from = uncut.length;
      say(needsNoGreeting === true ? prompt(words) : prompt(words, frames()));
      await hear('the end of the run', (all) => {
        const said = all.slice(from);
        return said.some(isOver) && isAnswered(said);
      });
      await within('the last frame', watchers, () => isAtEnd() || undefined);
    },
  };
}

/** The frames from the first one with a cursor on: what is said before is only for who comes without. */
function resumable(uncut: readonly Heard[]): { readonly first: Heard; readonly expected: readonly Heard[] } {
  const at = uncut.findIndex(({ cursor }) => cursor !== null);
  const first = uncut[at];
  if (first === undefined) throw new Error('no frame has a cursor');
  return { first, expected: uncut.slice(at) };
}

/** Reads what comes behind the first of these frames, byte by byte. */
async function readByBytes(connect: Connect, place: Place, expected: readonly Heard[], label: string): Promise<void> {
  const heard = expected.slice(0, 1);
  const hear = (one: Heard) => {
    heard.push(one);
    if (one.cursor === lastCursor(expected)) connection.end();
  };
  const connection = connect(place, expected[0]?.cursor ?? null, hear, byBytes);
  await connection.over;
  agreeWhole(heard, expected, label);
}

const lastCursor = (uncut: readonly Heard[]) => uncut.findLast(({ cursor }) => cursor !== null)?.cursor ?? null;

test('each protocol with clients is in the table', () => {
  const protocols = [...adapters.values()].filter(({ client }) => client !== undefined).map(({ id }) => id);
  expect([...new Set(dialects.map(({ frontend }) => frontend))].sort()).toEqual(protocols.sort());
  expect([...clientRoles.keys()].sort()).toEqual(protocols.sort());
  expect(agentRoles.has('demo')).toBe(true);
});

describe.each(dialects)('$name', (dialect) => {
  test('both transports say the same bytes under the same cursors, and a cursor of one is a cursor of the other', async () => {
    const rig = await start(dialect);
    await rig.run('think tool unicode');
    const { expected } = resumable(rig.uncut);
    for (const [at, connect] of [connectResumable, connectEvents, connectResumable].entries()) {
      const from = expected[at * 3];
      if (from === undefined) throw new Error('too few frames');
      expect(await readCut(connect, rig.place, [from]).until(lastCursor(rig.uncut))).toEqual(expected.slice(at * 3));
    }
  });

  test.each(transports)('behind frames of a run that is over: %s', async (transport, connect) => {
    const rig = await start(dialect);
    await rig.run('think tool unicode subagent');
    const { expected } = resumable(rig.uncut);
    const places = [...expected.slice(0, -1).entries()];
    for (const [at, { cursor }] of shareOf(places, transport === 'sse' ? 2 : 0, 4)) {
      const next: Heard[] = [];
      const connection = connect(rig.place, cursor, (heard) => {
        next.push(heard);
        connection.end();
      });
      await connection.over;
      expect(next[0]).toEqual(expected[at + 1]);
    }
  });

  test.each(transports)('at bytes of a small run: %s', { timeout: 600_000 }, async (transport, connect) => {
    const rig = await start(dialect);
    await rig.run('hello');
    const { expected } = resumable(rig.uncut);
    const whole = () => Number.POSITIVE_INFINITY;
    // Whichever byte is the last one, the client has the frames up to there and nothing of the next.
    await readByBytes(connect, rig.place, expected, transport);
    await readRest(connect, rig.place, expected, 1, transport);
    // The same frames may come in fewer chunks, which are fewer bytes: not every place is one in every connection.
    const places = bytesOf(rig.proxy.passed);
    const budgets = places.values();
    rig.proxy.budget = () => budgets.next().value ?? whole();
    const known = await forEach(places, () => readOnce(connect, rig.place, expected, transport));
    rig.proxy.budget = whole;
    // Who has the same frames comes back in the same way.
    await forEach([...new Set(known)], (count) => readRest(connect, rig.place, expected, count, transport));
    const over = rig.proxy.cuts;
    expect(over).toBeGreaterThan(places.length / 2);

    /** A run that is read, while it goes on, by clients which are cut at these places. */
    async function runCut(at: readonly number[]): Promise<void> {
      const from = rig.uncut.findLastIndex(({ cursor }) => cursor !== null);
      const rest = at.values();
      rig.proxy.budget = () => rest.next().value ?? whole();
      const readers = at.map(() => readCut(connect, rig.place, rig.uncut.slice(from, from + 1)));
      await Promise.all(readers.map(({ opened }) => opened));
      await rig.run('hello');
      const told = rig.uncut.slice(from);
      for (const reader of readers) agreeWhole(await reader.until(lastCursor(rig.uncut)), told, transport);
    }
    await runCut([whole()]);
    const livePlaces = bytesOf(rig.proxy.passed);
    for (let at = 0; at < livePlaces.length; at += atOnce) await runCut(livePlaces.slice(at, at + atOnce));
    const live = rig.proxy.cuts - over;
    expect(live).toBeGreaterThan(livePlaces.length / 2);
    report(
      `${dialect.name} over ${transport}: ${over} cuts at ${places.length} bytes of a run that is over, ` +
        `${live} at ${livePlaces.length} of one that goes on, all equal`,
    );
  });

  test.each(transports)('while the agent speaks: %s', async (transport, connect) => {
    const rig = await start(dialect);
    await rig.run('hello');
    const { first } = resumable(rig.uncut);
    const random = numbers(dialect.name.length);
    // Some connections do not even get their handshake; some live for many frames.
    rig.proxy.budget = () => Math.floor(random() ** 3 * 12_000);
    const reader = readCut(connect, rig.place, [first]);
    while (rig.proxy.cuts < wanted) await rig.run('think tool unicode slow 1 long 40');
    agreeWhole(await reader.until(lastCursor(rig.uncut)), resumable(rig.uncut).expected, transport);
    report(`${dialect.name} over ${transport}: ${rig.proxy.cuts} cuts at any byte while the agent speaks, all equal`);
  });
});
