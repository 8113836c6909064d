// The sessions that the page can open again: those of the store, and those that the gateway or its agents keep as files.
import type { KeptSession } from '../../core/contract/gateway/inspector-api.ts';
import type { Principal } from '../../core/contract/principal.ts';
import type { SessionStore } from '../../core/contract/store/session-store.ts';
import type { Hub } from '../../core/session/hub.ts';
import { refusalFor } from '../rights.ts';
import { sessionPage } from '../sessions/session-pages.ts';
import type { StoredSessions } from '../stored/stored-sessions.ts';

/** Where sessions are kept, and which of them are open. */
export interface KeptSessionPorts {
  readonly hub: Hub;
  /** Null: sessions are in no store. */
  readonly store: Pick<SessionStore, 'list'> | null;
  readonly stored: Pick<StoredSessions, 'list'>;
}

/** Most sessions of the list. */
const most = 100;
/** Sessions of one page of the store, and most pages: a store is read in the order of its ids. */
const perPage = 500;
const mostPages = 10;

/** See InspectorApi. A session that a store and a file keep is listed once. */
export async function keptSessions(
  principal: Principal,
  { hub, store, stored }: KeptSessionPorts,
): Promise<readonly KeptSession[]> {
  const kept = new Map<string, KeptSession>();
  let after: string | null = null;
  for (let page = 0; store !== null && page < mostPages; page += 1) {
    const { sessions, next } = await sessionPage({ limit: perPage, after }, principal, { hub, store });
    for (const { id, agent, state, createdAt: at, name, firstWords } of sessions)
      if (state === 'stored') kept.set(id, { id, agent, at, ...wordsOf(name, firstWords) });
    if (next === undefined) break;
    after = next;
  }
  if (refusalFor(principal, { type: 'list-stored-sessions' }) === null) {
    const open = hub.list();
    const files = new Map(open.flatMap(({ session: { id, transcript } }) => pairOf(transcript.info.file, id)));
    const isOpen = new Set(open.map(({ session }) => session.id));
    for (const { id, file, name, firstWords, modifiedAt, createdAt } of stored.list(files)) {
      if (file === undefined || isOpen.has(id)) continue;
      const at = modifiedAt ?? createdAt;
      const words = { ...wordsOf(name, firstWords), ...(at && { at }) };
      const known = kept.get(id);
      kept.set(id, known === undefined ? { id, file, ...words } : { ...known, ...words });
    }
  }
  return [...kept.values()].sort((a, b) => ((a.at ?? '') < (b.at ?? '') ? 1 : -1)).slice(0, most);
}

function wordsOf(name: string | undefined, firstWords: string | undefined): Pick<KeptSession, 'name' | 'firstWords'> {
  return { ...(name && { name }), ...(firstWords && { firstWords }) };
}

function pairOf(file: string | undefined, id: string): [string, string][] {
  return file === undefined ? [] : [[file, id]];
}
