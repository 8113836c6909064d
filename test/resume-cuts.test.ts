// Connections that are cut anywhere and come back: a run that is over and one that goes on, each dialect, over a
// WebSocket and over server-sent events. What such a client has heard in the end are the bytes that a client hears which
// nobody cuts (docs/protocols/resume.md 6; docs/faults.md F13).
import { afterEach, describe, expect, test } from 'vitest';
import { adapters } from '../src/adapters/index.ts';
import { parseConfig } from '../src/config/config.ts';
import { within } from '../src/conformance/bounded-wait.ts';
import { owner } from '../src/core/contract/principal.ts';
import { createGateway } from '../src/gateway/full-gateway.ts';
import { listen } from '../src/transports/http/server.ts';
import { agentRoles } from './support/agent-roles.ts';
import { type ByteProxy, createByteProxy } from './support/byte-proxy.ts';
import { clientRoles, type Hear } from './support/client-roles.ts';
import { type Dialect, dialects, numbers, readCut, transports } from './support/cut-readers.ts';
import { isFull, shareOf } from './support/full.ts';
import { connectEvents, connectResumable, type Heard, type Place } from './support/resuming-readers.ts';

/** Cuts of each kind for each dialect and transport; 2,000 in all. */
const wanted = isFull ? 1000 : 16;

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
  const agents = { demo: { protocol: 'demo', options: { paceMs: 0 } } };
  const gateway = createGateway(parseConfig({ agents, defaultAgent: 'demo' }), { log: () => {} });
  const proxy = await createByteProxy(() => server.port);
  const server = await listen({ board: gateway.board, allowedHosts: [`127.0.0.1:${proxy.port}`] });
  disposals.push(
    () => gateway.close('the test is over'),
    () => server.close(),
    () => proxy.close(),
  );
  const session = gateway.board.createSession({}, owner).id;
  const place = { port: proxy.port, token: server.token ?? '', frontend, session, options };

  const uncut: Heard[] = [];
  const watchers = new Set<() => void>();
  const reader = connectResumable({ ...place, port: server.port }, null, (heard) => {
    uncut.push(heard);
    for (const watcher of [...watchers]) watcher();
  });
  disposals.push(() => reader.end());

  const role = clientRoles.get(frontend);
  if (role === undefined) throw new Error(`no client of ${frontend}`);
  const { prompt, greet, isOver, isAnswered = () => true } = role;
  const frames = () => uncut.map(({ frame }) => frame);
  const hear: Hear = (label, isEnough) => within(label, watchers, () => (isEnough(frames()) ? frames() : undefined));
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

  test.each(transports)('at bytes of a run that is over: %s', async (_, connect) => {
    const rig = await start(dialect);
    await rig.run('think tool unicode');
    const { first, expected } = resumable(rig.uncut);
    const last = lastCursor(rig.uncut);
    expect(await readCut(connect, rig.place, [first]).until(last)).toEqual(expected);
    const size = rig.proxy.passed;
    for (let cut = 0; cut < wanted; cut += 1) {
      const budgets = [Math.floor((cut * size) / wanted)];
      rig.proxy.budget = () => budgets.pop() ?? Number.POSITIVE_INFINITY;
      expect(await readCut(connect, rig.place, [first]).until(last)).toEqual(expected);
    }
    expect(rig.proxy.cuts).toBe(wanted);
  });

  test.runIf(isFull).each(transports)('at every byte of a small run: %s', async (_, connect) => {
    const rig = await start(dialect);
    await rig.run('hello');
    const { first, expected } = resumable(rig.uncut);
    const last = lastCursor(rig.uncut);
    expect(await readCut(connect, rig.place, [first]).until(last)).toEqual(expected);
    const size = rig.proxy.passed;
    for (let cut = 0; cut < size; cut += 1) {
      const budgets = [cut];
      rig.proxy.budget = () => budgets.pop() ?? Number.POSITIVE_INFINITY;
      expect(await readCut(connect, rig.place, [first]).until(last)).toEqual(expected);
    }
    expect(rig.proxy.cuts).toBe(size);
  });

  test.each(transports)('while the agent speaks: %s', async (_, connect) => {
    const rig = await start(dialect);
    await rig.run('hello');
    const { first } = resumable(rig.uncut);
    const random = numbers(dialect.name.length);
    // Some connections do not even get their handshake; some live for many frames.
    rig.proxy.budget = () => Math.floor(random() ** 3 * 12_000);
    const reader = readCut(connect, rig.place, [first]);
    while (rig.proxy.cuts < wanted) await rig.run('think tool unicode slow 1 long 40');
    expect(await reader.until(lastCursor(rig.uncut))).toEqual(resumable(rig.uncut).expected);
  });
});
