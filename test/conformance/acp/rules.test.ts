// Rules of ACP that no live conversation of ours shows: what a client asks of an agent that declares nothing, and the words of
// real agents in their order.
import { describe, expect, test } from 'vitest';
import { acpAgent } from '../../../src/conformance/acp/agent.ts';
import { acpClient } from '../../../src/conformance/acp/client.ts';
import type { CheckSet } from '../../../src/conformance/check/sets.ts';
import { judgeTrace } from '../../../src/conformance/trace/trace-file.ts';

type Said = readonly [by: 'agent' | 'client', message: object];

/** The ids of the checks that fail. */
function failed(set: CheckSet, said: readonly Said[], isComplete = true): string[] {
  const frames = said.map(([by, fields]) => {
    const json = { jsonrpc: '2.0', ...fields };
    return { at: 0, by, text: JSON.stringify(json), json };
  });
  return judgeTrace([set], [{ frames, isComplete }]).flatMap(({ results }) =>
    results.flatMap(({ id, verdict }) => (verdict === 'failed' ? [id] : [])),
  );
}

const clientInfo = { name: 'c', version: '1' };
const agentInfo = { name: 'a', version: '1' };
const greeted: readonly Said[] = [
  ['client', { id: 0, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {}, clientInfo } }],
  ['agent', { id: 0, result: { protocolVersion: 1, agentInfo, agentCapabilities: {} } }],
  ['client', { id: 1, method: 'session/new', params: { cwd: '/p', mcpServers: [] } }],
  ['agent', { id: 1, result: { sessionId: 's' } }],
];
const of = { sessionId: 's' };
const prompt: Said = [
  'client',
  { id: 2, method: 'session/prompt', params: { ...of, prompt: [{ type: 'text', text: 'hi' }] } },
];
const ended: Said = ['agent', { id: 2, result: { stopReason: 'end_turn' } }];
const update = (fields: object): Said => ['agent', { method: 'session/update', params: { ...of, update: fields } }];

describe('clients of an agent that declares nothing', () => {
  test.each([
    ['load-declared', 'session/load', { ...of, cwd: '/p', mcpServers: [] }],
    ['list-declared', 'session/list', {}],
    ['close-declared', 'session/close', of],
  ])('%s', (check, method, params) => {
    const asked: readonly Said[] = [
      ['client', { id: 2, method, params }],
      ['agent', { id: 2, error: { code: -32_601, message: 'Method not found' } }],
    ];
    expect(failed(acpClient, [...greeted, ...asked])).toEqual([`acp/client/${check}`]);
  });
});

describe('agents', () => {
  const chunk = update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'hello' } });
  const call = (sessionUpdate: string, status: string) =>
    update({ sessionUpdate, toolCallId: 'c', title: 'ls', kind: 'execute', status });

  test('a correct turn', () => {
    const turn = [prompt, chunk, call('tool_call', 'pending'), call('tool_call_update', 'completed'), ended];
    expect(failed(acpAgent, [...greeted, ...turn])).toEqual([]);
  });

  test.each<readonly [string, readonly Said[], readonly string[]]>([
    ['a banner before the first prompt is no fault', [chunk, prompt, chunk, ended], []],
    ['words behind the answer', [prompt, ended, chunk], ['acp/text-in-turn']],
    [
      'a title behind the answer is no fault',
      [prompt, ended, update({ sessionUpdate: 'session_info_update', title: 'T' })],
      [],
    ],
    ['an open call', [prompt, call('tool_call', 'pending'), ended], ['acp/call-ends']],
    ['a turn without an answer', [prompt], ['acp/prompt-answered']],
  ])('%s', (_name, said, checks) => expect(failed(acpAgent, [...greeted, ...said])).toEqual(checks));

  test('what is missing at the end of a recording that was cut off is no fault', () => {
    expect(failed(acpAgent, [...greeted, prompt, chunk], false)).toEqual([]);
  });
});
