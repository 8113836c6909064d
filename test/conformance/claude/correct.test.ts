// Recordings of correct agents and clients of the native dialect, in unusual forms: one side alone, from the middle on,
// with newer kinds of message, inside HTTP events. No rule finds a violation.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Trace } from '../../../src/conformance/check/rule.ts';
import type { CheckSet } from '../../../src/conformance/check/sets.ts';
import { claudeAgent } from '../../../src/conformance/claude/agent.ts';
import { claudeClient } from '../../../src/conformance/claude/client.ts';
import { judgeTrace, readTraceFile } from '../../../src/conformance/trace/trace-file.ts';
import type { Dictionary } from '../../../src/core/model/content.ts';
import { failedIn } from './failed-in.ts';

type Said = readonly ['agent' | 'client', Dictionary];
let minted = 0;
const agent = (json: Dictionary): Said => {
  const around = { session_id: 's', uuid: `u${++minted}`, parent_tool_use_id: null };
  return ['agent', { ...(String(json.type).startsWith('control') ? {} : around), ...json }];
};
const client = (json: Dictionary): Said => ['client', json];
const trace = (said: readonly Said[]): Trace => ({
  isComplete: true,
  frames: said.map(([by, json]) => ({ at: 0, by, text: JSON.stringify(json), json })),
});

const usage = { input_tokens: 1, output_tokens: 1 };
const event = (fields: Dictionary): Said => agent({ type: 'stream_event', event: fields });
const open = { stop_reason: null, stop_sequence: null };
const head = (id: string) => ({ ...open, id, type: 'message', role: 'assistant', model: 'm', usage });
const starts = (id: string): Said => event({ type: 'message_start', message: { ...head(id), content: [] } });
const opens = (index: number, block: Dictionary): Said =>
  event({ type: 'content_block_start', index, content_block: block });
const piece = (index: number, delta: Dictionary): Said => event({ type: 'content_block_delta', index, delta });
const assistant = (id: string, block: Dictionary, more: Dictionary = {}): Said =>
  agent({ type: 'assistant', message: { ...head(id), content: [block] }, ...more });
const closes = (index: number): Said => event({ type: 'content_block_stop', index });
const stops = (reason: string): Said[] => [
  event({ type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 2 } }),
  event({ type: 'message_stop' }),
];
const text = (id: string, words: string): Said[] => [
  starts(id),
  opens(0, { type: 'text', text: '' }),
  piece(0, { type: 'text_delta', text: words }),
  assistant(id, { type: 'text', text: words }),
  closes(0),
  ...stops('end_turn'),
];
const call = (id: string, tool: string): Said[] => [
  starts(id),
  opens(0, { type: 'tool_use', id: tool, name: 'Bash', input: {} }),
  piece(0, { type: 'input_json_delta', partial_json: '{"command":"ls"}' }),
  assistant(id, { type: 'tool_use', id: tool, name: 'Bash', input: { command: 'ls' } }),
  closes(0),
  ...stops('tool_use'),
];
const returned = (tool: string, content = 'a file', isError = false): Said => {
  const block = { type: 'tool_result', tool_use_id: tool, content, is_error: isError };
  return agent({ type: 'user', message: { role: 'user', content: [block] } });
};
const result = (fields: Dictionary): Said => {
  const figures = { duration_ms: 1, duration_api_ms: 1, num_turns: 1, total_cost_usd: 0, stop_reason: 'end_turn' };
  const rest = { usage, modelUsage: {}, permission_denials: [] };
  return agent({ type: 'result', subtype: 'success', is_error: false, ...figures, ...rest, ...fields });
};
const init = (): Said =>
  agent({
    ...{ type: 'system', subtype: 'init', cwd: '/', tools: [], mcp_servers: [], model: 'm', permissionMode: 'default' },
    ...{ slash_commands: [], apiKeySource: 'none', output_style: 'default' },
  });
const prompt = (words: string): Said =>
  client({ type: 'user', message: { role: 'user', content: words }, parent_tool_use_id: null, session_id: '' });
const asks = (id: string, subtype: string): Said =>
  client({ type: 'control_request', request_id: id, request: { subtype } });
const answers = (id: string, response: Dictionary): Said =>
  agent({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
const greeting = { commands: [], models: [], output_style: 'default', available_output_styles: ['default'] };
const greets = (): Said[] => [asks('i', 'initialize'), answers('i', greeting)];
/** A call that is denied. */
const denied = (message = 'a', id = 't'): Said[] => {
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: id };
  const decision = { behavior: 'deny', message: 'not now' };
  return [
    ...call(message, id),
    agent({ type: 'control_request', request_id: 'r', request }),
    client({ type: 'control_response', response: { subtype: 'success', request_id: 'r', response: decision } }),
    returned(id, 'not now', true),
  ];
};
const denialOf = (id: string) => ({
  permission_denials: [{ tool_name: 'Bash', tool_use_id: id, tool_input: { command: 'ls' } }],
});
const failure = { is_error: true, num_turns: 2, ...denialOf('t') };
const apiError = 'API Error: 529';

const truths: Readonly<Record<string, readonly Said[]>> = {
  'arguments that max_tokens cut': [
    ...[...greets(), prompt('go'), init(), starts('a')],
    ...[opens(0, { type: 'tool_use', id: 't', name: 'Bash', input: {} })],
    ...[piece(0, { type: 'input_json_delta', partial_json: '{"comm' })],
    ...[assistant('a', { type: 'tool_use', id: 't', name: 'Bash', input: {} }), closes(0), ...stops('max_tokens')],
    result({ result: '', stop_reason: 'max_tokens' }),
  ],
  'a delta and an event of a later version': [
    ...[...greets(), prompt('go'), init(), starts('a'), opens(0, { type: 'text', text: '' })],
    ...[piece(0, { type: 'text_delta', text: 'hi' }), piece(0, { type: 'future_delta', future: 1 })],
    ...[event({ type: 'future_event' }), assistant('a', { type: 'text', text: 'hi' }), closes(0)],
    ...[...stops('end_turn'), result({ result: 'hi' })],
  ],
  'a denial, and the limit of turns': [
    ...[...greets(), prompt('go'), init(), ...denied()],
    result({
      ...failure,
      subtype: 'error_max_turns',
      errors: ['Reached maximum number of turns (1)'],
      stop_reason: 'tool_use',
    }),
  ],
  'a denial, and an error of the API': [
    ...[...greets(), prompt('go'), init(), ...denied()],
    assistant('x', { type: 'text', text: apiError }, { is_api_error_message: true, error: 'overloaded' }),
    result({ ...failure, result: `${apiError} (request 1)` }),
  ],
  'a second initialize that is refused': [
    ...[...greets(), asks('again', 'initialize')],
    agent({
      type: 'control_response',
      response: { subtype: 'error', request_id: 'again', error: 'Already initialized' },
    }),
    ...[prompt('go'), init(), ...text('a', 'hi'), result({ result: 'hi' })],
  ],
  'an init that begins another session': [
    ...[...greets(), prompt('/clear'), init()],
    ...[init(), result({ result: '', num_turns: 0 })].map(([by, json]): Said => [by, { ...json, session_id: 'next' }]),
  ],
  'a denial of a sub-agent, whose calls are not told': [
    ...[...greets(), prompt('go'), init(), ...call('a', 't')],
    agent({ type: 'user', message: { role: 'user', content: 'list' }, parent_tool_use_id: 't' }),
    ...[returned('t'), ...text('b', 'hi'), result({ ...denialOf('inner'), result: 'hi', num_turns: 2 })],
  ],
};

/** The recording, from each of its messages on. */
const whole = [
  ...[...greets(), prompt('go'), init(), ...call('a', 't'), returned('t'), ...text('b', 'hi')],
  ...[result({ result: 'hi', num_turns: 2 }), prompt('on'), init(), ...text('c', 'ho'), result({ result: 'ho' })],
];

const longest = [
  ...[...whole, prompt('and'), init(), ...denied('d', 'later'), ...text('e', 'no')],
  result({ ...denialOf('later'), result: 'no', num_turns: 2 }),
];

describe('correct conversations', () => {
  test.each(Object.entries(truths))('%s', (_, said) => {
    expect(failedIn(claudeAgent, [trace(said)])).toEqual([]);
    expect(failedIn(claudeClient, [trace(said)])).toEqual([]);
  });

  test('a recording may begin anywhere', () => {
    const wrong = longest.flatMap((_, at) => {
      const rest = trace(longest.slice(at));
      const client = failedIn(claudeClient, [{ ...rest, isComplete: false }]);
      return [...failedIn(claudeAgent, [rest]), ...client].map((one) => `${at}: ${one}`);
    });
    expect(wrong).toEqual([]);
  });

  test('a recording may hold one side only', () => {
    for (const said of [whole, ...Object.values(truths)])
      for (const side of ['agent', 'client']) {
        const half = trace(said.filter(([by]) => by === side));
        expect(failedIn(claudeAgent, [half])).toEqual([]);
        expect(failedIn(claudeClient, [half])).toEqual([]);
      }
  });

  test('unwraps events and posts', () => {
    const said: Trace = {
      isComplete: false,
      frames: whole.map(([by, json]) => {
        const events = JSON.stringify({ events: [{ payload: json }] });
        const carried = `id: 1\nevent: client_event\ndata: ${JSON.stringify({ payload: json })}\n\n`;
        return { at: 0, by, text: by === 'client' ? `POST /s/events ${events}` : carried };
      }),
    };
    expect(failedIn(claudeAgent, [said])).toEqual([]);
    const [judged] = judgeTrace([claudeAgent], [said]);
    const verdictOf = (name: string) => judged?.results.find(({ id }) => id === `claude/${name}`)?.verdict;
    expect(verdictOf('result-each-turn')).toBe('passed');
  });

  test('other text on the output is no event', () => {
    const said = trace(whole);
    const frames = [...said.frames, { at: 0, by: 'agent' as const, text: 'data: loading' }];
    expect(failedIn(claudeAgent, [{ ...said, frames }])).toEqual(['claude/message-type: data: loading is no message']);
  });
});

const folder = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'claude-sdk');
const recordings = (existsSync(folder) ? readdirSync(folder) : []).flatMap((kind) =>
  kind.endsWith('.md')
    ? []
    : readdirSync(join(folder, kind))
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => join(kind, name)),
);

/** The recorded side is judged; the other side was made for the recording. */
const setOf = (file: string): CheckSet => (file.startsWith('cli') ? claudeAgent : claudeClient);

describe.skipIf(recordings.length === 0)('one side of real recordings (absent without the corpus)', () => {
  test.each(recordings)('%s', (file) => {
    const traces = readTraceFile(readFileSync(join(folder, file), 'utf8'), { isComplete: true });
    for (const side of ['agent', 'client']) {
      const halves = traces.map((one) => ({ ...one, frames: one.frames.filter(({ by }) => by === side) }));
      expect(failedIn(setOf(file), halves)).toEqual([]);
    }
  });
});
