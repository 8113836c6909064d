// Clients of a `patchbay serve --journal` that is killed and started again: they go on behind their cursors, byte for byte.
import { once } from 'node:events';
import { expect } from 'vitest';
import { within } from '../../src/conformance/bounded-wait.ts';
import type { GatewayServer } from './gateway.ts';
import { type Connection, connectEvents, connectResumable, type Heard } from './resuming-readers.ts';

const transports = { ws: connectResumable, sse: connectEvents };
const dialects = ['pi', 'claude'] as const;
export const isOver = ({ frame }: Heard) => /"type":"(agent_end|result)"/u.test(frame);
/** Answers to commands are in no record. */
const isAnswer = ({ frame }: Heard) => frame.startsWith('{"type":"response"') || /"command":"get_state"/u.test(frame);

export interface Listener {
  readonly name: string;
  readonly heard: readonly Heard[];
  readonly connection: Connection;
  /** Resolves as soon as that has been heard. */
  until(isSo: (heard: readonly Heard[]) => boolean, label: string): Promise<void>;
  /** The same place on another server. */
  again(server: GatewayServer, cursor: string | null): Listener;
}

/** Connects a client to a session. */
export function listen(
  server: GatewayServer,
  session: string,
  transport: keyof typeof transports,
  frontend: string,
  cursor: string | null = null,
): Listener {
  const heard: Heard[] = [];
  const watchers = new Set<() => void>();
  const place = { port: Number(new URL(server.url).port), token: server.token, frontend, session, options: '' };
  const connection = transports[transport](place, cursor, (one) => {
    heard.push(one);
    for (const watcher of watchers) watcher();
  });
  const name = `${frontend} over ${transport}`;
  const said = () => `\n${heard.map(({ frame }) => frame.slice(0, 200)).join('\n')}`;
  return {
    name,
    heard,
    connection,
    until: async (isSo, label) =>
      void (await within(`${label} (${name})`, watchers, () => (isSo(heard) ? true : undefined), said)),
    again: (next, at) => listen(next, session, transport, frontend, at),
  };
}

/** A client of each dialect over each transport. */
export const listenAll = (server: GatewayServer, session: string): Listener[] =>
  dialects.flatMap((dialect) => [listen(server, session, 'ws', dialect), listen(server, session, 'sse', dialect)]);

/** Posts a frame to the session. With a key, the answer comes once everything before is on disk. */
export async function post(server: GatewayServer, session: string, frontend: string, frame: object, key?: string) {
  const headers = {
    ...server.headers,
    'content-type': 'application/json',
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  const answer = await fetch(`${server.url}/v1/${frontend}/sessions/${session}/frames`, {
    method: 'POST',
    headers,
    body: JSON.stringify(frame),
  });
  expect(await answer.json(), `${answer.status}`).toEqual({ accepted: 1 });
}

export async function kill({ child }: GatewayServer): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** A run that is open when the gateway is killed. */
export interface OpenRun {
  readonly session: string;
  readonly prompt: string;
  /** A frame of pi's dialect that shows the moment of the kill. It lasts until somebody does something. */
  readonly shownBy: RegExp;
  /** Nothing was said in this session before. */
  readonly isNew: boolean;
}

/** The clients of a run, and what is on disk of it for each. */
export interface Clients {
  readonly listeners: readonly Listener[];
  readonly kept: readonly (readonly Heard[])[];
}

/** Prompts, and waits until all clients have heard the moment and what they have heard is on disk. */
async function reach(server: GatewayServer, { session, prompt, shownBy, isNew }: OpenRun): Promise<Clients> {
  const listeners = listenAll(server, session);
  const haveCursors = () =>
    Promise.all(listeners.map((one) => one.until((heard) => heard.some(({ cursor }) => cursor !== null), 'a cursor')));
  // What came before is not to be taken for the moment. A new session has no place yet.
  if (!isNew) await haveCursors();
  const begun = listeners.map(({ heard }) => heard.length);
  const since = (one: Listener) => one.heard.slice(begun[listeners.indexOf(one)]);
  await post(server, session, 'pi', { type: 'prompt', message: prompt }, `prompt-${session}`);
  await Promise.all(
    listeners
      .filter((one) => one.name.startsWith('pi'))
      .map((one) => one.until(() => since(one).some(({ frame }) => shownBy.test(frame)), `the moment of: ${prompt}`)),
  );
  await haveCursors();
  // What was heard until now is on disk when this is answered.
  const kept = listeners.map((one) => one.heard.filter(({ cursor }) => cursor !== null));
  await post(server, session, 'pi', { type: 'get_state' }, `state-${session}`);
  expect(listeners.some((one) => since(one).some(isOver))).toBe(false);
  return { listeners, kept };
}

/** Clients go on from the first, a middle and the last cursor with the same frames, and hear the run end as interrupted. */
export async function goOn(next: GatewayServer, { listeners, kept }: Clients): Promise<void> {
  for (const [at, listener] of listeners.entries()) {
    const known = kept[at] ?? [];
    const suffixes = [0, known.length >> 1, known.length - 1].map(async (from) => {
      const resumed = listener.again(next, known[from]?.cursor ?? null);
      await resumed.until((heard) => heard.some(isOver), 'the end of the run');
      resumed.connection.end();
      const heard = await resumed.connection.over;
      // More may have come with it.
      const all = heard.slice(0, 1 + heard.findIndex(isOver));
      const expected = known.slice(from + 1).filter((one) => !isAnswer(one));
      expect(all.slice(0, expected.length), `${listener.name} from ${from}`).toEqual(expected);
      return all;
    });
    const [whole = [], ...later] = await Promise.all(suffixes);
    expect(whole.filter(({ frame }) => frame.includes('"type":"reset"'))).toEqual([]);
    for (const one of later) expect(whole.slice(whole.length - one.length)).toEqual(one);
    const end = whole.find(isOver)?.frame ?? '';
    if (listener.name.startsWith('claude')) expect(end).toContain('"is_error":true');
  }
}

/** Brings all these runs to their moments, kills the gateway and starts it again with `restart`. `clients`: of each run, for `goOn`. */
export async function killIn(
  runs: readonly OpenRun[],
  first: GatewayServer,
  restart: () => Promise<GatewayServer>,
): Promise<{ readonly next: GatewayServer; readonly clients: readonly Clients[] }> {
  const clients = await Promise.all(runs.map((run) => reach(first, run)));
  await kill(first);
  await Promise.all(clients.flatMap(({ listeners }) => listeners.map(({ connection }) => connection.over)));
  return { next: await restart(), clients };
}
