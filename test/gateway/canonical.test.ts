// Clients of the model itself on a gateway: they open sessions and attach to them, come late, resume, and hear what clients of
// other protocols could not be told (docs/protocols/canonical.md 2 to 5).
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { canonicalSchema } from '../../src/adapters/canonical/schema.ts';
import { parseConfig } from '../../src/config/config.ts';
import { within } from '../../src/conformance/bounded-wait.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { verify } from '../../src/core/log/grammar.ts';
import { Event } from '../../src/core/model/event.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { memoryPair } from '../../src/transports/memory.ts';

const disposals: (() => void)[] = [];
afterEach(() => {
  for (const dispose of disposals.splice(0)) dispose();
});

const schema = z.fromJSONSchema(JSON.parse(JSON.stringify(canonicalSchema())));

// biome-ignore lint/suspicious/noExplicitAny: frames of the test, checked against the schema
type Json = any;

function open() {
  const gateway = createGateway(parseConfig({}), { log: () => {} });
  disposals.push(() => gateway.close('the test is over'));
  return gateway;
}

function connect(gateway: ReturnType<typeof open>, frontend: string, session?: string) {
  const [near, far] = memoryPair();
  const frames: Json[] = [];
  const watchers = new Set<() => void>();
  far.open({
    frame({ text }) {
      const frame: unknown = JSON.parse(text);
      if (frontend === 'canonical') expect(schema.safeParse(frame).success, text).toBe(true);
      frames.push(frame);
      for (const watcher of watchers) watcher();
    },
    fault() {},
    end() {},
  });
  gateway.board.connect(near, {
    frontend,
    options: {},
    principal: owner,
    ...(session === undefined ? {} : { session }),
  });
  return {
    frames,
    send: (...sent: readonly object[]) => {
      for (const frame of sent) far.send(JSON.stringify(frame));
    },
    first: (label: string, fits: (frame: Json) => boolean): Promise<Json> =>
      within(
        label,
        watchers,
        () => frames.find(fits),
        () => `: ${JSON.stringify(frames)}`,
      ),
  };
}

const prompt = (text: string) => ({ type: 'prompt', content: [{ type: 'text', text }] });
const isEnd = ({ event }: Json) => event?.type === 'run-end';

describe('one connection', () => {
  test('opens a session, attaches, prompts, and is told of the end of another', async () => {
    const client = connect(open(), 'canonical');
    client.send({ id: 1, command: { type: 'create-session', id: 's' } });
    expect(await client.first('a session', ({ id }) => id === 1)).toMatchObject({
      outcome: { ok: true, data: { session: { id: 's' } } },
    });
    client.send({ attach: 's' }, { attach: 'nobody' }, { id: 2, session: 's', command: prompt('hello') });
    await client.first('the end', isEnd);
    expect(await client.first('the answer', ({ id }) => id === 2)).toEqual({
      id: 2,
      outcome: expect.objectContaining({ ok: true }),
    });
    expect(await client.first('no such session', ({ ended }) => ended !== undefined)).toEqual({
      ended: { session: 'nobody', reason: 'session nobody not found' },
    });
    const told = client.frames.filter(({ session }) => session === 's');
    expect(told[0]).toMatchObject({ snapshot: { epoch: expect.any(String), agent: { protocol: 'demo' } } });
    const events = told.slice(1);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect(verify(events.map(({ event }) => Event.parse(event))).faults).toEqual([]);
    client.send({ id: 3, session: 's', command: { type: 'delete-session' } });
    await client.first('its end', ({ ended }) => ended?.session === 's');
  });

  test('lists sessions and reads what was said before it came', async () => {
    const gateway = open();
    const { id } = gateway.board.createSession({}, owner);
    const first = connect(gateway, 'canonical', id);
    first.send({ id: 1, command: prompt('hello') });
    await first.first('the end', isEnd);
    const late = connect(gateway, 'canonical');
    late.send({ id: 'list', command: { type: 'list-sessions' } });
    const listed = await late.first('the list', (frame) => frame.id === 'list');
    expect(listed.outcome.data.sessions).toMatchObject([{ id }]);
    late.send({ attach: id });
    await late.first('the end', isEnd);
    const textIn = (frames: readonly Json[]) =>
      frames.map(({ event }) => (event?.type === 'block-delta' ? event.delta : '')).join('');
    expect(textIn(late.frames)).toBe(textIn(first.frames));
    expect(late.frames.filter(({ event }) => event !== undefined).map(({ replay }) => typeof replay)).not.toContain(
      'undefined',
    );
  });

  test('goes on behind a frame that is none', async () => {
    const client = connect(open(), 'canonical');
    client.send([1], { id: 7, command: { type: 'list-sessions' } });
    await client.first('the list', ({ id }) => id === 7);
    expect(client.frames[0]).toEqual({ error: { code: 'invalid', message: expect.any(String) } });
  });
});

describe('over server-sent events', () => {
  test('a cursor resumes behind the frame that it came with', async () => {
    const gateway = open();
    const { id } = gateway.board.createSession({}, owner);
    const request = { frontend: 'canonical', session: id, options: {}, principal: owner };
    const reader = gateway.board.stream(request, null);
    const watchers = new Set<() => void>();
    reader.onReadable = () => {
      for (const watcher of watchers) watcher();
    };
    const entries: Json[] = [];
    const bytes = Buffer.from(JSON.stringify({ id: 1, command: prompt('hello') }));
    await gateway.board.post(request, [{ bytes }]);
    const read = () => {
      for (let more = reader.read(1 << 20); more.length > 0; more = reader.read(1 << 20)) entries.push(...more);
      return entries.some(({ out }) => isEnd(JSON.parse(String(out)))) ? entries : undefined;
    };
    await within('the end', watchers, read, () => '');
    const cut = 3;
    const again = gateway.board.stream(request, entries[cut].cursor).read(1 << 20);
    expect(again.map((entry: Json) => entry.out)).toEqual(entries.slice(cut + 1).map(({ out }) => out));
    expect(createFrame(Buffer.from(String(entries[0].out))).json).toMatchObject({ snapshot: {} });
  });
});

describe('losses', () => {
  test('of a dialect in use are told under its name, next to the event that lost something', async () => {
    const gateway = open();
    const { id } = gateway.board.createSession({}, owner);
    const canonical = connect(gateway, 'canonical', id);
    connect(gateway, 'pi-legacy', id);
    canonical.send({ id: 1, command: prompt('subagent') });
    await canonical.first('the end', isEnd);
    const tasks = canonical.frames.filter(({ event }) => event?.type === 'task-changed').map(({ seq }) => seq);
    const losses = canonical.frames.filter(({ loss }) => loss?.field === 'task-changed');
    expect(losses.map(({ seq }) => seq)).toEqual(tasks);
    expect(tasks.length).toBeGreaterThan(0);
    expect(new Set(losses.map(({ loss }) => loss.dialect))).toEqual(new Set(['pi-legacy']));
  });

  test('are told once, however many streams of the dialect have them, and none of a dialect that nobody speaks', async () => {
    const gateway = open();
    const { id } = gateway.board.createSession({}, owner);
    const canonical = connect(gateway, 'canonical', id);
    connect(gateway, 'pi-legacy', id);
    gateway.board.stream({ frontend: 'pi-legacy', session: id, options: {}, principal: owner }, null);
    canonical.send({ id: 1, command: prompt('subagent') });
    await canonical.first('the end', isEnd);
    const losses = canonical.frames.filter(({ loss }) => loss !== undefined).map((frame) => JSON.stringify(frame));
    expect(new Set(losses).size).toBe(losses.length);
    expect(losses.every((text) => text.includes('"dialect":"pi-legacy"'))).toBe(true);
  });
});
