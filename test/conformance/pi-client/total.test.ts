// The rules of both generations of pi judge any trace and never throw.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeRules } from '../../../src/conformance/check/judge.ts';
import { piClient } from '../../../src/conformance/pi/client.ts';
import { piLegacyAgent } from '../../../src/conformance/pi-legacy/agent.ts';
import { piLegacyClient } from '../../../src/conformance/pi-legacy/client.ts';
import { eventTypes, updateTypes } from '../../../src/conformance/pi-legacy/shapes/agents.ts';

const commands = ['prompt', 'abort', 'compact', 'steer', 'set_model', 'extension_ui_request', 'extension_ui_response'];
const type = fc.constantFrom(...eventTypes, ...commands, 'response');
const block = fc.record(
  { type: fc.constantFrom('text', 'thinking', 'toolCall', 'image'), text: fc.jsonValue(), id: fc.jsonValue() },
  { requiredKeys: [] },
);
const message = fc.oneof(
  fc.record(
    {
      role: fc.constantFrom('user', 'assistant', 'toolResult'),
      content: fc.oneof(fc.array(block), fc.jsonValue()),
      stopReason: fc.constantFrom('stop', 'toolUse', 'aborted', 7),
      usage: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);
const event = fc.record(
  {
    type: fc.constantFrom(...updateTypes),
    contentIndex: fc.oneof(fc.nat(2), fc.jsonValue()),
    delta: fc.jsonValue(),
    content: fc.jsonValue(),
    partial: message,
    toolCall: fc.jsonValue(),
  },
  { requiredKeys: ['type'] },
);
const line = fc.record(
  {
    type,
    message: fc.oneof(message, fc.string()),
    messages: fc.oneof(fc.array(message), fc.jsonValue()),
    toolResults: fc.oneof(fc.array(message), fc.jsonValue()),
    assistantMessageEvent: fc.oneof(event, fc.jsonValue()),
    attachments: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
    images: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
    ...{ toolCallId: fc.jsonValue(), result: fc.jsonValue(), isError: fc.jsonValue(), id: fc.jsonValue() },
    ...{ method: fc.constantFrom('select', 'notify', 7), timeout: fc.jsonValue(), options: fc.jsonValue() },
  },
  { requiredKeys: ['type'] },
);
const text = fc.oneof(
  { weight: 6, arbitrary: line.map((json) => JSON.stringify(json)) },
  { weight: 1, arbitrary: fc.constantFrom('', 'null', '[]', '7', 'not json') },
);
const log = fc.array(fc.record({ at: fc.nat(), by: fc.constantFrom('us' as const, 'peer' as const), text }), {
  maxLength: 30,
});

test.each([
  ['pi-legacy agents', piLegacyAgent],
  ['pi-legacy clients', piLegacyClient],
  ['pi clients', piClient],
] as const)('%s', (_name, set) => {
  const us = set.side === 'agent' ? 'client' : 'agent';
  fc.assert(
    fc.property(log, fc.boolean(), (some, isComplete) => {
      const results = judgeRules(set.rules, [{ conversation: { connection: 'any', log: some }, us, isComplete }], []);
      expect(results.length).toBe(set.rules.length);
    }),
    { numRuns: 60 },
  );
});
