// The sessions of a gateway in pages: open and stored ones, each once, in the order of their ids.
import { describe, expect, test } from 'vitest';
import { owner, type Principal } from '../../src/core/contract/principal.ts';
import type { SessionStore, StoredHead } from '../../src/core/contract/store/session-store.ts';
import type { HubEntry } from '../../src/core/session/hub.ts';
import { sessionPage } from '../../src/gateway/sessions/session-pages.ts';

const createdAt = '2026-01-01T00:00:00.000Z';

const entryOf = (id: string, principal = 'owner', agent = 'demo') =>
  ({ session: { id, state: 'idle', readers: 1 }, agent, createdAt, principal }) as unknown as HubEntry;
const headOf = (session: string, principal = 'owner', agent = 'demo'): StoredHead => ({
  session,
  agent,
  createdAt,
  principal,
});

function portsOf(open: readonly HubEntry[], heads: readonly StoredHead[] | null) {
  const store: Pick<SessionStore, 'list'> = {
    list: async (after, limit) =>
      (heads ?? []).filter(({ session }) => after === null || session > after).slice(0, limit),
  };
  return { hub: { list: () => open }, store: heads === null ? null : store };
}

/** All pages, as `id:state`, and their lengths. */
async function pages(limit: number, ports: ReturnType<typeof portsOf>, principal: Principal = owner) {
  const shown: string[] = [];
  const lengths: number[] = [];
  for (let after: string | null = null; ; ) {
    const { sessions, next } = await sessionPage({ limit, after }, principal, ports);
    shown.push(...sessions.map(({ id, state }) => `${id}:${state}`));
    lengths.push(sessions.length);
    expect(sessions.length).toBeLessThanOrEqual(limit);
    if (next === undefined) return { shown, lengths };
    expect(after === null || next > after).toBe(true);
    after = next;
  }
}

const open = ['b', 'e', 'a', 'z'].map((id) => entryOf(id));
const heads = ['a', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => headOf(id));
const every = ['a:idle', 'b:idle', 'c:stored', 'd:stored', 'e:idle', 'f:stored', 'g:stored', 'h:stored', 'z:idle'];

describe('pages of', () => {
  test.each([1, 2, 3, 4, 7, 8, 9, 100])('at most %i show each session once, in order', async (limit) => {
    expect((await pages(limit, portsOf(open, heads))).shown).toEqual(every);
  });

  test.each([1, 3, 4, 100])('at most %i show the open sessions where nothing is stored', async (limit) => {
    expect((await pages(limit, portsOf(open, null))).shown).toEqual(['a:idle', 'b:idle', 'e:idle', 'z:idle']);
  });

  test('a store with a session that is open: the open one counts', async () => {
    expect((await pages(10, portsOf([entryOf('a')], [headOf('a')]))).shown).toEqual(['a:idle']);
  });
});

test('a token sees what it reaches, and no other session, open or stored', async () => {
  const guest: Principal = { name: 'guest', role: 'controller', agents: new Set(['demo']), sessions: 'own' };
  const ports = portsOf(
    [entryOf('a', 'guest'), entryOf('b'), entryOf('c', 'guest', 'pi'), entryOf('y', 'guest')],
    [headOf('b', 'guest'), headOf('d'), headOf('e', 'guest', 'pi'), headOf('f', 'guest')],
  );
  expect((await pages(1, ports, guest)).shown).toEqual(['a:idle', 'f:stored', 'y:idle']);
});

test('a head that cannot be read is left out', async () => {
  expect((await pages(2, portsOf([], [{ session: 'a' }, headOf('b')]))).shown).toEqual(['b:stored']);
});
