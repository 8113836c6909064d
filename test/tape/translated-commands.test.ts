// `patchbay translate` over tapes: commands and their answers, in each protocol that has a word for them; and the columns
// of --explain.
import { expect, it, test } from 'vitest';
import { columnsOf, headOf } from '../../src/cli/translate/explain-columns.ts';
import { createExplainer } from '../../src/cli/translate/translate-explain.ts';
import { type TranslationEars, translationParts } from '../../src/cli/translate/translate-parts.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';

type Row = readonly ['in' | 'out', object];

const none = { client: {}, option: {} };

/** Both directions of a tape in another protocol, and what was lost. */
async function translated(from: string, to: string, rows: readonly Row[]) {
  const losses: string[] = [];
  const ears: TranslationEars = { note: (level, text) => void (level === 'loss' && losses.push(text)) };
  const commands = (await translationParts({ from, to, ...none }, ears)).commands();
  const told = rows.flatMap(([dir, message]) => {
    const line = JSON.stringify(message);
    return (dir === 'in' ? commands?.asked(line) : commands?.answered(line)) ?? [];
  });
  return { told: told.map(({ dir, text }) => [dir, JSON.parse(text)]), losses };
}

const models = [{ id: 'one', name: 'One', provider: 'p', api: 'a', reasoning: false, input: ['text'] }];
const piTape: Row[] = [
  ['in', { id: 'mine', type: 'set_model', provider: 'p', modelId: 'one' }],
  ['out', { id: 'mine', type: 'response', command: 'set_model', success: true, data: models[0] }],
  ['in', { id: 'bad', type: 'set_model', provider: 'p', modelId: 'nope' }],
  ['out', { id: 'bad', type: 'response', command: 'set_model', success: false, error: 'no such model' }],
];

test('answers of pi, as a Claude client asks and is answered', async () => {
  const { told, losses } = await translated('pi', 'claude', piTape);
  const ids = told.map(([, frame]) => frame.request_id ?? frame.response.request_id);
  expect(told).toMatchObject([
    ['in', { type: 'control_request', request: { subtype: 'set_model', model: 'one' } }],
    ['out', { type: 'control_response', response: { subtype: 'success' } }],
    ['in', { type: 'control_request', request: { subtype: 'set_model', model: 'nope' } }],
    ['out', { type: 'control_response', response: { subtype: 'error', error: 'no such model' } }],
  ]);
  expect([ids[0] === ids[1], ids[2] === ids[3], ids[0] === ids[2]]).toEqual([true, true, false]);
  expect(losses).toEqual([]);
});

test('answers of Claude Code, as a client of pi asks and is answered', async () => {
  const request = (id: string, subtype: string, fields = {}) => ({
    type: 'control_request',
    request_id: id,
    request: { subtype, ...fields },
  });
  const answer = (id: string, response: object) => ({
    type: 'control_response',
    response: { subtype: 'success', request_id: id, response },
  });
  const { told } = await translated('claude', 'pi', [
    ['in', request('a', 'initialize')],
    ['out', answer('a', { commands: [], models: [] })],
    ['in', request('b', 'set_max_thinking_tokens', { max_thinking_tokens: 0 })],
    ['out', answer('b', {})],
  ]);
  expect(told.slice(-2)).toMatchObject([
    ['in', { type: 'set_thinking_level', level: 'off' }],
    ['out', { type: 'response', command: 'set_thinking_level', success: true }],
  ]);
});

it('gives an answer without id to the oldest request of its kind', async () => {
  const { told } = await translated('pi', 'claude', [
    ['in', { type: 'set_model', provider: 'p', modelId: 'one' }],
    ['out', { type: 'response', command: 'set_model', success: false, error: 'busy' }],
  ]);
  expect(told[1]).toMatchObject(['out', { response: { subtype: 'error', error: 'busy' } }]);
});

it('answers nothing that the tape does not answer', async () => {
  const { told } = await translated('pi', 'claude', piTape.slice(0, 1));
  expect(told.map(([dir]) => dir)).toEqual(['in']);
});

test('a prompt, as an ECA client says it to the chat of the translation', async () => {
  const { told, losses } = await translated('pi', 'eca', [
    ['in', { id: 'p', type: 'prompt', message: 'hi' }],
    ['out', { id: 'p', type: 'response', command: 'prompt', success: true }],
  ]);
  expect(losses).toEqual([]);
  expect(told).toMatchObject([
    ['in', { method: 'chat/prompt', params: { chatId: 'translation', message: 'hi' } }],
    ['out', { result: { chatId: 'translation', status: 'prompting' } }],
  ]);
});

it('tells a command that the other protocol lacks, and a protocol whose clients nobody plays', async () => {
  const abort: Row[] = [['in', { id: '1', type: 'abort_retry' }]];
  expect((await translated('pi', 'claude', abort)).losses).toEqual([
    'the command abort did not cross: a Claude agent cannot abort a retry alone',
  ]);
  expect((await translated('pi', 'rpc-message', abort)).losses).toEqual([
    'nobody knows how clients of the protocol ask abort',
  ]);
});

/** What --explain says of these rows. */
async function explained(rows: readonly Row[]) {
  const explainer = await createExplainer({ from: 'pi', to: 'claude', ...none });
  const all = rows.map(([dir, message], at) =>
    explainer.frame(createFrame(Buffer.from(JSON.stringify({ dir, line: JSON.stringify(message) }))), at + 1),
  );
  return [...all, explainer.end()].flatMap((one) => one ?? []);
}

const run: Row[] = [
  ['in', { id: 'p', type: 'prompt', message: 'hi' }],
  ['out', { id: 'p', type: 'response', command: 'prompt', success: true }],
  ['out', { type: 'agent_start' }],
  [
    'out',
    { type: 'tool_execution_update', toolCallId: 't', toolName: 'bash', args: {}, partialResult: { content: [] } },
  ],
  ['in', { id: 'r', type: 'abort_retry' }],
];

it('explains commands, answers, events, losses and the end', async () => {
  const list = await explained(run);
  expect(list.map(({ line, dir, canonical }) => [line, dir, canonical.map(({ type }) => type)])).toMatchObject([
    [1, 'in', ['prompt']],
    [2, 'out', ['answer prompt']],
    [3, 'out', ['run-start']],
    [4, 'out', expect.any(Array)],
    [5, 'in', ['abort']],
    [null, 'out', expect.arrayContaining(['run-end'])],
  ]);
  expect(list[1]?.marks).toEqual([]);
  expect(list[4]?.marks).toMatchObject([{ level: 'loss', rule: 'ARCHITECTURE.md rule 3' }]);
  expect(list[0]?.frames.map(({ dir }) => dir)).toContain('in');
});

it.each([40, 80, 200])('keeps to %i columns, and moves no cursor', async (columns) => {
  const list = await explained([...run, ['out', { type: 'message_end', message: { role: '\u001b[2J\u202e漢' } }]]);
  const layout = { columns, isColoured: false };
  const text = headOf({ from: 'pi', to: 'claude' }, layout) + list.map((one) => columnsOf(one, layout)).join('');
  const lines = text.split('\n');
  expect(lines.filter((line) => [...line].length > columns && !line.includes('['))).toEqual([]);
  for (const sign of ['\u001b', '\u202e']) expect(text).not.toContain(sign);
  expect(text).toContain('[ARCHITECTURE.md rule 3]');
});

it('colours marks on a terminal only', async () => {
  const last = (await explained(run)).at(4);
  if (last === undefined) throw new Error('no row');
  expect(columnsOf(last, { columns: 80, isColoured: true })).toContain('\u001b[33m');
  expect(columnsOf(last, { columns: 80, isColoured: false })).not.toContain('\u001b');
});
