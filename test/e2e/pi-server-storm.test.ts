// A thousand commands at once over fifty sessions from twenty connections that are cut now and then: what becomes of each id
// is what the reference model says, nothing is carried out twice, and nothing is lost.
//
// How it is judged. When commands of several connections arrive is not determined, so nothing is said beforehand. One client
// that is never cut hears the course of all commands; the gateway tells it to everybody, and every other connection must have
// heard a piece of the very same course. The model walks it step by step: from the order in which commands were accepted it
// knows which of them is carried out, which is a repetition and which a conflict; of those that are carried out it checks that
// no lane is left (docs/protocols/pi-server.md 7.3), and from what had finished by then it knows the one end that the command may have. Where
// even that order leaves two ends (a session that is made or deleted meanwhile in another lane, a version that a command
// beside the lane changes meanwhile, a wait that is about as long as it may be), either is taken, and no third.
// Each answer must be what the course told of that command to that connection before. Then the agents are asked what they
// have been told: each prompt and each shell command of which the model says that it was carried out once, and no other.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';
import type { Frame } from '../support/inbox.ts';
import { createLedgerModel, type Ending, type LedgerModel, type Sent, type Step } from '../support/ledger-model.ts';
import { connectPiServer, courseOf, type PiServerClient, Response } from '../support/pi-server-client.ts';
import { type Attempt, attempt, createDice, type Plan, plan, visible } from '../support/pi-server-storm.ts';

const seeds = (process.env.PATCHBAY_STORM_SEEDS ?? '7').split(',').map(Number);
const limits = { dependencyWaitMs: 400, commandTimeoutMs: 300_000 };
/** For the whole of a storm, which takes 25 s of CPU, where others have the machine as well. */
const patienceMs = 150_000;
const settings = {
  ...limits,
  commandsPerMinute: 1_000_000,
  maxOutcomes: 100_000,
  maxInFlight: 100_000,
};

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'patchbay-storm-'));
  const agents = { quick: { protocol: 'demo', options: { paceMs: 0 } } };
  writeFileSync(join(dir, 'patchbay.json'), JSON.stringify({ agents }));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** One connection after the other of one client. */
interface Line {
  readonly client: PiServerClient;
  readonly sent: Attempt[];
  isCut: boolean;
}

const answersOf = ({ client }: Line) =>
  client.frames.flatMap((frame) => (frame.type === 'response' ? [Response.parse(frame)] : []));

/** Sends all of it, is cut on the way, and asks again for what it has not heard of. */
async function blow(
  connect: () => Promise<PiServerClient>,
  attempts: readonly Attempt[],
  seed: number,
): Promise<Line[]> {
  const dice = createDice(seed);
  let line: Line = { client: await connect(), sent: [], isCut: false };
  const lines = [line];
  let left = [...attempts];
  let cuts = 0;
  while (left.length > 0) {
    const burst = left.splice(0, 4 + dice.upTo(20));
    const sending = burst.map((one) => {
      line.sent.push(one);
      return line.client.send(one.frame);
    });
    if (cuts < 3 && dice.chance(0.35)) {
      cuts += 1;
      // Some of it is on its way, some answers too.
      if (dice.chance(0.6)) await Promise.allSettled(sending);
      if (dice.chance(0.5))
        await line.client.waitFor(
          ({ type }) => type === 'response',
          'some answer',
          dice.upTo(line.client.frames.length),
          patienceMs,
        );
      line.client.cut();
      line.isCut = true;
      await Promise.allSettled([...sending, line.client.ended]);
      left = [...unanswered(line), ...left];
      line = { client: await connect(), sent: [], isCut: false };
      lines.push(line);
      continue;
    }
    await Promise.all(sending);
    const from = line.client.frames.length;
    if (dice.chance(0.6)) await line.client.waitFor(() => true, 'anything', from).catch(() => {});
  }
  await line.client.until(() => line.client.count('response') >= line.sent.length, 'all answers', patienceMs);
  return lines;
}

const Connections = z.looseObject({ connectionCount: z.number() });

/**
 * Waits until the gateway has `open` connections. Commands of a cut connection that have reached the gateway are taken
 * after the cut, so more commands may be accepted while the connection counts.
 */
async function untilCutOnesAreGone({ client, sent }: Line, open: number): Promise<void> {
  for (let probe = 0, count = Number.POSITIVE_INFINITY; count > open; probe += 1) {
    const id = `open-${probe}`;
    const asked = attempt({ id, type: 'get_metrics' });
    sent.push(asked);
    const from = client.frames.length;
    await client.send(asked.frame);
    const isAnswer = (frame: Frame) => frame.type === 'response' && frame.id === id;
    const answer = await client.waitFor(isAnswer, id, from, patienceMs);
    count = Connections.parse(answer.data).connectionCount;
  }
}

/** What was not answered; all attempts of an id of which one was not. What has no name at all is not asked again. */
function unanswered(line: Line): Attempt[] {
  const answers = answersOf(line);
  const isAnswered = ({ sent: { id } }: Attempt) =>
    answers.filter((answer) => answer.id === id).length >= line.sent.filter(({ sent }) => sent.id === id).length;
  return line.sent.filter((one) => (one.sent.id === undefined ? one.sent.key !== undefined : !isAnswered(one)));
}

const isOfCourse = ({ type }: Frame): boolean => type.startsWith('command_');

/** The course that a client heard, as text. */
const courseIn = (client: PiServerClient): string[] =>
  client.frames.flatMap((frame) => (courseOf(frame) === null ? [] : [JSON.stringify(frame)]));

/** Where a piece stands in the whole; -1 if it is no piece of it. */
function placeOf(piece: readonly string[], whole: readonly string[]): number {
  const starts = whole.flatMap((one, at) => (one === piece[0] ? [at] : []));
  return piece.length === 0 ? 0 : (starts.find((at) => piece.every((one, on) => whole[at + on] === one)) ?? -1);
}

/** The steps in what a client heard, with what was sent under that name. */
function stepsIn(client: PiServerClient, attempts: readonly Attempt[]): Step[] {
  const known = new Map(attempts.map(({ sent }) => [visible(sent), sent]));
  return client.frames.flatMap((frame): Step[] => {
    const course = courseOf(frame);
    if (course === null) return [];
    const {
      commandId: name,
      commandType,
      sessionId,
      dependsOn,
      ifSessionVersion,
      idempotencyKey,
      ...end
    } = course.data;
    const seen: Omit<Sent, 'payload'> = {
      id: name.startsWith('anon:') ? undefined : name,
      key: idempotencyKey,
      type: commandType,
      session: sessionId,
      dependsOn,
      ifVersion: ifSessionVersion,
    };
    const sent = known.get(visible(seen));
    if (sent === undefined) throw new Error(`nobody sent ${JSON.stringify(frame)}`);
    const { success = false, error, sessionVersion: version, replayed = false } = end;
    const ending: Ending = { success, error, version, replayed };
    const phase = z.enum(['accepted', 'started', 'finished']).parse(course.type.replace('command_', ''));
    return [{ phase, name, sent, ...(phase === 'finished' ? { ending } : {}) }];
  });
}

/** Complaints about the answers of one connection. */
function judgeAnswers(line: Line): string[] {
  const told = new Map<string, string[]>();
  const heard = new Map<string, number>();
  const complaints: string[] = [];
  const essence = (one: { success?: unknown; error?: unknown; sessionVersion?: unknown; replayed?: unknown }) =>
    JSON.stringify([one.success, one.error ?? null, one.sessionVersion ?? null, one.replayed === true]);
  for (const frame of line.client.frames) {
    const course = courseOf(frame);
    if (course?.type === 'command_finished') {
      const { commandId } = course.data;
      told.set(commandId, [...(told.get(commandId) ?? []), essence(course.data)]);
    }
    if (frame.type !== 'response') continue;
    const response = Response.parse(frame);
    const name = response.id ?? '';
    heard.set(name, (heard.get(name) ?? 0) + 1);
    if (response.id === undefined) continue;
    // Conflicts are told to all like everything else.
    const ends = told.get(name) ?? [];
    const at = ends.indexOf(essence(response));
    if (at < 0)
      complaints.push(`${JSON.stringify(frame).slice(0, 200)} was answered, and the course told ${ends.join()}`);
    else ends.splice(at, 1);
  }
  const counts = new Map<string, number>();
  for (const { sent } of line.sent) counts.set(sent.id ?? '', (counts.get(sent.id ?? '') ?? 0) + 1);
  for (const [id, count] of counts) {
    const answers = heard.get(id) ?? 0;
    if (answers > count || (!line.isCut && answers < count))
      complaints.push(`${id} was asked ${count} times and answered ${answers} times`);
  }
  for (const id of heard.keys()) if (!counts.has(id)) complaints.push(`${id} was answered and never asked`);
  return complaints;
}

/**
 * The successful answers of a connection that sent only one thing under their id, with that. What is known by its key alone
 * leaves its id to another command (docs/protocols/pi-server.md 8.5), so an id by itself does not say what was asked.
 */
function successesOf(line: Line) {
  return answersOf(line).flatMap(({ id, success, command, data = null }) => {
    const [payload, ...others] = new Set(line.sent.flatMap(({ sent }) => (sent.id === id ? [sent.payload] : [])));
    const isOne = id !== undefined && success && payload !== undefined && others.length === 0;
    return isOne ? [{ id, command, payload, data }] : [];
  });
}

/** Complaints where one command has two different answers in its data; conflicts are none. */
function judgeData(lines: readonly Line[]): string[] {
  const datas = new Map<string, Set<string>>();
  for (const { id, payload, data } of lines.flatMap(successesOf)) {
    const words = `${id} ${payload}`;
    datas.set(words, (datas.get(words) ?? new Set()).add(JSON.stringify(data)));
  }
  return [...datas].flatMap(([words, data]) =>
    data.size > 1 ? [`${words} has ${data.size} answers: ${[...data].join(' and ')}`] : [],
  );
}

const Messages = z.object({ messages: z.array(z.looseObject({ role: z.string() })) });
const markIn = (text: string): string | undefined => /m\d+x\d+|anonymous\d+/u.exec(text)?.[0];

/** How often each mark was carried out, by the model: once for each id that it was carried out under. */
function expectedEffects(model: LedgerModel, { clients }: Plan) {
  const effects = new Map<string, { readonly ids: Set<string>; isUnsure: boolean }>();
  for (const { sent } of clients.flat()) {
    const mark = markIn(sent.payload);
    if (mark === undefined || sent.id === undefined || !/^(?:prompt|bash|steer|follow_up)$/u.test(sent.type)) continue;
    const effect = effects.get(mark) ?? { ids: new Set<string>(), isUnsure: false };
    effects.set(mark, effect);
    const ending = model.executed(sent.id)?.ending;
    if (ending?.success === true) effect.ids.add(sent.id);
    // An abort throws away what still waits to join a run, and a timeout is no proof that nothing was done (docs/protocols/pi-server.md 15.1).
    const isLate = /^Command '(?!dependsOn:).* timed out/u.test(ending?.error ?? '');
    if (isLate || sent.type === 'steer' || sent.type === 'follow_up') effect.isUnsure = true;
    if (isLate) effect.ids.add(sent.id);
  }
  return effects;
}

describe.each(seeds)('a storm of seed %d', (seed) => {
  let server: GatewayServer;
  let observer: Awaited<ReturnType<typeof connectPiServer>>;
  let storm: Plan;
  let lines: Line[];
  let model: LedgerModel;

  const setUp: Attempt[] = [];
  beforeAll(async () => {
    const environment = { PATCHBAY_PI_SERVER: JSON.stringify(settings), XDG_STATE_HOME: join(dir, 'state') };
    server = await startServerWith(join(dir, 'patchbay.json'), environment);
    storm = plan(seed, { commands: 1_000, sessions: 50, clients: 20 });
    observer = await connectPiServer(server);
    for (const sessionId of storm.sessions) {
      setUp.push(attempt({ id: `make-${sessionId}`, type: 'create_session', sessionId }));
      setUp.push(
        attempt({ id: `hear-${sessionId}`, type: 'switch_session', sessionId, dependsOn: [`make-${sessionId}`] }),
      );
    }
    await Promise.all(setUp.map(({ frame }) => observer.send(frame)));
    const isLast = ({ type, id }: Frame) => type === 'response' && id === setUp.at(-1)?.sent.id;
    await observer.waitFor(isLast, 'the last session', 0, patienceMs);
    const blown = await Promise.all(
      storm.clients.map((attempts, at) => blow(() => connectPiServer(server), attempts, seed * 1_000 + at)),
    );
    lines = blown.flat();
    const own: Line = { client: observer, sent: [...setUp], isCut: false };
    lines.push(own);
    await untilCutOnesAreGone(own, lines.filter(({ isCut }) => !isCut).length);
    // What others have asked and not stayed for ends as well.
    const { count } = observer;
    await observer.until(
      () => count('command_finished') === count('command_accepted'),
      'the end of all commands',
      patienceMs,
    );
    const last = JSON.stringify(observer.frames.findLast(isOfCourse));
    for (const { client, isCut } of lines) {
      if (!isCut)
        await client.until(() => JSON.stringify(client.frames.findLast(isOfCourse)) === last, 'the end', patienceMs);
    }
    model = createLedgerModel(limits);
  }, 4 * patienceMs);
  afterAll(async () => {
    await Promise.all((lines ?? []).map(({ client, isCut }) => (isCut ? undefined : client.close())));
    await server?.close();
  });

  test('the course of every command is the model’s', () => {
    const steps = stepsIn(observer, [...(lines.at(-1)?.sent ?? []), ...storm.clients.flat()]);
    expect(steps.length).toBeGreaterThan(3 * storm.ids);
    expect([...steps.flatMap(model.take), ...model.close()].slice(0, 5)).toEqual([]);
  });

  test('every id has been carried out once, or refused for good', () => {
    const ids = new Set(storm.clients.flat().flatMap(({ sent }) => sent.id ?? []));
    expect(ids.size).toBeGreaterThanOrEqual(1_000);
    const answered = new Set(lines.flatMap(answersOf).flatMap(({ id }) => id ?? []));
    expect([...ids].filter((id) => !answered.has(id))).toEqual([]);
    const starts = courseIn(observer).filter((text) => text.includes('"command_started"'));
    expect(starts.length).toBe(new Set(starts).size);
  });

  test('it is a storm: lines were cut, and every kind of end has come', () => {
    expect(lines.filter(({ isCut }) => isCut).length).toBeGreaterThan(10);
    const text = courseIn(observer).join('\n');
    for (const words of [
      '"replayed":true',
      'Conflicting id',
      'Conflicting idempotencyKey',
      'is unknown',
      "' failed: ",
      'queued in the same lane',
      'version mismatch',
      'ghost not found',
    ]) {
      expect({ words, isThere: text.includes(words) }).toEqual({ words, isThere: true });
    }
  });

  test('everybody heard the same course', () => {
    const whole = courseIn(observer);
    const places = lines.map(({ client }) => placeOf(courseIn(client), whole));
    expect(places.filter((place) => place < 0)).toEqual([]);
  });

  test('each answer is what the course has told', () => {
    expect(lines.flatMap(judgeAnswers).slice(0, 5)).toEqual([]);
    expect(judgeData(lines).slice(0, 5)).toEqual([]);
  });

  test('the judge of the order has no complaint about any connection', () => {
    const [own, ...others] = [...lines].reverse();
    const complaints = [
      ...(own?.client.judge() ?? ['there is no observer']),
      ...others.flatMap(({ client, isCut }) => client.judge({ late: true, complete: !isCut })),
    ].slice(0, 5);
    // The message holds the complaints whole: what a matcher shows of values is cut.
    expect(complaints.length, complaints.join('\n\n')).toBe(0);
  });

  test('the agents have been told everything once, and nothing else', async () => {
    const told = new Map<string, number>();
    function count(text: string): void {
      const mark = markIn(text);
      if (mark !== undefined) told.set(mark, (told.get(mark) ?? 0) + 1);
    }
    // What a shell prints is only said; whoever is there hears it.
    const prints = observer.frames.filter(({ event }) => Object(event).type === 'bash_execution_update');
    for (const frame of prints) count(JSON.stringify(frame));
    const client = await connectPiServer(server);
    for (const sessionId of storm.sessions) {
      const { messages } = Messages.parse(await client.get('get_messages', { sessionId }));
      for (const message of messages) if (message.role === 'user') count(JSON.stringify(message));
      const state = await client.ask('get_state', { sessionId });
      expect({ sessionId, version: state.sessionVersion }).toEqual({ sessionId, version: model.version(sessionId) });
      expect([...model.names(sessionId)]).toContain(
        z.looseObject({ sessionName: z.string().optional() }).parse(state.data).sessionName,
      );
    }
    const wrong = [...expectedEffects(model, storm)].filter(([mark, { ids, isUnsure }]) => {
      const found = told.get(mark) ?? 0;
      return isUnsure ? found > ids.size : found !== ids.size;
    });
    expect(wrong.slice(0, 5).map(([mark, { ids }]) => ({ mark, ids: [...ids], told: told.get(mark) }))).toEqual([]);
    // Those without an id are known by their keys.
    const nameless = [...told].filter(([mark]) => mark.startsWith('anonymous'));
    expect(nameless.length).toBeGreaterThan(3);
    expect(nameless.filter(([, times]) => times !== 1)).toEqual([]);
    await client.close();
  });

  test('what was read in a lane is what was written there before', () => {
    const complaints = lines.flatMap(successesOf).flatMap(({ id, command, payload, data }) => {
      const executed = model.executed(id);
      // What was known by its key alone is judged with the one that it repeats.
      if (command !== 'get_state' || executed?.sent.payload !== payload) return [];
      const { names } = executed;
      const { sessionName } = z.looseObject({ sessionName: z.string().optional() }).parse(data);
      return names.has(sessionName) ? [] : [`${id} read ${sessionName}; it is one of ${[...names].join()}`];
    });
    expect(complaints.slice(0, 5)).toEqual([]);
  });
});
