// The ten kinds of cycles of the soak. Each opens what it needs, speaks as clients do, and judges the order of what it
// heard. Some leave their session or their question open, as clients do.
import { clientRoles } from '../../test/support/client-roles.ts';
import { connect, type SoakClient, type Way, type Wish } from './client.ts';
import { agents, mortal, type SoakedGateway } from './gateway.ts';
import { answerTo, questionIn } from './questions.ts';
import { storedSessions } from './stored.ts';

/** One cycle. */
export interface Turn {
  readonly gateway: SoakedGateway;
  readonly worker: number;
  /** Counts the cycles of this kind, from 0. */
  readonly number: number;
}

/** A kind of cycle. */
export interface Kind {
  readonly name: string;
  run(turn: Turn): Promise<void>;
}

/** Every frontend, in each of its dialects. */
const dialects: readonly Pick<Wish, 'frontend' | 'options'>[] = [
  { frontend: 'claude' },
  { frontend: 'pi', options: { dialect: 'growing' } },
  { frontend: 'rpc-message' },
  { frontend: 'pi-server' },
  { frontend: 'pi', options: { dialect: 'delta-only' } },
  { frontend: 'eca', options: { events: 'frames' } },
  { frontend: 'pi-legacy' },
];

const pick = <Item>(list: readonly Item[], number: number): Item => list[number % list.length] as Item;

/** The dialect and the agent of a cycle. After 42 cycles, each dialect has met each agent. */
const pairOf = (number: number) => ({
  ...pick(dialects, number),
  agent: pick(agents, number + Math.floor(number / dialects.length)),
});

function roleOf(frontend: string) {
  const role = clientRoles.get(frontend);
  if (role === undefined) throw new Error(`no client of ${frontend}`);
  return role;
}

/** A client that has said what comes before a first prompt. The sessions of other workers are none of its business. */
async function greeted(gateway: SoakedGateway, way: Way, wish: Wish): Promise<SoakClient> {
  const client = await connect(gateway, way, wish);
  if (wish.frontend !== 'pi-server') return client;
  const { session: sessionId } = wish;
  await client.say(JSON.stringify({ id: `greeting ${sessionId}`, type: 'switch_session', sessionId }));
  await client.hear('the session', (frames) => frames.some((frame) => frame.includes('"switch_session"')));
  // What the role reads its session from.
  const list = { type: 'response', command: 'list_sessions', data: { sessions: [{ sessionId }] } };
  client.frames.unshift(JSON.stringify(list));
  return client;
}

const prompt = (client: SoakClient, frontend: string, words: string) =>
  client.say(roleOf(frontend).prompt(words, client.frames));

async function over(client: SoakClient, frontend: string, from = 0): Promise<void> {
  const { isOver } = roleOf(frontend);
  await client.hear('the end of the run', (frames) => frames.slice(from).some(isOver));
}

function judged(frontend: string, frames: readonly string[]): void {
  // Its judge wants to have heard the whole connection.
  if (frontend === 'pi-server') return;
  const [first] = roleOf(frontend).judge(frames);
  if (first !== undefined) throw new Error(`${frontend}: ${first}`);
}

/** A client in a new session of an agent, and the end of both. */
async function inSession(
  { gateway, number }: Turn,
  way: Way,
  words: string,
  during: (client: SoakClient, wish: Wish & { readonly frontend: string }) => Promise<void>,
): Promise<void> {
  const { agent, ...dialect } = pairOf(number);
  const session = await gateway.createSession(agent);
  const wish = { ...dialect, session };
  const client = await greeted(gateway, way, wish);
  try {
    await prompt(client, wish.frontend, words);
    await during(client, wish);
  } finally {
    client.cut();
  }
  await gateway.deleteSession(session);
}

const toTheEnd = (way: Way) => (turn: Turn) =>
  inSession(turn, way, 'think tool', async (client, { frontend }) => {
    await over(client, frontend);
    judged(frontend, client.frames);
  });

const ways: readonly Way[] = ['websocket', 'events'];

/** `hang` begins to speak: an abort that comes before the first words would find no run. */
async function hearSpeech(client: SoakClient): Promise<void> {
  await client.hear('the first words', (frames) => frames.some((frame) => frame.includes('I was')));
}

async function abort(turn: Turn): Promise<void> {
  await inSession(turn, pick(ways, turn.number), 'hang', async (client, { frontend }) => {
    await hearSpeech(client);
    await client.say(roleOf(frontend).interrupt(client.frames));
    await over(client, frontend);
    judged(frontend, client.frames);
  });
}

/** A stream of events goes on at its cursor; a WebSocket begins again with a snapshot. */
async function cut(turn: Turn): Promise<void> {
  const { gateway, number } = turn;
  const dialect = pick(dialects, number);
  const { frontend } = dialect;
  const session = await gateway.createSession('demo');
  const way = pick(ways, number);
  const before = await greeted(gateway, way, { ...dialect, session });
  const heard = before.frames.length;
  await prompt(before, frontend, 'long 200');
  await before.hear('a part of the run', (frames) => frames.length > heard + 3);
  before.cut();
  const { cursor } = before;
  const first = [...before.frames];
  const after = await connect(gateway, way, { ...dialect, session, cursor });
  try {
    if (way === 'events') await after.hear('the end', (frames) => [...first, ...frames].some(roleOf(frontend).isOver));
    else await after.hear('a snapshot', (frames) => frames.length > 0 || frontend === 'pi-server');
    if (way === 'events') judged(frontend, [...first, ...after.frames]);
  } finally {
    after.cut();
  }
  await gateway.deleteSession(session);
}

/** The agent dies in the middle of a message; the next prompt gets another one. */
async function kill({ gateway, worker, number }: Turn): Promise<void> {
  const dialect = pick(
    dialects.filter(({ frontend }) => frontend !== 'pi-server'),
    number,
  );
  const { frontend } = dialect;
  const session = await gateway.createSession(mortal(worker));
  const client = await greeted(gateway, pick(ways, number), { ...dialect, session });
  try {
    await prompt(client, frontend, 'hang');
    await hearSpeech(client);
    if (!gateway.kill(worker)) throw new Error('there was no agent to kill');
    await over(client, frontend);
    const from = client.frames.length;
    await prompt(client, frontend, 'look');
    await over(client, frontend, from);
    judged(frontend, client.frames);
  } finally {
    client.cut();
  }
  await gateway.deleteSession(session);
}

const asking = [{ frontend: 'claude' }, { frontend: 'pi' }];

async function asked(turn: Turn, then: (client: SoakClient, frontend: string, id: string) => Promise<void>) {
  const { gateway, number } = turn;
  const { frontend } = pick(asking, number);
  const session = await gateway.createSession('demo');
  const client = await connect(gateway, pick(ways, number), { frontend, session });
  try {
    await prompt(client, frontend, 'ask');
    await client.hear('a question', (frames) => questionIn(frames) !== null);
    await then(client, frontend, questionIn(client.frames) ?? '');
  } finally {
    client.cut();
  }
}

const answered = (turn: Turn) =>
  asked(turn, async (client, frontend, id) => {
    await client.say(answerTo(frontend, id, turn.number % 4 !== 3));
    await over(client, frontend);
    judged(frontend, client.frames);
  });

/** Bytes that are no frame of the protocol: fewer than end a connection. */
async function badFrames(turn: Turn): Promise<void> {
  const bad = ['', 'null', '[]', '{', '{"type":"nonsense"}', '{"type":"prompt"}', `{"type":"${'x'.repeat(5000)}"}`];
  const { gateway, number } = turn;
  const { frontend, options } = pick(
    dialects.filter((dialect) => dialect.frontend !== 'eca'),
    number,
  );
  const session = await gateway.createSession('demo');
  const client = await greeted(gateway, pick(ways, number), { frontend, options, session });
  try {
    for (const frame of bad.slice(0, 2 + (number % 5))) await client.say(frame);
    await prompt(client, frontend, 'think');
    await over(client, frontend);
  } finally {
    client.cut();
  }
  await gateway.deleteSession(session);
}

/** Posts without a reader, the same post twice, many frames in one, and the end of a session in the middle of its run. */
async function posts({ gateway, number }: Turn): Promise<void> {
  const { frontend } = pick([{ frontend: 'claude' }, { frontend: 'pi' }, { frontend: 'pi-server' }], number);
  const session = await gateway.createSession('demo');
  const base = `${gateway.url}/v1/${frontend}/sessions/${session}`;
  const role = roleOf(frontend);
  const post = async (body: string, type: string, key?: string) => {
    const keys: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    const headers = { ...gateway.headers, 'content-type': type, ...keys };
    await (await fetch(`${base}/frames`, { method: 'POST', headers, body })).text();
  };
  const words = role.prompt('slow 20', []).replace('"sessionId":"session"', `"sessionId":"${session}"`);
  await post(words, 'application/json', `key-${number}`);
  await post(words, 'application/json', `key-${number}`);
  await post(Array.from({ length: 20 }, () => role.interrupt([])).join('\n'), 'application/x-ndjson');
  await fetch(`${gateway.url}/v1/sessions/${session}`, { headers: gateway.headers }).then((response) =>
    response.text(),
  );
  await gateway.deleteSession(session);
}

/** By the order in which they come. */
export const kinds: readonly Kind[] = [
  { name: 'prompt over WebSocket', run: toTheEnd('websocket') },
  { name: 'prompt over events', run: toTheEnd('events') },
  { name: 'abort', run: abort },
  { name: 'cut and back', run: cut },
  { name: 'agent killed', run: kill },
  { name: 'question answered', run: answered },
  // Every second one is left to its deadline; the end of the session comes with that of the phase.
  { name: 'question left', run: (turn) => asked(turn, async () => {}) },
  { name: 'stored sessions', run: storedSessions },
  { name: 'bad frames', run: badFrames },
  { name: 'posts and deletes', run: posts },
];
