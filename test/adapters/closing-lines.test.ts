// The lines that end a block, a message, a turn and a run repeat the text. Whether the text is known by its bytes or read
// again, clients are told the same (decision 0011).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Adapter, adapters, createTranslator } from '../../src/index.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { mustTellAlike, mutationsOfAnyLine, oneOf, pass } from '../support/hot-path.ts';
import { hostileText, knownText } from '../support/long-texts.ts';

const user = { role: 'user', content: [{ type: 'text', text: 'hello' }] };

/** A run of pi that thinks, speaks and calls a tool, and speaks again. */
function runOfPi(thought: string, text: string, argument: string, result: string): string[] {
  const call = { type: 'toolCall', id: 'call-1', name: 'write', arguments: { path: 'a', content: argument } };
  const base = { role: 'assistant', provider: 'p', model: 'm', stopReason: 'toolUse' };
  const update = (type: string, contentIndex: number, fields: object) =>
    ({ type: 'message_update', assistantMessageEvent: { type, contentIndex, ...fields } }) as const;
  const block = (kind: string, index: number, whole: string, end: object) => [
    update(`${kind}_start`, index, kind === 'toolcall' ? { id: 'call-1', toolName: 'write' } : {}),
    ...(whole.match(/[\s\S]{1,400}/gu) ?? []).map((delta) => update(`${kind}_delta`, index, { delta })),
    update(`${kind}_end`, index, end),
  ];
  const thinking = { type: 'thinking', thinking: thought };
  const said = { type: 'text', text };
  const first = { ...base, content: [thinking, said, call] };
  const second = { ...base, stopReason: 'stop', content: [said] };
  const answer = {
    role: 'toolResult',
    toolCallId: 'call-1',
    toolName: 'write',
    content: [{ type: 'text', text: result }],
  };
  const ran = { toolCallId: 'call-1', toolName: 'write' };
  return [
    { type: 'agent_start' },
    { type: 'turn_start' },
    { type: 'message_start', message: user },
    { type: 'message_end', message: user },
    { type: 'message_start', message: { ...base, content: [] } },
    ...block('thinking', 0, thought, { content: thought }),
    ...block('text', 1, text, { content: text }),
    ...block('toolcall', 2, JSON.stringify(call.arguments), { toolCall: call }),
    { type: 'message_end', message: first },
    { type: 'tool_execution_start', ...ran, args: call.arguments },
    { type: 'tool_execution_end', ...ran, result: { content: answer.content }, isError: false },
    { type: 'message_start', message: answer },
    { type: 'message_end', message: answer },
    { type: 'turn_end', message: first, toolResults: [answer] },
    { type: 'turn_start' },
    { type: 'message_start', message: { ...base, content: [] } },
    ...block('text', 0, text, { content: text }),
    { type: 'message_end', message: second },
    { type: 'turn_end', message: second, toolResults: [] },
    { type: 'agent_end', messages: [user, first, answer, second], willRetry: false },
    { type: 'agent_settled', aborted: false },
  ].map((line) => JSON.stringify(line));
}

/** What may happen to a line. The texts in it are longer than a thousand characters. */
const mutations = {
  ...mutationsOfAnyLine,
  'another letter in a text': (line: string) => line.replace(/(x{600})x/u, '$1y'),
  'a letter more': (line: string) => line.replace(/(x{600})/u, '$1x'),
  'a text spelled in another way': (line: string) => line.replace(/(x{600})x/u, '$1\\u0078'),
  'a text as a name': (line: string) => line.replace(/("text":)("[^"\\]*x{600}[^"\\]*")/u, '$1{$2:1}'),
  'a text twice': (line: string) => line.replace(/"text":("(?:[^"\\]|\\.)*")/u, '"text":"other","text":$1'),
  'a mark in front': (line: string) => line.replace('{', '{"mark":"\u00910",'),
  'an escaped mark in front': (line: string) => line.replace('{', '{"mark":"\\u00910",'),
} as const;
type Mutation = keyof typeof mutations;

const text = fc.oneof({ weight: 3, arbitrary: knownText }, { weight: 1, arbitrary: hostileText });

/** The lines of an agent whose run says these texts, some of them changed. */
function streamsOf(agent: string, options = {}): fc.Arbitrary<Buffer> {
  const changes = fc.array(oneOf<Mutation>(mutations, 'none'), { maxLength: 20 });
  return fc.tuple(text, text, text, text, changes).map(([thought, said, argument, result, changed]) => {
    const run = runOfPi(thought, said, argument, result);
    const bytes = Buffer.from(`${run.join('\n')}\n`);
    const lines =
      agent === 'pi' ? run : pass([bytes], { from: 'pi', to: agent, options, way: 'slow' }).said.filter(isFrame);
    // Changed from the end on, where the texts are repeated.
    const told = lines.map((line, place) => mutations[changed[lines.length - place] ?? 'none'](line));
    return Buffer.from(`${told.join('\n')}\n`);
  });
}

const isFrame = (line: string) => line.startsWith('{');

describe('closing lines', () => {
  test.each([
    ['pi', {}, 'claude', {}],
    ['pi', {}, 'rpc-message', {}],
    ['pi', {}, 'pi', { dialect: 'delta-only' }],
    ['pi', {}, 'pi', { dialect: 'growing' }],
    ['pi', {}, 'eca', {}],
    ['claude', {}, 'claude', {}],
    ['claude', {}, 'pi', { dialect: 'delta-only' }],
    ['pi-legacy', {}, 'claude', {}],
  ] as const)('of %s %j tell %s clients %j the same, known or read', (from, agent, to, options) => {
    mustTellAlike(streamsOf(from, agent), from, to, 12, options);
  });

  test('of the agent are told what the run has said', () => {
    const words = 'word '.repeat(1000);
    const known = new Map<string, readonly string[]>();
    const translator = translatorOf(adapters.get('pi'));
    for (const line of runOfPi('thought '.repeat(500), words, 'argument '.repeat(500), 'short')) {
      const { bytes, text: said, json } = createFrame(Buffer.from(line));
      const mayRepeat = (texts: () => readonly string[]) => void known.set(said, texts());
      translator.frame({ bytes, text: said, json, from: () => createFrame(bytes), mayRepeat });
    }
    const ofEnd = [...known].find(([line]) => line.startsWith('{"type":"agent_end"'))?.[1];
    expect(ofEnd?.map((one) => one.slice(0, 5))).toEqual(['word ', 'thoug', 'word ', 'argum']);
  });
});

function translatorOf(adapter: Adapter | undefined) {
  const env = { now: () => 0, id: (kind: string) => kind };
  const backend = adapter?.agent?.backend(env, {});
  const side = adapters.get('claude')?.client?.frontend(env, {});
  if (backend === undefined || side === undefined) throw new Error('no such adapter');
  return createTranslator({ id: 's', epoch: '0', backend, projection: side.projection, note: () => {} });
}
