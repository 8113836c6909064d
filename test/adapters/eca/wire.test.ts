// One hand-made message for each kind that a client sends and each kind that a server sends: what is right is taken, what is
// wrong is refused by name; no kind is without a fixture, and no fixture without its kind.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { eca } from '../../../src/adapters/eca/index.ts';
import { declared } from '../../../src/conformance/eca/methods.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { notifications, results } from '../../oracles/own/eca-shapes.ts';
import { stillEnv } from '../../support/decoding.ts';
import { fixturesFolder, scenarioLines, scenarioNames } from '../../support/fixtures.ts';
import { heard, judgedEca } from '../../support/judged-eca.ts';
import { connect } from './client.ts';

const folder = path.join(fixturesFolder, 'wire/eca');
const filesIn = (kind: 'valid' | 'invalid', side: 'client' | 'server') =>
  readdirSync(path.join(folder, kind))
    .filter((file) => file.startsWith(`${side}.`))
    .sort();
const read = (kind: 'valid' | 'invalid', file: string) =>
  JSON.parse(readFileSync(path.join(folder, kind, file), 'utf8'));

/** What a file is called after its side: the method, without the slash. */
const fileName = (method: string): string => method.replace('$/', '').replaceAll('/', '.');
const has = (kind: 'valid' | 'invalid', side: 'client' | 'server', name: string): boolean =>
  filesIn(kind, side).some((file) => file === `${side}.${name}.json` || file.startsWith(`${side}.${name}.`));

/** The headings of the document that name a message of a client, and what its parameters are made of. */
const fromClients = [
  ...['initialize', 'initialized', 'shutdown', 'exit', 'chat/prompt', 'chat/toolCallApprove', 'chat/toolCallReject'],
  ...['chat/queryContext', 'chat/queryCommands', 'chat/promptStop', 'chat/delete', 'mcp/startServer', 'mcp/stopServer'],
];
const contextsOfSeed = ['file', 'directory', 'web', 'repoMap', 'mcpResource'];
const fromServers = ['chat/contentReceived', 'tool/serverUpdated', '$/showMessage'];
const contentsOfSeed = [
  ...['text', 'url', 'progress', 'usage', 'reasonStarted', 'reasonText', 'reasonFinished'],
  ...['toolCallPrepare', 'toolCallRun', 'toolCalled', 'toolCallRejected'],
];

describe('what a client sends', () => {
  test.each(filesIn('valid', 'client'))('%s is taken', (file) => {
    const message = read('valid', file);
    if (typeof message.method === 'string') expect(file.startsWith(`client.${fileName(message.method)}.`)).toBe(true);
    const { sent, notes } = connect().raw(message);
    expect(notes.filter((note) => note.startsWith('violation'))).toEqual([]);
    expect(sent.filter(({ error }) => error !== undefined)).toEqual([]);
    const isRequest = message.method !== undefined && message.id !== undefined;
    const answers = sent.filter(({ id }) => id !== undefined && id === message.id);
    // A prompt is answered when its run has begun.
    if (isRequest && message.method !== 'chat/prompt') expect(answers).toHaveLength(1);
    if (!isRequest) expect(answers).toEqual([]);
  });

  test.each(filesIn('invalid', 'client'))('%s is refused by name, and the connection goes on', (file) => {
    const { code, problem, frame } = read('invalid', file);
    const client = connect();
    const { sent, delivered, notes } = client.raw(frame);
    expect(delivered).toEqual([]);
    const errors = sent.flatMap(({ error }) => (error === undefined ? [] : [error]));
    expect(errors).toEqual(code === null ? [] : [expect.objectContaining({ code })]);
    // Nobody hears of a notification that was wrong, but the log.
    expect(notes.filter((note) => note.startsWith('violation'))).toHaveLength(1);
    expect(JSON.stringify(code === null ? notes : errors)).toContain(problem);
    expect(client.raw(read('valid', 'client.chat.queryCommands.json')).sent.at(-1)).toHaveProperty('result');
  });

  test.each(fromClients)('%s has a fixture', (method) => {
    expect(has('valid', 'client', fileName(method))).toBe(true);
  });

  test.each(contextsOfSeed)('so has the context %s', (type) => {
    expect(has('valid', 'client', `chat.prompt.context.${type}`)).toBe(true);
  });
});

/** Promises about the messages around one. */
const ofOrder = /^eca\/own\/(?:arguments|calls|runs|statuses|thoughts)$/u;

/** What the judges find in a message of a server that stands alone, or answers a request of that method. */
function problemsWith(message: Readonly<Record<string, unknown>>, asked?: string): string[] {
  const request = { jsonrpc: '2.0', id: message.id, method: asked, params: { message: 'go' } };
  const talk = [...(asked === undefined ? [] : [{ by: 'client' as const, message: request }]), ...heard([message])];
  const found = judgedEca(talk, { complete: false }).filter(({ rule }) => !ofOrder.test(rule));
  return found.map(({ rule, says }) => `${rule}: ${says}`);
}

/** An agent's machine that has been greeted by a server, and what it makes of a message. */
function agent() {
  const backend = eca.agent?.backend(stillEnv(), {});
  if (backend === undefined) throw new Error('eca has no agent side');
  backend.start?.();
  const hello = { jsonrpc: '2.0', id: 1, result: read('valid', 'server.answer.initialize.json').result };
  return {
    hears(message: unknown) {
      const actions = backend.decode(createFrame(Buffer.from(JSON.stringify(message))));
      const delivered: Event[] = actions.flatMap((action) => (action.do === 'deliver' ? [action.message] : []));
      const notes = actions.flatMap((action) => (action.do === 'note' ? [`${action.level}: ${action.text}`] : []));
      return { delivered, notes };
    },
    hello,
  };
}

/** Those of newer or older servers, which the judge of ours does not let pass. */
const foreign = /\.(?:no-text|stopped|early|word|modern|newer|text|content)\.json$/u;

describe('what a server sends', () => {
  test.each(filesIn('valid', 'server').filter((file) => !file.startsWith('server.answer.')))(
    '%s is understood',
    (file) => {
      const message = read('valid', file);
      expect(file.startsWith(`server.${fileName(message.method)}.`)).toBe(true);
      const { hears, hello } = agent();
      hears(hello);
      const { notes } = hears(message);
      expect(notes.filter((note) => note.startsWith('violation'))).toEqual([]);
      if (!foreign.test(file)) expect(problemsWith(message)).toEqual([]);
    },
  );

  test.each(filesIn('valid', 'server').filter((file) => file.startsWith('server.answer.') && !file.includes('error')))(
    '%s is an answer as its askers read it',
    (file) => {
      const asked = [...results.keys()].find((method) => file.startsWith(`server.answer.${fileName(method)}.`));
      const message = read('valid', file);
      if (!foreign.test(file)) expect(problemsWith(message, asked)).toEqual([]);
      expect(Object.keys(message).sort()).toEqual(['id', 'jsonrpc', 'result']);
    },
  );

  test.each(filesIn('invalid', 'server'))('%s is refused by the judge, and harms no agent’s machine', (file) => {
    const { problem, frame } = read('invalid', file);
    const faults = judgedEca(heard([frame]), { complete: false });
    expect(faults.length).toBeGreaterThan(0);
    expect(`${JSON.stringify(faults)}`).toContain(problem);
    const { hears, hello } = agent();
    hears(hello);
    hears(frame);
    const { delivered } = hears(read('valid', 'server.showMessage.info.json'));
    expect(delivered).toMatchObject([{ type: 'notice', level: 'info' }]);
  });

  test.each([...fromServers, ...notifications.keys(), 'chat/askQuestion'])('%s has a fixture', (method) => {
    expect(has('valid', 'server', fileName(method))).toBe(true);
  });

  test.each(contentsOfSeed)('so has the content %s', (type) => {
    expect(has('valid', 'server', `chat.contentReceived.${type}`)).toBe(true);
  });

  test('so has everything that we say', () => {
    const said = scenarioNames.flatMap((name) => scenarioLines(name, 'eca').map((line) => JSON.parse(line)));
    const kinds = new Set(
      said.map(({ method, params }) =>
        method === 'chat/contentReceived' ? `${fileName(method)}.${params.content.type}` : fileName(method),
      ),
    );
    expect([...kinds].filter((kind) => !has('valid', 'server', kind))).toEqual([]);
    expect(kinds.size).toBeGreaterThan(10);
  });

  test('what a server may ask is known', () => {
    expect([...declared.keys()]).toContain('chat/askQuestion');
  });
});
