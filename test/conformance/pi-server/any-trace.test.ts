// Rules accept any trace and never throw: those of pi-servers, of their clients, and of Claude clients.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TraceFrame } from '../../../src/conformance/check/rule.ts';
import { claudeClient } from '../../../src/conformance/claude/client.ts';
import { piServerAgent } from '../../../src/conformance/pi-server/agent.ts';
import { piServerClient } from '../../../src/conformance/pi-server/client.ts';
import { rpcMessageClient } from '../../../src/conformance/rpc-message/client.ts';

/** Words of the wire, so that traces are wrong in detail and not only as a whole. */
const words = [
  ...[
    'server_ready',
    'server_shutdown',
    'response',
    'event',
    'command_accepted',
    'command_started',
    'command_finished',
  ],
  ...['session_created', 'session_deleted', 'prompt', 'create_session', 'switch_session', 'get_state', 'list_sessions'],
  ...['extension_ui_request', 'extension_ui_response', 'agent_start', 'agent_end', 'auto_retry_start', 'message_end'],
  ...['user', 'control_request', 'control_response', 'control_cancel_request', 'can_use_tool', 'mcp_message', 'result'],
  ...['initialize', 'hook_callback', 'query', 'queryWithContent', 'setModel', 'connect', 'disconnect', 'success'],
  ...['select', 'allow', 'deny', 'x', '__proto__', 'constructor', ''],
];
const names = [
  ...[
    'type',
    'id',
    'data',
    'command',
    'success',
    'error',
    'sessionId',
    'event',
    'commandId',
    'commandType',
    'response',
  ],
  ...[
    'requestId',
    'method',
    'dependsOn',
    'replayed',
    'sessionVersion',
    'ifSessionVersion',
    'idempotencyKey',
    'options',
  ],
  ...[
    'request',
    'request_id',
    'subtype',
    'message',
    'content',
    'params',
    'behavior',
    'hooks',
    'sdkMcpServers',
    'attempt',
  ],
  ...['messages', 'sessionInfo', 'protocolVersion', 'assistantMessageEvent', 'timeout', 'mcp_response'],
];
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>(...words, null, true, false, 0, 1, -1),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 7 }),
  ),
}));
const frame = fc.record({
  by: fc.constantFrom<TraceFrame['by']>('agent', 'client'),
  json: value,
  isFault: fc.boolean(),
});

test('no rule throws, and every finding is at a message', () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 12 }), fc.boolean(), (said, isComplete) => {
      const frames = said.map(({ by, json, isFault }): TraceFrame => {
        const text = JSON.stringify(json);
        return isFault ? { at: 0, by, text, isFault } : { at: 0, by, text, json };
      });
      for (const { rules } of [piServerAgent, piServerClient, claudeClient, rpcMessageClient]) {
        for (const rule of rules) {
          for (const { frame: place } of rule.judge({ frames, isComplete })) expect(frames[place]).toBeDefined();
        }
      }
    }),
    { numRuns: 100 },
  );
});
