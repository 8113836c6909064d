// The gateway behind the page: login, its own path, and requests below it. The cookie goes along by itself.
import { signal } from '@preact/signals';
import type { InspectorState, KeptSession, LossPage } from '../../core/contract/gateway/inspector-api.ts';
import type { WireCell, WirePage, WireRow } from '../../core/contract/gateway/wire-rows.ts';

/** `path`: where the routes of this login are, `/i/…/`. `problem`: why the form is shown again. */
export type Login =
  | { readonly is: 'out'; readonly problem: string | null }
  | { readonly is: 'entering' }
  | { readonly is: 'in'; readonly path: string };

export const login = signal<Login>({ is: 'entering' });
/** The gateway has not answered the last question. */
export const isSilent = signal(false);
/** Sessions that can be opened again; null: nobody has told yet. */
export const kept = signal<readonly KeptSession[] | null>(null);
export const gateway = signal<InspectorState>({ version: '', agents: [], sessions: [], dialects: [] });

const pathName = 'patchbay-path';

/** Goes on with the login of before, or takes the code of the address. */
export async function enter(): Promise<void> {
  const parts = new URLSearchParams(location.hash.slice(1));
  const code = parts.get('code');
  if (code !== null) {
    parts.delete('code');
    history.replaceState(null, '', parts.size === 0 ? location.pathname : `#${parts}`);
    if (await logIn({ code })) return;
  }
  const path = sessionStorage.getItem(pathName);
  if (path !== null && (await isWelcome(path))) return;
  const problem =
    code === null
      ? null
      : 'This link was used before or has expired. Start the gateway again for a new one, or enter its token.';
  login.value = { is: 'out', problem };
}

async function isWelcome(path: string): Promise<boolean> {
  login.value = { is: 'in', path };
  return (await refresh()) === 'told';
}

/** Logs in with a code or a token; false: refused. */
export async function logIn(secret: { readonly code: string } | { readonly token: string }): Promise<boolean> {
  login.value = { is: 'entering' };
  const answer = await fetch('/inspector/login', { method: 'POST', headers: json, body: JSON.stringify(secret) }).catch(
    () => null,
  );
  if (answer?.ok !== true) {
    const why =
      answer === null
        ? 'The gateway does not answer.'
        : answer.status === 429
          ? 'Too many attempts. Wait a minute.'
          : 'The gateway refused this token.';
    login.value = { is: 'out', problem: why };
    return false;
  }
  const { path } = (await answer.json()) as { path: string };
  sessionStorage.setItem(pathName, path);
  return isWelcome(path);
}

export function signedOut(problem: string | null): void {
  sessionStorage.removeItem(pathName);
  login.value = { is: 'out', problem };
}

export async function logOut(): Promise<void> {
  await ask('logout', { method: 'POST' }).catch(() => null);
  signedOut(null);
}

const json = { 'content-type': 'application/json' };

function ask(route: string, init?: RequestInit): Promise<Response> {
  const { value } = login;
  if (value.is !== 'in') return Promise.reject(new Error('signed out'));
  return fetch(`${value.path}${route}`, init);
}

/** Asks for the state of the gateway. `gone`: the login counts no more. `silent`: no answer. */
export async function refresh(): Promise<'told' | 'gone' | 'silent'> {
  const answer = await ask('state').catch(() => null);
  isSilent.value = answer === null;
  if (answer === null) return 'silent';
  if (answer.status === 401 || answer.status === 403 || answer.status === 404) {
    signedOut('You were signed out.');
    return 'gone';
  }
  if (!answer.ok) return 'silent';
  const before = openIds();
  gateway.value = (await answer.json()) as InspectorState;
  // A session that was closed may be kept.
  if (kept.value === null || openIds() !== before) await refreshKept();
  return 'told';
}

const openIds = () => gateway.value.sessions.map(({ id }) => id).join(' ');

async function refreshKept(): Promise<void> {
  const answer = await ask('kept').catch(() => null);
  if (answer?.ok === true) kept.value = ((await answer.json()) as { sessions: readonly KeptSession[] }).sessions;
}

/** The text of a refusal. */
async function problemOf(answer: Response): Promise<Error> {
  const body = await answer.json().catch(() => null);
  const { error } = (body ?? {}) as { error?: { message?: string } | string };
  return new Error((typeof error === 'string' ? error : error?.message) ?? `the gateway answered ${answer.status}`);
}

async function posted<Answer>(route: string, init: RequestInit): Promise<Answer> {
  const answer = await ask(route, { method: 'POST', ...init });
  if (!answer.ok) throw await problemOf(answer);
  return (await answer.json()) as Answer;
}

/** Opens a session with an agent, or the one of a file, and gives its id. */
export async function openSession(request: { readonly agent?: string; readonly resume?: string }): Promise<string> {
  const { session } = await posted<{ session: string }>('sessions', { headers: json, body: JSON.stringify(request) });
  await refresh();
  return session;
}

/** How tapes are played: how fast, a fault each line, and what their chance depends on. */
export const tapePlay = signal({ speed: '1', text: '', seed: '' });

/** Opens a tape as a session that replays it, as it is asked for. */
export async function openTape(file: Blob): Promise<string> {
  const { speed, text, seed } = tapePlay.value;
  const query = new URLSearchParams({ speed, seed: seed.trim() || '0' });
  for (const line of text.split('\n')) if (line.trim() !== '') query.append('fault', line.trim());
  const { session } = await posted<{ session: string }>(`tape?${query}`, {
    headers: { 'content-type': 'application/x-ndjson' },
    body: file,
  });
  await refresh();
  return session;
}

/** Whether the session plays a tape that a page has opened. Its agent has the session's name. */
export function isTape(session: string): boolean {
  return gateway.value.sessions.some(({ id, agent }) => id === session && agent === id);
}

/** Ends the session of a tape that a page has opened. */
export async function closeTape(session: string): Promise<void> {
  await ask(`tape?session=${encodeURIComponent(session)}`, { method: 'DELETE' }).catch(() => null);
  await refresh();
}

/** The session as a tape. */
export async function tapeOf(session: string): Promise<Blob> {
  const answer = await ask(`tape?session=${encodeURIComponent(session)}`);
  if (!answer.ok) throw await problemOf(answer);
  return answer.blob();
}

/** Rows of the wire from that one on. */
export async function wireOf(
  session: string,
  from: number,
  to: number,
  dialects: readonly string[],
): Promise<WirePage> {
  const query = new URLSearchParams({ session, from: String(from), to: String(to), dialects: dialects.join(',') });
  const answer = await ask(`wire?${query}`);
  if (!answer.ok) throw await problemOf(answer);
  return (await answer.json()) as WirePage;
}

/** What a dialect could not say, from that row on. */
export async function lossesOf(session: string, dialect: string, from: number): Promise<LossPage> {
  const answer = await ask(`wire/losses?${new URLSearchParams({ session, dialect, from: String(from) })}`);
  if (!answer.ok) throw await problemOf(answer);
  return (await answer.json()) as LossPage;
}

/** More of a cell that was cut: the text from that character on. `column`: `from`, `to` or a dialect. */
export async function cellOf(
  session: string,
  { row, part }: Pick<WireRow, 'row' | 'part'>,
  column: string,
  index: number,
  at: number,
): Promise<WireCell> {
  const place = { row: String(row), part: String(part), index: String(index), at: String(at) };
  const query = new URLSearchParams({ session, column, ...place });
  const answer = await ask(`wire/cell?${query}`);
  if (!answer.ok) throw await problemOf(answer);
  return (await answer.json()) as WireCell;
}

let rules: Promise<Readonly<Record<string, string>>> | null = null;

/** The text of a numbered rule, e.g. `docs/limits.md 5.2`; null if there is none. */
export async function ruleText(rule: string): Promise<string | null> {
  rules ??= fetch('/inspector/rules.json').then(
    (answer) => (answer.ok ? answer.json() : {}),
    () => ({}),
  );
  return (await rules)[rule] ?? null;
}

/** The address of the page's WebSocket. */
export function socketUrl(path: string): string {
  return new URL(`${path}socket`, location.href.replace(/^http/u, 'ws')).href;
}
