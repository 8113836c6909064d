// Recordings of correct agents and front ends of the rpc-message dialect: no rule finds a violation. The corpus has
// none, so they are handmade.
import { describe, expect, test } from 'vitest';
import type { Trace } from '../../../src/conformance/check/rule.ts';
import { rpcMessageAgent } from '../../../src/conformance/rpc-message/agent.ts';
import { rpcMessageClient } from '../../../src/conformance/rpc-message/client.ts';
import type { Dictionary } from '../../../src/core/model/content.ts';
import { failedIn } from '../claude/failed-in.ts';

type Said = readonly ['agent' | 'client', Dictionary];
const trace = (said: readonly Said[]): Trace => ({
  isComplete: true,
  frames: said.map(([by, json]) => ({ at: 0, by, text: JSON.stringify(json), json })),
});

const ask = (id: string, method: string, params: Dictionary = {}): Said => ['client', { id, method, params }];
const answer = (id: string, result: Dictionary): Said => ['agent', { id, result, error: null }];
const stream = (data: Dictionary): Said => [
  'agent',
  { id: 'q', type: 'stream', data: { provider: 'claude', ...data } },
];
const event = (fields: Dictionary): Said => stream({ type: 'stream_event', uuid: 'u', session_id: 's', event: fields });
const starts = (id: string): Said => event({ type: 'message_start', message: { id, content: [] } });
const block = (start: Dictionary, delta: Dictionary): Said[] => [
  event({ type: 'content_block_start', index: 0, content_block: start }),
  event({ type: 'content_block_delta', index: 0, delta }),
  event({ type: 'content_block_stop', index: 0 }),
];
const stops = (reason: string): Said[] => [
  event({ type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 2 } }),
  event({ type: 'message_stop' }),
];
const assistant = (id: string, content: Dictionary): Said =>
  stream({ type: 'assistant', id, message: { id, content: [content] } });
const result = (more: Dictionary = {}): Said =>
  stream({
    ...{ type: 'result', subtype: 'success', is_error: false, duration_ms: 1, duration_api_ms: 1, num_turns: 1 },
    ...{ session_id: 's', total_cost_usd: 0, ...more },
  });
const tool = { type: 'tool_use', id: 't', toolName: 'Bash', toolType: 'CLAUDE_BASH', status: 'in_progress' };
const returned: Dictionary = {
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'a', is_error: false }] },
};
const complete: Said = ['agent', { id: 'q', type: 'complete' }];
const capabilities = { canInterrupt: true, canSwitchModel: true, canSwitchPermissionMode: true };
const greets: readonly Said[] = [
  ask('c', 'connect'),
  answer('c', { sessionId: 's', provider: 'claude', status: 'connected', capabilities }),
];
const asked = ask('q', 'query', { message: 'go' });
const text = [
  ...[starts('b'), ...block({ type: 'text', text: '' }, { type: 'text_delta', text: 'hi' }), ...stops('end_turn')],
  assistant('b', { type: 'text', text: 'hi' }),
];
const called = (json: string, reason: string) => [
  ...[
    starts('a'),
    ...block({ ...tool, input: {} }, { type: 'input_json_delta', partial_json: json }),
    ...stops(reason),
  ],
  assistant('a', { ...tool, input: {} }),
];
const whole = [
  ...greets,
  asked,
  ...called('{"command":"ls"}', 'tool_use'),
  stream(returned),
  ...text,
  result(),
  complete,
];

const truths: Readonly<Record<string, readonly Said[]>> = {
  'a whole one': whole,
  'arguments that max_tokens cut': [...greets, asked, ...called('{"comm', 'max_tokens'), result(), complete],
  'a method of a later version': [...greets, ask('n', 'setWeather'), answer('n', { status: 'set' })],
};

describe('correct conversations', () => {
  test.each(Object.entries(truths))('%s', (_, said) => {
    expect(failedIn(rpcMessageAgent, [trace(said)])).toEqual([]);
    expect(failedIn(rpcMessageClient, [trace(said)])).toEqual([]);
  });

  test('a recording may begin anywhere', () => {
    const wrong = whole.flatMap((_, at) => {
      const rest = trace(whole.slice(at));
      const client = failedIn(rpcMessageClient, [{ ...rest, isComplete: false }]);
      return [...failedIn(rpcMessageAgent, [rest]), ...client].map((one) => `${at}: ${one}`);
    });
    expect(wrong).toEqual([]);
  });

  test('a recording may hold one side only', () => {
    for (const said of Object.values(truths))
      for (const side of ['agent', 'client']) {
        const half = trace(said.filter(([by]) => by === side));
        expect(failedIn(rpcMessageAgent, [half])).toEqual([]);
        expect(failedIn(rpcMessageClient, [half])).toEqual([]);
      }
  });

  test('a null is reported once', () => {
    const said = [...greets, asked, stream({ ...returned, parent_tool_use_id: null, message: { content: [] } })];
    expect(failedIn(rpcMessageAgent, [{ ...trace(said), isComplete: false }])).toEqual([
      'rpc-message/no-null: user.parent_tool_use_id is null',
    ]);
  });
});
