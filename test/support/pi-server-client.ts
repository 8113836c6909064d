// A small client of pi-server over each of its transports: commands with their answers, the course of commands, what
// sessions say. It keeps every frame in the order of the wire, for the judge. Knows the protocol and no agent.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { dictionaryOf } from '../../src/core/model/dictionary.ts';
import { type Client, connectSse } from './clients.ts';
import { type GatewayServer, stopProcess } from './gateway.ts';
import { createInbox, type Frame } from './inbox.ts';
import { judgedPiServer, type PiServerConnection, type PiServerSaid } from './judged.ts';

/** The answer to a command (docs/protocols/pi-server.md 5). */
export const Response = z.looseObject({
  type: z.literal('response'),
  command: z.string(),
  success: z.boolean(),
  id: z.string().optional(),
  error: z.string().optional(),
  data: z.unknown().optional(),
  sessionVersion: z.number().optional(),
  replayed: z.literal(true).optional(),
  timedOut: z.literal(true).optional(),
});
export type Response = z.infer<typeof Response>;

const Course = z.looseObject({
  type: z.enum(['command_accepted', 'command_started', 'command_finished']),
  data: z.looseObject({
    commandId: z.string(),
    commandType: z.string(),
    sessionId: z.string().optional(),
    dependsOn: z.array(z.string()),
    ifSessionVersion: z.number().optional(),
    idempotencyKey: z.string().optional(),
    success: z.boolean().optional(),
    error: z.string().optional(),
    sessionVersion: z.number().optional(),
    replayed: z.literal(true).optional(),
  }),
});
/** How far a command has come (docs/protocols/pi-server.md 6.2, 7.5). */
export type Course = z.infer<typeof Course>;

/** That frame as one about the course of a command, or null. */
export const courseOf = (frame: Frame): Course | null =>
  /^command_(?:accepted|started|finished)$/u.test(frame.type) ? Course.parse(frame) : null;

const SessionEvent = z.looseObject({
  type: z.literal('event'),
  sessionId: z.string(),
  event: z.looseObject({ type: z.string() }),
});
/** What a session says. */
export type SessionEvent = z.infer<typeof SessionEvent>['event'];

/** Why a connection is over. */
export interface Ended {
  /** Of a WebSocket, or the exit code of a program. */
  readonly code: number | null;
  readonly reason: string;
}

/** A client with one connection. */
export interface PiServerClient extends Pick<Client, 'frames' | 'waitFor' | 'until' | 'send' | 'sendRaw' | 'close'> {
  /**
   * Sends a command, under an id of its own if it has none, and resolves with the answer that comes next under that id, once
   * what is told to all of the command has come as well.
   */
  ask(type: string, more?: Readonly<Record<string, unknown>>): Promise<Response>;
  /** … which must be a success; its data. */
  get(type: string, more?: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
  /** All answers under that id so far. */
  answers(id: string): Response[];
  /** The course of a command so far. */
  course(id: string): Course[];
  /** How many frames of that type have come. */
  count(type: string): number;
  /** All that a session has said to this client. */
  heard(session: string): SessionEvent[];
  /** What a session says first, from index `from` of all frames on. */
  hear(
    session: string,
    label: string,
    fits: string | ((event: SessionEvent) => boolean),
    from?: number,
  ): Promise<SessionEvent>;
  /** Opens a session and hears it from then on; its id. */
  open(session?: string, more?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Resolves when nothing can come any more. */
  readonly ended: Promise<Ended>;
  /** The line goes dead, without a word. */
  cut(): void;
  /** What the judge finds in all that was received. It was cut, or came late, if the options say so. */
  judge(options?: PiServerConnection): string[];
}

let commands = 0;

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The ids of the command that a frame is about, and of those that the command depends on. */
function idsIn(json: unknown): unknown[] {
  const { id, dependsOn, data } = dictionaryOf(json);
  const told = dictionaryOf(data);
  return [id, told.commandId, dependsOn, told.dependsOn].flat().filter((one) => one !== undefined);
}

/** All that was said of the commands of a frame, and of those that they depend on, with the places. */
function related(said: readonly PiServerSaid[], at: number): string[] {
  const direct = new Set(idsIn(said[at]?.json));
  const named = said.map(({ json }) => idsIn(json));
  const ids = new Set(named.filter(([own]) => direct.has(own)).flat());
  return said.flatMap(({ by, json }, place) =>
    ids.has(named[place]?.[0]) ? [`  ${place} ${by} ${JSON.stringify(json)}`] : [],
  );
}

/** What is told to all of a command comes behind its answer (docs/protocols/pi-server.md 6.4). */
const announced: ReadonlyMap<string, string> = new Map([
  ['create_session', 'session_created'],
  ['delete_session', 'session_deleted'],
]);

interface Wire extends Pick<Client, 'frames' | 'waitFor' | 'until' | 'send' | 'sendRaw' | 'close'> {
  readonly ended: Promise<Ended>;
  cut(): void;
}

function speak(wire: Wire): PiServerClient {
  const { frames, waitFor } = wire;
  const responses = (from = 0) =>
    frames.slice(from).flatMap((frame) => (frame.type === 'response' ? [Response.parse(frame)] : []));

  async function ask(type: string, more: Readonly<Record<string, unknown>> = {}): Promise<Response> {
    const id = typeof more.id === 'string' ? more.id : `c${++commands}`;
    const from = frames.length;
    await send({ id, type, ...more });
    const response = Response.parse(
      await waitFor((frame) => frame.type === 'response' && frame.id === id, `the answer to ${type} ${id}`, from),
    );
    const news = announced.get(type);
    if (news === undefined || !response.success || response.replayed === true) return response;
    const session = dictionaryOf(response.data).sessionId ?? more.sessionId;
    const isNews = (frame: Frame) => frame.type === news && dictionaryOf(frame.data).sessionId === session;
    await waitFor(isNews, `${news} behind ${id}`, from);
    return response;
  }
  async function get(type: string, more: Readonly<Record<string, unknown>> = {}): Promise<Record<string, unknown>> {
    const response = await ask(type, more);
    if (!response.success) throw new Error(`${type} failed: ${response.error}`);
    return z.record(z.string(), z.unknown()).parse(response.data ?? {});
  }

  /** What was sent, each with the number of frames that had come before. */
  const sent: { readonly text: string; readonly behind: number }[] = [];
  function sendRaw(text: string): Promise<void> {
    sent.push({ text, behind: frames.length });
    return wire.sendRaw(text);
  }
  const send = (frame: unknown) => sendRaw(JSON.stringify(frame));
  const counts = new Map<string, number>();
  let counted = 0;

  return {
    ...wire,
    sendRaw,
    send,
    count(type) {
      for (; counted < frames.length; counted += 1) {
        const one = frames[counted]?.type ?? '';
        counts.set(one, (counts.get(one) ?? 0) + 1);
      }
      return counts.get(type) ?? 0;
    },
    ask,
    get,
    answers: (id) => responses().filter((response) => response.id === id),
    course: (id) =>
      frames.flatMap((frame) => {
        const course = courseOf(frame);
        return course?.data.commandId === id ? [course] : [];
      }),
    heard: (session) =>
      frames.flatMap((frame) =>
        frame.type === 'event' && frame.sessionId === session ? [SessionEvent.parse(frame).event] : [],
      ),
    async hear(session, label, fits, from = 0) {
      const isIt = typeof fits === 'string' ? ({ type }: SessionEvent) => type === fits : fits;
      const frame = await waitFor(
        (one) => one.type === 'event' && one.sessionId === session && isIt(SessionEvent.parse(one).event),
        label,
        from,
      );
      return SessionEvent.parse(frame).event;
    },
    async open(session, more = {}) {
      const { sessionId } = await get('create_session', {
        ...(session === undefined ? {} : { sessionId: session }),
        ...more,
      });
      const id = z.string().parse(sessionId);
      await get('switch_session', { sessionId: id });
      return id;
    },
    judge(options) {
      const said: PiServerSaid[] = frames.map((json) => ({ by: 'agent', json }));
      for (const { text, behind } of sent.toReversed())
        said.splice(Math.max(behind, 1), 0, { by: 'client', json: jsonIn(text) });
      return judgedPiServer(said, options).map(({ rule, at, says }) =>
        [`${rule} at ${at}: ${says}: ${JSON.stringify(said[at])}`, ...related(said, at)].join('\n'),
      );
    },
  };
}

/** What a WebSocket asks for in its address. */
export interface WebSocketWish {
  /** Bound to that session. */
  readonly session?: string;
  readonly agent?: string;
  /** Options of the frontend. */
  readonly options?: Readonly<Record<string, string>>;
}

/** A WebSocket of a server that is open, and has greeted unless it `isSilent`. */
export async function connectPiServer(
  server: Pick<GatewayServer, 'url' | 'headers'>,
  wish: WebSocketWish = {},
): Promise<PiServerClient & { readonly socket: WebSocket }> {
  const { session, agent, options } = wish;
  const query = new URLSearchParams({
    ...options,
    ...(session === undefined ? {} : { session }),
    ...(agent === undefined ? {} : { agent }),
  });
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/pi-server/ws?${query}`, {
    headers: server.headers,
    perMessageDeflate: false,
  });
  const inbox = createInbox();
  // Each message is one frame (docs/protocols/pi-server.md 3.1): what is not one JSON object by itself fails here.
  socket.on('message', (data) => inbox.line(data.toString()));
  socket.on('error', (error) => inbox.cut(error.message));
  const ended = new Promise<Ended>((resolve) => {
    socket.on('close', (code, reason) => {
      inbox.cut(`the socket closed (${code} ${reason.toString()})`);
      resolve({ code, reason: reason.toString() });
    });
  });
  await once(socket, 'open');
  const sendRaw = (text: string) =>
    new Promise<void>((sent, failed) => socket.send(text, (error) => (error ? failed(error) : sent())));
  const client = speak({
    ...inbox,
    sendRaw,
    send: (frame) => sendRaw(JSON.stringify(frame)),
    async close() {
      socket.close();
      await ended;
    },
    ended,
    cut: () => socket.terminate(),
  });
  await client.waitFor(({ type }) => type === 'server_ready', 'the greeting');
  return { ...client, socket };
}

/** A stream of server-sent events on a session, with POST for the way back. */
export async function connectPiServerEvents(server: GatewayServer, session: string): Promise<PiServerClient> {
  const client = await connectSse(server, session, 'pi-server');
  const speaker = speak({
    ...client,
    ended: new Promise(() => {}),
    cut: () => void client.close(),
  });
  await client.waitFor(({ type }) => type === 'server_ready', 'the greeting');
  return speaker;
}

/** A program that serves one client on its stdin and stdout. */
export async function startPiServer(
  argv: readonly string[],
  options: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<PiServerClient & { readonly child: ReturnType<typeof spawn>; log(): string }> {
  const [program = '', ...words] = argv;
  const child = spawn(program, words, { cwd: options.cwd, env: { ...process.env, ...options.env } });
  const inbox = createInbox();
  let log = '';
  let rest = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = `${log}${text}`.slice(-4_000);
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) inbox.line(line);
  });
  child.stdin.on('error', () => {});
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => {
      inbox.cut(`the program exited (${signal ?? code}) ${log}`);
      resolve({ code, reason: signal ?? '' });
    });
  });
  const sendRaw = async (text: string) => {
    if (!child.stdin.write(`${text}\n`)) await once(child.stdin, 'drain');
  };
  const client = speak({
    ...inbox,
    sendRaw,
    send: (frame) => sendRaw(JSON.stringify(frame)),
    close: () => stopProcess(child),
    ended,
    cut: () => void child.kill('SIGKILL'),
  });
  await client.waitFor(({ type }) => type === 'server_ready', 'the greeting');
  return { ...client, child, log: () => log };
}
