// Sessions that the gateway stores as files, at a whole gateway: they are listed, deleted, loaded and continued
// (docs/protocols/pi-server.md 17.1, 20, 23.13).

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { owner } from '../../src/core/contract/principal.ts';
import type { Message } from '../../src/core/model/content.ts';
import type { SessionSummary } from '../../src/core/model/outcome-data.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import type { RelayClient } from '../support/relay.ts';
import { isOver, onNetwork, onStdio, openGateway, prompt, useRelay } from '../support/relay-rig.ts';

useRelay();

let base = '';
let folder = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-stored-')));
  folder = join(base, 'state', 'sessions');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const fast = { fast: { protocol: 'demo', options: { paceMs: 0 } } };
const open = (config: object = {}) =>
  openGateway({ sessionDirectory: folder, agents: fast, defaultAgent: 'fast', ...config });

const transports: readonly [string, (gateway: Gateway) => RelayClient][] = [
  ['stdio', (gateway) => onStdio(gateway)],
  ['the network', (gateway) => onNetwork(gateway)],
];

const files = () =>
  existsSync(folder)
    ? readdirSync(folder)
        .map((name) => join(folder, name))
        .sort()
    : [];
const linesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

async function run(client: RelayClient, session: string, text: string): Promise<void> {
  const seen = client.told.length;
  client.say({ watch: session, as: session });
  expect(await client.ask(prompt(text), session)).toMatchObject({ ok: true });
  await client.hear('its run', (told) => client.told.indexOf(told) >= seen && isOver(session)(told));
}

async function messages(client: RelayClient, session: string): Promise<readonly Message[]> {
  const answer = await client.ask({ type: 'query', subject: 'messages' }, session);
  return z.object({ messages: z.array(z.custom<Message>()) }).parse(answer.data).messages;
}

const textsOf = (all: readonly Message[]) =>
  all.map(
    ({ role, content }) =>
      `${role}: ${content.map((part) => (part.type === 'text' ? part.text : part.type)).join('|')}`,
  );

async function list(client: RelayClient): Promise<readonly SessionSummary[]> {
  const answer = await client.ask({ type: 'list-stored-sessions' });
  return z.object({ sessions: z.array(z.custom<SessionSummary>()) }).parse(answer.data).sessions;
}

async function load(client: RelayClient, path: string, more: object = {}): Promise<string> {
  const answer = await client.ask({ type: 'load-session', path, ...more });
  expect(answer).toMatchObject({ ok: true });
  return z.object({ session: z.object({ id: z.string() }) }).parse(answer.data).session.id;
}

/** Opens a stored session, runs these prompts in it, and returns its file. */
async function keep(client: RelayClient, id: string, ...texts: string[]): Promise<string> {
  await client.open({ id, keep: true });
  for (const text of texts) await run(client, id, text);
  const [found] = (await list(client)).filter((one) => one.id === id);
  return found?.file ?? '';
}

describe.each(transports)('over %s', (_name, connect) => {
  test('kept, listed, deleted, loaded: it goes on where it was', async () => {
    const { gateway } = open();
    const client = connect(gateway);
    const file = await keep(client, 'first', 'think hello', 'tool');
    const [told] = await list(client);
    const said = await messages(client, 'first');
    expect(told).toMatchObject({ id: 'first', file, exists: true, messageCount: said.length });
    expect(said.length).toBeGreaterThan(4);
    const tokens = await client.ask({ type: 'query', subject: 'context-usage' }, 'first');

    expect(await client.ask({ type: 'delete-session' }, 'first')).toMatchObject({ ok: true });
    expect(await list(client)).toEqual([told]);

    const again = await load(client, file, { keep: true });
    expect(again).not.toBe('first');
    const past = await messages(client, again);
    const role = (message: Message) => ({ ...message, origin: undefined });
    expect(past.map(role)).toEqual(said.map(role));
    client.say({ watch: again });
    await client.hear('the past', ({ of, event }) => of === again && event?.origin === 'replay');

    // The agent knows the conversation too, not only the gateway.
    const { data } = await client.ask({ type: 'query', subject: 'context-usage' }, again);
    expect(data).toMatchObject({ tokens: expect.any(Number) });
    expect(z.object({ tokens: z.number() }).parse(data).tokens).toBeGreaterThan(10);
    expect(z.object({ tokens: z.number() }).parse(tokens.data).tokens).toBeGreaterThan(10);
    const entry = past.find(({ role: of }) => of === 'user')?.id ?? '';
    await run(client, again, 'and now this');
    expect(await client.ask({ type: 'fork', entry }, again)).toMatchObject({ ok: true, data: { text: 'think hello' } });
    expect(client.told.filter(({ of, event }) => of === again && event?.type === 'notice')).toEqual([]);
  });

  test('what is said after it was loaded is kept as well, in the same file', async () => {
    const client = connect(open().gateway);
    const file = await keep(client, 'first', 'one');
    await client.ask({ type: 'delete-session' }, 'first');
    const second = await load(client, file, { keep: true, id: 'second' });
    expect(second).toBe('second');
    await run(client, second, 'two');
    await client.ask({ type: 'delete-session' }, second);
    expect(files()).toEqual([file]);
    const third = await load(client, file);
    expect(textsOf(await messages(client, third)).filter((text) => text.startsWith('user'))).toEqual([
      'user: one',
      'user: two',
    ]);
  });

  test('described where that is asked for', async () => {
    const client = connect(open().gateway);
    const file = await keep(client, 'first', 'one');
    const answer = await client.ask({ type: 'load-session', path: file, describe: true, id: 'next' });
    expect(answer).toMatchObject({
      ok: true,
      data: { session: { id: 'next' }, state: { messageCount: 2, running: false } },
    });
  });

  test('an id that is taken: nothing is opened, nothing is closed', async () => {
    const client = connect(open().gateway);
    const file = await keep(client, 'first', 'one');
    expect(await client.ask({ type: 'load-session', path: file, id: 'first' })).toMatchObject({
      ok: false,
      code: 'conflict',
    });
    expect(await messages(client, 'first')).toHaveLength(2);
    const { data } = await client.ask({ type: 'list-sessions' });
    expect(data).toMatchObject({ sessions: [{ id: 'first' }] });
  });

  test.each<[string, (file: string) => string, string]>([
    ['one that is not there', (file) => file.replace('.jsonl', 'x.jsonl'), 'must point to an existing session file'],
    ['somebody else’s file', () => join(base, 'other.jsonl'), 'must be under an allowed session directory'],
    ['a relative path', () => 'state/sessions/a.jsonl', 'must be an absolute path'],
    ['a way up', () => `${folder}/../sessions/a.jsonl`, 'contains potentially dangerous path components'],
    ['the home of a user', () => '~/a.jsonl', 'contains potentially dangerous path components'],
    ['another kind of file', () => `${folder}/a.txt`, 'must point to a .jsonl or .json session file'],
    ['no session', () => join(folder, 'no.jsonl'), 'must point to an existing session file'],
  ])('%s is refused and leaves nothing behind', async (_what, path, fault) => {
    const client = connect(open().gateway);
    const file = await keep(client, 'first', 'one');
    writeFileSync(join(base, 'other.jsonl'), readFileSync(file));
    writeFileSync(join(folder, 'no.jsonl'), '{"type":"something else"}\n');
    const answer = await client.ask({ type: 'load-session', path: path(file) });
    expect(answer).toMatchObject({
      ok: false,
      code: 'invalid',
      message: expect.stringContaining(`sessionPath ${fault}`),
    });
    expect(answer.message).not.toContain(base);
    expect((await client.ask({ type: 'list-sessions' })).data).toMatchObject({ sessions: [{ id: 'first' }] });
  });
});

describe('what is written', () => {
  test('nothing for a session in which nothing was said, and nothing without the wish', async () => {
    const client = onNetwork(open().gateway);
    await client.open({ id: 'silent', keep: true });
    await client.ask({ type: 'set-name', name: 'a name' }, 'silent');
    await client.ask({ type: 'delete-session' }, 'silent');
    await client.open({ id: 'unkept' });
    await run(client, 'unkept', 'hello');
    await client.ask({ type: 'delete-session' }, 'unkept');
    expect(existsSync(folder)).toBe(false);
    expect(await list(client)).toEqual([]);
  });

  test('lines that only this user can read: what it is, messages, changes', async () => {
    const client = onNetwork(open().gateway);
    await client.open({ id: 'a', keep: true });
    await client.ask({ type: 'set-name', name: 'before' }, 'a');
    await run(client, 'a', 'hello');
    await client.ask({ type: 'set-name', name: 'after' }, 'a');
    await run(client, 'a', 'again');
    await client.ask({ type: 'delete-session' }, 'a');
    const [file = ''] = files();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const lines = linesOf(file);
    expect(lines[0]).toMatchObject({ type: 'patchbay-session', version: 1, id: 'a', agent: 'fast', name: 'before' });
    const shape = lines.slice(1).map(({ type, role, changes }) => role ?? changes?.name ?? type);
    expect(shape).toEqual(['user', 'assistant', 'after', 'user', 'assistant']);
  });

  test('a run that is cut by the end of its session is kept as far as it came', async () => {
    const client = onNetwork(open().gateway);
    await client.open({ id: 'a', keep: true });
    await client.ask(prompt('hang'), 'a');
    await client.ask({ type: 'delete-session' }, 'a');
    const [file = ''] = files();
    expect(linesOf(file).map(({ role }) => role)).toEqual([undefined, 'user', 'assistant']);
  });

  test('two that go on with the same file do not write into each other’s', async () => {
    const client = onNetwork(open().gateway);
    const file = await keep(client, 'a', 'one');
    await load(client, file, { id: 'b', keep: true });
    await run(client, 'b', 'of b');
    await run(client, 'a', 'of a');
    for (const id of ['a', 'b']) await client.ask({ type: 'delete-session' }, id);
    const users = files().map((name) =>
      linesOf(name).flatMap(({ role, content }) => (role === 'user' ? [content[0].text] : [])),
    );
    expect(users.sort()).toEqual([
      ['one', 'of a'],
      ['one', 'of b'],
    ]);
  });

  test('somebody else has written into it: nothing more is written, and it is said so', async () => {
    const { gateway, rows } = open();
    const client = onNetwork(gateway);
    const file = await keep(client, 'a', 'one');
    writeFileSync(file, 'something', { flag: 'a' });
    const then = readFileSync(file, 'utf8');
    await run(client, 'a', 'two');
    await client.ask({ type: 'delete-session' }, 'a');
    expect(readFileSync(file, 'utf8')).toBe(then);
    expect(JSON.stringify(rows)).toContain('the session is not kept any more');
  });

  test('a directory that cannot be written to: the session goes on, and it is said so', async () => {
    const { gateway, rows } = open({ sessionDirectory: join(base, 'file', 'below') });
    writeFileSync(join(base, 'file'), '');
    const client = onNetwork(gateway);
    await client.open({ id: 'a', keep: true });
    await run(client, 'a', 'one');
    await run(client, 'a', 'two');
    expect(await messages(client, 'a')).toHaveLength(4);
    expect(rows.filter((row) => JSON.stringify(row).includes('not kept any more'))).toHaveLength(1);
    await client.hear('the warning', (frame) => JSON.stringify(frame).includes('This session is not kept any more'));
    const reason = 'sessions that cannot be written to their files: 1';
    expect(gateway.board.obstacles()).toEqual([reason]);
    await client.ask({ type: 'delete-session' }, 'a');
    expect(gateway.board.obstacles()).toEqual([]);
  });

  test('a line that a crash has cut is dropped, and the next one is whole', async () => {
    const first = onNetwork(open().gateway);
    const file = await keep(first, 'a', 'one', 'two');
    const whole = readFileSync(file, 'utf8');
    await first.ask({ type: 'delete-session' }, 'a');
    writeFileSync(file, whole.slice(0, -20));
    const client = onNetwork(open().gateway);
    const loaded = await load(client, file, { keep: true });
    expect(textsOf(await messages(client, loaded)).map((text) => text.slice(0, 9))).toEqual([
      'user: one',
      'assistant',
      'user: two',
    ]);
    await run(client, loaded, 'three');
    await client.ask({ type: 'delete-session' }, loaded);
    const last = await load(client, file);
    expect(textsOf(await messages(client, last)).filter((text) => text.startsWith('user'))).toEqual([
      'user: one',
      'user: two',
      'user: three',
    ]);
  });
});

describe('who goes on with it', () => {
  test('the usual agent, when its own is not configured any more', async () => {
    const client = onNetwork(open({ agents: { ...fast, gone: fast.fast } }).gateway, { agent: 'gone' });
    const file = await keep(client, 'a', 'one');
    expect(linesOf(file)[0]).toMatchObject({ agent: 'gone' });
    const { gateway } = open();
    const later = onNetwork(gateway);
    const id = await load(later, file);
    expect(gateway.board.session(id, owner).agent).toBe('fast');
    expect(await messages(later, id)).toHaveLength(2);
  });

  test('one that cannot be told what was said: the messages are there, and its user hears that it has forgotten', async () => {
    const client = onNetwork(open().gateway);
    const file = await keep(client, 'a', 'one');
    // A program that never answers.
    const agents = { fast: { protocol: 'pi', command: [process.execPath, '-e', 'process.stdin.resume()'] } };
    const { gateway } = openGateway({ sessionDirectory: folder, agents });
    const later = onNetwork(gateway);
    const id = await load(later, file, { keep: true });
    later.say({ watch: id, as: id });
    later.say({ deliver: prompt('and now?'), session: id });
    const warning = await later.hear('a warning', ({ event }) => event?.type === 'notice');
    expect(warning.event?.text).toContain('does not remember');
  });

  test('the folder of the file, if it may be used', async () => {
    const [allowed, other] = [join(base, 'allowed'), join(base, 'other')];
    for (const one of [allowed, other]) mkdirSync(one);
    const config = { roots: [allowed] };
    const owning = onStdio(open(config).gateway);
    await owning.open({ id: 'a', keep: true, cwd: allowed });
    await run(owning, 'a', 'one');
    await owning.open({ id: 'b', keep: true, cwd: other });
    await run(owning, 'b', 'two');
    const stored = await list(owning);
    const client = onNetwork(open(config).gateway);
    const answers = await Promise.all(
      ['a', 'b'].map((id) =>
        client.ask({ type: 'load-session', path: stored.find((one) => one.id === id)?.file ?? '' }),
      ),
    );
    expect(answers[0]?.data).toMatchObject({ problems: [] });
    expect(answers[1]?.data).toMatchObject({ problems: [expect.stringContaining('was left out')] });
  });
});

describe('who brought a file from elsewhere', () => {
  const agents = {
    ...fast,
    other: fast.fast,
    theirs: { protocol: 'pi', command: ['nothing'], env: { HOME: '/none' } },
  };

  /** The file of a session with the agent `other`, in the session folder and as a copy in a project. */
  async function brought(): Promise<{ inside: string; outside: string }> {
    const client = onNetwork(open({ agents }).gateway, { agent: 'other' });
    const inside = await keep(client, 'a', 'one');
    const outside = join(base, 'root', 'one', '.pi', 'sessions', 'a.jsonl');
    mkdirSync(join(outside, '..'), { recursive: true });
    writeFileSync(outside, readFileSync(inside));
    return { inside, outside };
  }

  test.each<[string, 'inside' | 'outside', string | undefined, string]>([
    ['of our own', 'inside', undefined, 'other'],
    ['of our own', 'inside', 'fast', 'other'],
    ['from elsewhere', 'outside', undefined, 'fast'],
    ['from elsewhere', 'outside', 'fast', 'fast'],
    ['from elsewhere', 'outside', 'other', 'other'],
  ])('a file %s (%s), for a client that wants %s: %s goes on', async (_name, place, agent, chosen) => {
    const path = (await brought())[place];
    const { gateway } = open({ agents, roots: [join(base, 'root')] });
    const client = onNetwork(gateway, { ...(agent && { agent }) });
    const id = await load(client, path);
    expect(gateway.board.session(id, owner).agent).toBe(chosen);
    expect(await messages(client, id)).toHaveLength(2);
  });
});

describe('files that somebody has made to keep us busy', () => {
  const head = (id: string) =>
    `${JSON.stringify({ type: 'patchbay-session', version: 1, id, agent: 'fast', createdAt: 't' })}\n`;
  const put = (name: string, text: string) => {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${name}.jsonl`);
    writeFileSync(file, text);
    utimesSync(file, 1, Number(name.replaceAll(/\D/gu, '')));
    return file;
  };
  test.each<[string, string]>([
    ['empty lines', '\n'.repeat(200_000)],
    ['objects that say nothing', '{}\n'.repeat(50_000)],
    ['names that are none', '{"type":"session-changed"\n'.repeat(150_000)],
  ])('%s: listed, but neither counted nor loaded', async (_name, lines) => {
    const file = put('1', head('a') + lines);
    const client = onStdio(open().gateway);
    const [told] = await list(client);
    expect(told).toMatchObject({ id: 'a', file });
    expect(told).not.toHaveProperty('messageCount');
    expect(await client.ask({ type: 'load-session', path: file })).toMatchObject({ ok: false, code: 'limit' });
    expect((await client.ask({ type: 'list-sessions' })).data).toEqual({ sessions: [] });
  });

  /** The number of listed files that were read to their end. */
  const counted = async (client: RelayClient) =>
    (await list(client)).filter(({ messageCount }) => messageCount !== undefined).length;

  test.each<[string, string, number, number[]]>([
    ['lines', '{}\n'.repeat(19_000), 25, [10, 20, 25, 25]],
    ['bytes', `{"a":"${'x'.repeat(3 * 1024 * 1024)}"}\n`, 12, [10, 12, 12]],
  ])(
    'many %s: one list reads so many and no more, and what it has read it knows',
    async (_what, lines, many, expected) => {
      for (let number = 1; number <= many; number += 1) put(String(number), head(`s${number}`) + lines);
      const client = onStdio(open().gateway);
      expect(await list(client)).toHaveLength(many);
      const later: number[] = [];
      for (const _ of expected.slice(1)) later.push(await counted(client));
      expect(later).toEqual(expected.slice(1));
      expect(await counted(onStdio(open().gateway))).toBe(expected[0]);
    },
  );

  test('what was written since is seen', async () => {
    const file = put('1', head('a'));
    const client = onStdio(open().gateway);
    expect(await list(client)).toMatchObject([{ messageCount: 0 }]);
    writeFileSync(file, '{"type":"message-added","role":"user","content":[]}\n', { flag: 'a' });
    expect(await list(client)).toMatchObject([{ messageCount: 1 }]);
  });
});

test('a file has no two dots in its name, for some protocols have no such path', async () => {
  const client = onNetwork(open().gateway);
  const file = await keep(client, 'a..b.c', 'one');
  expect(file).toMatch(/\/[\w-]+_a--b-c\.jsonl$/u);
  expect(await list(client)).toMatchObject([{ id: 'a..b.c' }]);
  await load(client, file);
});

describe('the list', () => {
  test('newest first, open ones under their ids; what is no session is not in it', async () => {
    const client = onNetwork(open().gateway);
    const file = await keep(client, 'a', 'one');
    await client.ask({ type: 'delete-session' }, 'a');
    await keep(client, 'b', 'two');
    mkdirSync(join(folder, 'a folder.jsonl'));
    writeFileSync(join(folder, 'empty.jsonl'), '');
    writeFileSync(join(folder, 'other.jsonl'), '{"type":"session","id":"x"}\n');
    writeFileSync(join(folder, 'newer.jsonl'), `${JSON.stringify({ ...linesOf(file)[0], version: 2 })}\n`);
    expect((await list(client)).map(({ id }) => id)).toEqual(['b', 'a']);
    await load(client, file, { id: 'c', keep: true });
    expect((await list(client)).map(({ id }) => id)).toEqual(['b', 'c']);
  });

  test('files that cannot be read are left out', async () => {
    const client = onNetwork(open().gateway);
    const file = await keep(client, 'a', 'one');
    writeFileSync(file.replace('_a', '_z'), 'nothing\n');
    if (process.getuid?.() !== 0) chmodSync(file.replace('_a', '_z'), 0);
    expect((await list(client)).map(({ id }) => id)).toEqual(['a']);
  });

  test('the files of a session’s agent in its folder', async () => {
    const client = onStdio(open().gateway);
    const file = await keep(client, 'a', 'one');
    await client.open({ id: 'elsewhere', keep: true, cwd: base });
    await run(client, 'elsewhere', 'two');
    const answer = await client.ask({ type: 'query', subject: 'session-files' }, 'a');
    expect(answer.data).toEqual({
      files: [
        { path: file, name: expect.stringMatching(/_a\.jsonl$/u), modifiedAt: expect.stringMatching(/^20.*Z$/u) },
      ],
    });
  });
});

describe('files of an agent that keeps its own', () => {
  /** A program that answers each line with the result of a function. `answer`: the source text of the function. */
  const program = (answer: string) => ({
    protocol: 'pi',
    command: [
      process.execPath,
      '-e',
      `const answer = ${answer};
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const asked = JSON.parse(line);
        const told = answer(asked);
        if (told === null) process.exit(3);
        process.stdout.write(JSON.stringify({ id: asked.id, type: 'response', command: asked.type, ...told }) + '\\n');
      });`,
    ],
    env: { HOME: base },
  });
  const state = { sessionId: 'x', thinkingLevel: 'off', isStreaming: false, isCompacting: false, messageCount: 1 };
  const obliging = `({ type, sessionPath }) => ({ success: true, data: { ${[
    `get_state: ${JSON.stringify(state)}`,
    "get_messages: { messages: [{ role: 'user', content: 'of ' + globalThis.opened, timestamp: 1 }] }",
    'switch_session: { cancelled: false, ...(globalThis.opened ??= sessionPath, {}) }',
  ].join(', ')} }[type] })`;

  /** Creates a session file of the agent below its home directory. */
  function stored(...names: readonly string[]): string {
    const path = join(base, ...(names.length === 0 ? ['.pi', 'agent', 'sessions', 'of', 'x.jsonl'] : names));
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, `${JSON.stringify({ type: 'session', version: 3, id: 'abc', timestamp: 't', cwd: base })}\n`);
    return path;
  }
  const openWith = (answer: string, config: object = {}) =>
    open({ agents: { ...fast, theirs: program(answer) }, ...config }).gateway;

  test('are listed, and opened by that agent with its own command', async () => {
    const path = stored();
    const client = onStdio(openWith(obliging));
    expect(await list(client)).toEqual([
      {
        id: 'abc',
        createdAt: 't',
        cwd: base,
        messageCount: 0,
        file: path,
        exists: true,
        modifiedAt: expect.stringMatching(/^\d{4}-/u),
      },
    ]);
    const id = await load(client, path, { keep: true });
    expect(textsOf(await messages(client, id))).toEqual([`user: of ${path}`]);
    expect((await client.ask({ type: 'list-sessions' })).data).toMatchObject({ sessions: [{ id, messageCount: 1 }] });
    expect(files()).toEqual([]);
  });

  test.each([
    ['refuses', '() => ({ success: false, error: "no" })', 'agent-refused'],
    [
      'does not want to',
      '({ type }) => ({ success: true, data: type === "switch_session" ? { cancelled: true } : {} })',
      'agent-refused',
    ],
    ['dies of it', '({ type }) => (type === "switch_session" ? null : { success: false })', 'agent-down'],
  ])('one that %s leaves nothing behind', async (_what, answer, code) => {
    const client = onStdio(openWith(answer));
    const answered = await client.ask({ type: 'load-session', path: stored(), id: 'x', describe: true });
    expect(answered).toMatchObject({ ok: false, code });
    expect((await client.ask({ type: 'list-sessions' })).data).toEqual({ sessions: [] });
    expect(await client.open({ id: 'x' })).toBe('x');
  });

  test('of a program that cannot be started', async () => {
    const agents = { ...fast, theirs: { ...program(obliging), command: [join(base, 'nothing')] } };
    const client = onStdio(open({ agents }).gateway);
    expect(await client.ask({ type: 'load-session', path: stored() })).toMatchObject({ ok: false, code: 'agent-down' });
    expect((await client.ask({ type: 'list-sessions' })).data).toEqual({ sessions: [] });
  });

  test('are nobody’s where no such agent is configured', async () => {
    const client = onStdio(open().gateway);
    const path = stored();
    expect(await list(client)).toEqual([]);
    expect(await client.ask({ type: 'load-session', path })).toMatchObject({ code: 'invalid' });
  });

  test('of a project, if it may be used', async () => {
    const [inside, outside] = [
      stored('root', 'one', '.pi', 'sessions', 'a.json'),
      stored('two', '.pi', 'sessions', 'b.json'),
    ];
    const client = onNetwork(openWith(obliging, { roots: [join(base, 'root')] }));
    expect((await list(client)).map(({ file }) => file)).toEqual([inside]);
    await load(client, inside);
    const allowed = '(those that the gateway keeps itself, ~/.pi/agent/sessions/, .pi/sessions/)';
    expect(await client.ask({ type: 'load-session', path: outside })).toMatchObject({
      message: `sessionPath must be under an allowed session directory ${allowed}`,
    });
  });

  test('may be switched to by a client on the network, and other files may not', async () => {
    const path = stored();
    const client = onNetwork(openWith(obliging), { agent: 'theirs' });
    const id = await client.open();
    expect(await client.ask({ type: 'switch-session', path }, id)).toMatchObject({ ok: true });
    writeFileSync(join(path, '..', 'notes.json'), '{"notes":1}\n');
    for (const other of [stored('elsewhere', 'x.jsonl'), join(path, '..', 'notes.json'), `${path}/../x.jsonl`]) {
      expect(await client.ask({ type: 'switch-session', path: other }, id)).toMatchObject({ code: 'invalid' });
    }
  });
});

describe('another conversation in the same session has another file', () => {
  const wordsIn = (file: string) => linesOf(file).map(({ type, role, content }) => content?.[0]?.text ?? role ?? type);
  const usersIn = (file: string) =>
    linesOf(file).flatMap(({ role, content }) => (role === 'user' ? [content[0].text] : []));

  async function infoOf(client: RelayClient, id: string) {
    const { data } = await client.ask({ type: 'query', subject: 'state' }, id);
    return z.object({ changes: z.object({ file: z.string(), name: z.string().optional() }) }).parse(data).changes;
  }

  /** The changes of the session file that the client was told. */
  const told = (client: RelayClient) =>
    client.told.flatMap(({ event }) => {
      const changes = z.object({ file: z.string(), name: z.string().optional() }).safeParse(event?.changes).data;
      return changes === undefined ? [] : [changes];
    });

  test('a new one: the old one stays as it is, listed and loadable', async () => {
    const client = onNetwork(open().gateway);
    const old = await keep(client, 'a', 'one');
    await client.ask({ type: 'set-name', name: 'the first' }, 'a');
    const seen = told(client).length;
    expect(await client.ask({ type: 'new-session' }, 'a')).toMatchObject({ ok: true });
    const { file, name = '' } = await infoOf(client, 'a');
    expect([file === old, name, existsSync(file)]).toEqual([false, '', false]);
    expect(told(client).slice(seen)).toEqual([{ file, name: '' }]);

    await run(client, 'a', 'two');
    expect([usersIn(old), usersIn(file)]).toEqual([['one'], ['two']]);
    const listed = await list(client);
    expect(listed.map((one) => [one.file, one.name, one.messageCount])).toEqual([
      [file, undefined, 2],
      [old, 'the first', 2],
    ]);
    const [current, left] = listed.map(({ id }) => id);
    expect(current).toBe('a');
    expect(old).toContain(`${left}.jsonl`);
    const again = await load(client, old, { keep: true });
    expect(textsOf(await messages(client, again))[0]).toBe('user: one');
    expect((await infoOf(client, again)).file).toBe(old);
  });

  test('each of many that begin in one moment', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const client = onNetwork(open().gateway);
    const seen = [await keep(client, 'a', 'one')];
    for (const text of ['two', 'three', 'four']) {
      await client.ask({ type: 'new-session' }, 'a');
      await run(client, 'a', text);
      seen.push((await infoOf(client, 'a')).file);
    }
    expect(seen.map(usersIn)).toEqual([['one'], ['two'], ['three'], ['four']]);
    expect(files()).toEqual([...seen].sort());
    const ids = async () => new Set((await list(client)).map(({ id }) => id)).size;
    expect(await ids()).toBe(4);
    await client.ask({ type: 'delete-session' }, 'a');
    expect(await ids()).toBe(4);
  });

  test('a fork: what was said until then, and what follows', async () => {
    const client = onNetwork(open().gateway);
    const old = await keep(client, 'a', 'one', 'two');
    const [, , second] = await messages(client, 'a');
    expect(await client.ask({ type: 'fork', entry: second?.id ?? '' }, 'a')).toMatchObject({ ok: true });
    await run(client, 'a', 'three');
    const { file } = await infoOf(client, 'a');
    expect([usersIn(old), usersIn(file)]).toEqual([
      ['one', 'two'],
      ['one', 'three'],
    ]);
    expect(wordsIn(file)).toHaveLength(5);
  });

  test('one that nobody else uses goes on where it is, under its own name', async () => {
    const client = onNetwork(open().gateway);
    const other = await keep(client, 'a', 'one');
    await client.ask({ type: 'set-name', name: 'the first' }, 'a');
    await client.ask({ type: 'delete-session' }, 'a');
    const own = await keep(client, 'b', 'two');
    await client.ask({ type: 'set-name', name: 'the second' }, 'b');
    expect(await client.ask({ type: 'switch-session', path: other }, 'b')).toMatchObject({
      data: { cancelled: false },
    });
    expect(await infoOf(client, 'b')).toMatchObject({ file: other, name: 'the first' });
    await run(client, 'b', 'three');
    expect([usersIn(other), usersIn(own)]).toEqual([['one', 'three'], ['two']]);
    expect((await list(client)).map(({ id, file, name }) => [id, file, name])).toEqual([
      ['b', other, 'the first'],
      [expect.stringMatching(/_b$/u), own, 'the second'],
    ]);
    // No session uses the old file any more.
    await load(client, own, { id: 'c', keep: true });
    expect((await infoOf(client, 'c')).file).toBe(own);
  });

  test('one that another session uses is copied', async () => {
    const client = onNetwork(open().gateway);
    const used = await keep(client, 'a', 'one');
    const own = await keep(client, 'b', 'two');
    expect(await client.ask({ type: 'switch-session', path: used }, 'b')).toMatchObject({ ok: true });
    const { file } = await infoOf(client, 'b');
    expect([used, own]).not.toContain(file);
    await run(client, 'b', 'of b');
    await run(client, 'a', 'of a');
    expect([used, own, file].map(usersIn)).toEqual([['one', 'of a'], ['two'], ['one', 'of b']]);
    expect(linesOf(file)[0]).toMatchObject({ type: 'patchbay-session', id: 'b' });
  });

  test('its own is no other', async () => {
    const { gateway, rows } = open();
    const client = onNetwork(gateway);
    const file = await keep(client, 'a', 'one');
    const named = client.ask({ type: 'set-name', name: 'in the same moment' }, 'a');
    const switched = client.ask({ type: 'switch-session', path: file }, 'a');
    expect(await Promise.all([named, switched])).toMatchObject([{ ok: true }, { ok: true }]);
    expect(await infoOf(client, 'a')).toMatchObject({ file, name: 'in the same moment' });
    await run(client, 'a', 'two');
    expect(usersIn(file)).toEqual(['one', 'two']);
    expect(files()).toEqual([file]);
    expect(JSON.stringify(rows)).not.toContain('not kept any more');
  });

  test('one that may not be had changes nothing', async () => {
    const client = onNetwork(open().gateway);
    const file = await keep(client, 'a', 'one');
    expect(await client.ask({ type: 'switch-session', path: '/etc/passwd' }, 'a')).toMatchObject({ code: 'invalid' });
    expect((await infoOf(client, 'a')).file).toBe(file);
    await run(client, 'a', 'two');
    expect(usersIn(file)).toEqual(['one', 'two']);
  });

  test('what is not kept has none', async () => {
    const client = onNetwork(open().gateway);
    await client.open({ id: 'a' });
    await run(client, 'a', 'one');
    await client.ask({ type: 'new-session' }, 'a');
    await run(client, 'a', 'two');
    expect([files(), told(client)]).toEqual([[], []]);
  });
});
