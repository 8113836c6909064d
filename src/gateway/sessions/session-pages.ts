// The sessions of a gateway in pages: open ones and, beside them, those that its store keeps.
import { z } from 'zod';
import type { OpenSession, SessionPage, SessionPageRequest } from '../../core/contract/gateway/gateway-api.ts';
import { type Principal, reaches } from '../../core/contract/principal.ts';
import type { SessionStore, StoredHead } from '../../core/contract/store/session-store.ts';
import type { Hub } from '../../core/session/hub.ts';
import { SessionTitle } from '../stored/session-title.ts';
import { restSummaryOf } from './session-summary.ts';

/** What pages need from the gateway. */
export interface SessionPagePorts {
  readonly hub: Pick<Hub, 'list'>;
  readonly store: Pick<SessionStore, 'list'> | null;
}

/** What a page reads of a stored session. */
const Head = z.looseObject({
  session: z.string(),
  agent: z.string(),
  createdAt: z.string(),
  principal: z.string(),
  ...SessionTitle.shape,
});

/**
 * The part of the sessions that the principal reaches, in the order of their ids. A page asks the store once: stored
 * sessions out of the principal's reach leave a shorter page.
 */
export async function sessionPage(
  { limit, after }: SessionPageRequest,
  principal: Principal,
  { hub, store }: SessionPagePorts,
): Promise<SessionPage> {
  const heads = (await store?.list(after, limit)) ?? [];
  const all = hub.list();
  const open = all.filter(({ session: { id } }) => after === null || id > after);
  const isOpen = new Set(all.map(({ session }) => session.id));
  // Behind the last head of a full list the store may have more.
  const end = heads.length < limit ? null : (heads.at(-1)?.session ?? null);
  const shown = [
    ...open.filter((entry) => reaches(principal, entry)).map(restSummaryOf),
    ...heads.flatMap((head) => (isOpen.has(head.session) ? [] : storedSummaryOf(head, principal))),
  ]
    .filter(({ id }) => end === null || id <= end)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const sessions = shown.slice(0, limit);
  const next = shown.length > limit ? sessions.at(-1)?.id : (end ?? undefined);
  return { sessions, ...(next === undefined ? {} : { next }) };
}

function storedSummaryOf(head: StoredHead, principal: Principal): OpenSession[] {
  const { data } = Head.safeParse(head);
  if (data === undefined || !reaches(principal, data)) return [];
  const { session: id, agent, createdAt, name, firstWords } = data;
  return [{ id, agent, state: 'stored', createdAt, clients: 0, name, firstWords }];
}
