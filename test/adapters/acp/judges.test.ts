// The judges of ACP, on a true conversation and on broken ones: each rule bites.
import { describe, expect, test } from 'vitest';
import { type AcpRow, acpTraces, noAcpTraces, rowOf } from '../../support/acp-traces.ts';
import { acpOrderFaults } from '../../support/judges/acp-order.ts';
import { acpSchemaFaults } from '../../support/judges/acp-schema.ts';

const ask = (id: unknown, method: string, params: object) => rowOf('in', { jsonrpc: '2.0', id, method, params });
const answer = (id: unknown, result: unknown) => rowOf('out', { jsonrpc: '2.0', id, result });
const update = (sessionUpdate: string, fields: object, sessionId = 's1') =>
  rowOf('out', {
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId, update: { sessionUpdate, ...fields } },
  });
const text = (words: string) => update('agent_message_chunk', { content: { type: 'text', text: words } });
const permission = rowOf('out', {
  jsonrpc: '2.0',
  id: 0,
  method: 'session/request_permission',
  params: {
    sessionId: 's1',
    toolCall: { toolCallId: 'c1', title: 'ls' },
    options: [{ optionId: 'y', name: 'Allow', kind: 'allow_once' }],
  },
});
const permitted = (outcome: object) => rowOf('in', { jsonrpc: '2.0', id: 0, result: { outcome } });
const cancel = rowOf('in', { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's1' } });

const start: readonly AcpRow[] = [
  ask(0, 'initialize', { protocolVersion: 1, clientCapabilities: {} }),
  answer(0, { protocolVersion: 1 }),
  ask(1, 'session/new', { cwd: '/p', mcpServers: [] }),
  answer(1, { sessionId: 's1' }),
  ask(2, 'session/prompt', { sessionId: 's1', prompt: [{ type: 'text', text: 'List' }] }),
];
const call = update('tool_call', { toolCallId: 'c1', title: 'ls', kind: 'execute' });
const done = update('tool_call_update', { toolCallId: 'c1', status: 'completed' });
const end = answer(2, { stopReason: 'end_turn' });
const selected = permitted({ outcome: 'selected', optionId: 'y' });
const whole: readonly AcpRow[] = [...start, text('I list.'), call, permission, selected, done, text('Done.'), end];

describe('The judge of order', () => {
  test('passes a true conversation', () => {
    expect(acpOrderFaults(whole)).toEqual([]);
    const stopped = answer(2, { stopReason: 'cancelled' });
    const calls = [call, permission, cancel, permitted({ outcome: 'cancelled' })];
    const failed = update('tool_call_update', { toolCallId: 'c1', status: 'failed' });
    expect(acpOrderFaults([...start, ...calls, failed, stopped])).toEqual([]);
  });

  test.each<[string, string, readonly AcpRow[]]>([
    ['an update before its session is known', '3.20', [...start.slice(0, 3), text('hi'), ...start.slice(3), end]],
    ['text behind the answer', '4.27', [...start, end, text('late')]],
    ['a second prompt', '4.31', [...start, ask(3, 'session/prompt', { sessionId: 's1' }), end, answer(3, {})]],
    ['a call that is not created', '4.35', [...start, done, end]],
    ['a call that is created twice', '4.35', [...start, call, call, done, end]],
    ['a call that never ends', '4.42', [...start, call, end]],
    [
      'an option of nobody',
      '4.44',
      [...start, call, permission, permitted({ outcome: 'selected', optionId: 'z' }), done, end],
    ],
    ['a cancelled prompt with another end', '4.48', [...start, cancel, end]],
    [
      'a question that is answered though its turn was cancelled',
      '4.48',
      [...start, call, permission, cancel, selected, done, answer(2, { stopReason: 'cancelled' })],
    ],
    ['no answer', '1.2', start],
    ['two answers', '1.2', [...start, end, end]],
  ])('bites on %s', (_, rule, rows) => {
    const faults = acpOrderFaults(rows);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${rule} `, 'u'));
  });
});

describe('The judge of shape', () => {
  test('passes a true conversation', () => {
    expect(acpSchemaFaults(whole)).toEqual([]);
  });

  test.each<[string, AcpRow]>([
    ['a chunk without text', update('agent_message_chunk', { content: { type: 'text' } })],
    ['a call without title', update('tool_call', { toolCallId: 'c1' })],
    ['a mode without id', update('current_mode_update', { modeId: 'a' })],
    ['an answer of the wrong type', answer(2, { stopReason: 'finished' })],
    ['a request without its params', ask(9, 'session/load', { sessionId: 's1' })],
    [
      'a form with a field of an unknown type',
      rowOf('out', {
        jsonrpc: '2.0',
        id: 8,
        method: 'elicitation/create',
        params: {
          sessionId: 's1',
          mode: 'form',
          message: 'Well?',
          requestedSchema: { type: 'object', properties: { it: { type: 'hologram' } } },
        },
      }),
    ],
    ['no envelope', rowOf('out', { id: 2, result: {} })],
  ])('bites on %s', (_, row) => {
    expect(acpSchemaFaults([...whole.slice(0, -1), row])).toHaveLength(1);
  });

  // Real programs fit but for one vendor's method (docs/protocols/acp.md 1.9) and the broken lines of `unknown`.
  test
    .skipIf(noAcpTraces !== null)
    .each(['claude-agent-acp-0.101.0', 'codex-acp-2.6.0', 'pi-acp-0.0.34', 'gemini-cli-0.61.0'])(
    `passes what %s said`,
    (program) => {
      for (const { scenario, connections } of acpTraces(program)) {
        if (scenario === 'unknown' || scenario.startsWith('version')) continue;
        for (const rows of connections) expect(acpSchemaFaults(rows), scenario).toEqual([]);
      }
    },
  );
});
