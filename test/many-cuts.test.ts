// Many sessions over one connection that is cut anywhere, also across a restart of the gateway on its journal: each session goes on
// behind its own cursor with the bytes that a client hears which nobody cuts (docs/protocols/resume.md 3.4, 6.1).
import { afterEach, describe, expect, test } from 'vitest';
import { within } from '../src/conformance/bounded-wait.ts';
import { owner } from '../src/core/contract/principal.ts';
import { clientRoles } from './support/client-roles.ts';
import { type CutGateway, runUntilQuestion, startCutGateway } from './support/cut-gateway.ts';
import { agree, dialects, forEach, numbers, placesIn, report } from './support/cut-readers.ts';
import { isFull } from './support/full.ts';
import { type BySession, readSessions } from './support/many-readers.ts';
import { createMortalJournal } from './support/mortal-journal.ts';
import type { Heard } from './support/resuming-readers.ts';
import { readAll } from './support/told-frames.ts';

/** Cuts of each kind for each dialect. */
const wanted = isFull ? 1000 : 4;
/** Clients of runs that go on. */
const atOnce = isFull ? 8 : 2;
const sessions = ['a', 'b', 'c'] as const;
/** The dialects whose connections carry many sessions. */
const many = dialects.filter(({ frontend }) => ['pi-server', 'eca', 'acp', 'canonical'].includes(frontend));

const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

async function start(store?: Parameters<typeof startCutGateway>[0]): Promise<CutGateway> {
  const gateway = await startCutGateway(store);
  disposals.push(gateway.dispose);
  return gateway;
}

const forSessions = <Value>(make: (session: string) => Value): BySession<Value> =>
  new Map(sessions.map((session) => [session, make(session)]));

/** From the first frame with a cursor on. */
const resumable = (told: readonly Heard[]) => told.slice(told.findIndex(({ cursor }) => cursor !== null));

const ends = (all: BySession<readonly Heard[]>): BySession<string> =>
  new Map([...all].map(([session, heard]) => [session, heard.at(-1)?.cursor ?? '']));

function agreeAll(all: BySession<readonly Heard[]>, expected: BySession<readonly Heard[]>): void {
  for (const [session, heard] of all) agree(heard, expected.get(session) ?? [], session);
}

function agreeWhole(all: BySession<readonly Heard[]>, expected: BySession<readonly Heard[]>): void {
  agreeAll(all, expected);
  expect(ends(all)).toEqual(ends(expected));
}

/** Resolves once a run in each session is over that was begun at the same time. */
type RunAll = (words: string) => Promise<void>;

function createRunAll({ board }: CutGateway): RunAll {
  const watchers = new Set<() => void>();
  const wake = () => {
    for (const watcher of [...watchers]) watcher();
  };
  const events = forSessions((session) =>
    readAll(board, { frontend: 'canonical', session, options: {}, principal: owner }, null, wake),
  );
  const runsOf = (session: string) =>
    events.get(session)?.filter(({ frame }) => frame.includes('"type":"run-end"')).length;
  let runs = 0;
  return async (words) => {
    runs += 1;
    const posts = sessions.map((session, at) => {
      const bytes = Buffer.from(clientRoles.get('pi')?.prompt(`${words} long ${10 + at}`) ?? '');
      return board.post({ frontend: 'pi', session, options: {}, principal: owner }, [{ bytes }]);
    });
    await Promise.all(posts);
    await within('all runs', watchers, () => sessions.every((session) => runsOf(session) === runs) || undefined);
  };
}

describe.each(many)('$name', ({ name, frontend, options }) => {
  const request = (session: string) => ({ frontend, session, options: {}, principal: owner });
  const placeOf = ({ proxy, token }: CutGateway) => ({ port: proxy.port, token, frontend, options });

  test('sessions whose runs are over, and sessions whose runs go on', async () => {
    const gateway = await start();
    for (const id of sessions) gateway.board.createSession({ id }, owner);
    const told = forSessions((session) => readAll(gateway.board, request(session), null));
    const runAll = createRunAll(gateway);
    await runAll('tool');
    const before = forSessions((session) => resumable(told.get(session) ?? []));
    const first = forSessions((session) => (before.get(session) ?? []).slice(0, 1));

    const { proxy } = gateway;
    const place = placeOf(gateway);
    agreeWhole(await readSessions(place, first).until(ends(before)), before);
    const places = placesIn(proxy.passed, wanted);
    const budgets = places.values();
    proxy.budget = () => budgets.next().value ?? Number.POSITIVE_INFINITY;
    const known = await forEach(places, () => readSessions(place, first, false).until(ends(before)));
    for (const one of known) agreeAll(one, before);
    await forEach(known, async (one) => agreeWhole(await readSessions(place, one).until(ends(before)), before));
    const cutBefore = proxy.cuts;
    expect(cutBefore).toBeGreaterThan(wanted / 2);

    const random = numbers(frontend.length);
    proxy.budget = () => Math.floor(random() ** 2 * 30_000);
    const readers = Array.from({ length: atOnce }, () => readSessions(place, first));
    while (proxy.cuts < cutBefore + wanted) await runAll('tool slow 1');
    const after = forSessions((session) => resumable(told.get(session) ?? []));
    for (const reader of readers) agreeWhole(await reader.until(ends(after)), after);
    report(`${name}, ${sessions.length} sessions on a connection: ${proxy.cuts} cuts, all equal`);
  });

  test('a gateway that begins again on the journal', async () => {
    const journal = await createMortalJournal();
    disposals.push(journal.dispose);
    const first = await start(journal.store);
    for (const id of sessions) first.board.createSession({ id }, owner);
    const told = forSessions((session) => readAll(first.board, request(session), null));
    await Promise.all(sessions.map((session) => runUntilQuestion(first.board, session, frontend)));
    const before = forSessions((session) => resumable(told.get(session) ?? []));
    const begin = forSessions((session) => (before.get(session) ?? []).slice(0, 1));
    agreeWhole(await readSessions(placeOf(first), begin).until(ends(before)), before);
    const places = placesIn(first.proxy.passed, wanted);
    const budgets = places.values();
    first.proxy.budget = () => budgets.next().value ?? Number.POSITIVE_INFINITY;
    const known = await forEach(places, () => readSessions(placeOf(first), begin, false).until(ends(before)));
    for (const one of known) agreeAll(one, before);

    const second = await start(await journal.next());
    // The attach messages of this client wake all sessions at once.
    const waking = readSessions(placeOf(second), known[0] ?? begin);
    await waking.until(ends(before));
    const whole = new Map(
      [...before].map(([session, heard]) => {
        const later = readAll(second.board, request(session), heard.at(-1)?.cursor ?? null);
        return [session, [...heard, ...later]] as const;
      }),
    );
    for (const [session, heard] of whole)
      expect(heard.length, session).toBeGreaterThan(before.get(session)?.length ?? 0);

    const random = numbers(frontend.length);
    let isWhole = true;
    second.proxy.budget = () => {
      isWhole = !isWhole;
      return isWhole ? Number.POSITIVE_INFINITY : Math.floor(random() ** 2 * 30_000);
    };
    await forEach(known, async (one) => agreeWhole(await readSessions(placeOf(second), one).until(ends(whole)), whole));
    report(`${name}, ${sessions.length} sessions across a restart: ${wanted} and ${second.proxy.cuts} cuts, all equal`);
  });
});
