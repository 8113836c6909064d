// Laws that hold for whatever pi prints: no line throws, and all that is delivered is canonical and can be put in order.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventSchemas, updateSchemas } from '../../../src/adapters/pi/wire/events.ts';
import { requestSchemas } from '../../../src/adapters/pi/wire/extension.ts';
import { messageSchemas } from '../../../src/adapters/pi/wire/values.ts';
import { verify } from '../../../src/core/log/grammar.ts';
import { Command } from '../../../src/core/model/command.ts';
import { Event } from '../../../src/core/model/event.ts';
import { bench, wire } from './harness.ts';
import { inOrder } from './order.ts';

const oneOf = (values: object) => fc.constantFrom(...Object.keys(values), 'constructor', '__proto__');
const sometimes = <Value>(value: fc.Arbitrary<Value>) => fc.oneof({ weight: 6, arbitrary: value }, fc.jsonValue());
const index = fc.integer({ min: -1, max: 3 });

const block = fc.record(
  {
    type: sometimes(fc.constantFrom('text', 'thinking', 'toolCall', 'image', 'other')),
    text: sometimes(fc.string()),
    thinking: sometimes(fc.string()),
    id: sometimes(fc.constantFrom('t1', 't2')),
    name: sometimes(fc.constant('bash')),
    arguments: fc.jsonValue(),
    thinkingSignature: sometimes(fc.string()),
    data: sometimes(fc.string()),
  },
  { requiredKeys: ['type'] },
);
const message = fc.record(
  {
    role: sometimes(oneOf(messageSchemas)),
    content: sometimes(fc.oneof(fc.array(block), fc.string())),
    stopReason: sometimes(fc.constantFrom('stop', 'error', 'aborted')),
    errorMessage: sometimes(fc.string()),
    usage: fc.jsonValue(),
    toolCallId: sometimes(fc.constantFrom('t1', 't2')),
    summary: sometimes(fc.string()),
    output: sometimes(fc.string()),
    command: sometimes(fc.string()),
  },
  { requiredKeys: ['role'] },
);
const update = fc.record(
  {
    type: sometimes(oneOf(updateSchemas)),
    contentIndex: sometimes(index),
    delta: sometimes(fc.string()),
    content: sometimes(fc.string()),
    toolCall: sometimes(block),
    id: sometimes(fc.constant('t1')),
    toolName: sometimes(fc.constant('bash')),
    partial: fc.jsonValue(),
  },
  { requiredKeys: ['type'] },
);
/** Lines that look like pi's: right types, fields that are mostly right. */
const line = fc.record(
  {
    type: fc.oneof(oneOf(eventSchemas), fc.constantFrom('response', 'extension_ui_request', 'new_event')),
    message: sometimes(message),
    assistantMessageEvent: sometimes(update),
    toolCallId: sometimes(fc.constantFrom('t1', 't2')),
    toolName: sometimes(fc.constant('bash')),
    args: fc.jsonValue(),
    result: fc.jsonValue(),
    partialResult: fc.jsonValue(),
    isError: sometimes(fc.boolean()),
    attempt: sometimes(fc.nat(3)),
    maxAttempts: sometimes(fc.nat(3)),
    delayMs: sometimes(fc.nat(3)),
    success: sometimes(fc.boolean()),
    willRetry: sometimes(fc.boolean()),
    aborted: sometimes(fc.boolean()),
    id: sometimes(fc.constantFrom('c1', 'd1')),
    method: sometimes(oneOf(requestSchemas)),
    title: sometimes(fc.string()),
    options: sometimes(fc.array(fc.string())),
    timeout: sometimes(fc.nat(100)),
    command: fc.jsonValue(),
    data: fc.jsonValue(),
    error: sometimes(fc.string()),
    text: sometimes(fc.string()),
  },
  { requiredKeys: ['type'] },
);
const commands: readonly Command[] = [
  { type: 'prompt', content: [{ type: 'text', text: '/x' }] },
  { type: 'abort', target: 'run' },
  { type: 'answer-dialog', id: 'd1', answer: { kind: 'value', value: 'v' } },
  { type: 'set-model', model: 'm' },
  { type: 'compact' },
];
/** A line, a command or a pause. */
const step = fc.oneof(
  { weight: 8, arbitrary: line },
  { weight: 1, arbitrary: fc.constantFrom(...commands) },
  { weight: 1, arbitrary: fc.constantFrom(20, 60, 40_000) },
);

describe('decode is total', () => {
  test('on any JSON', () => {
    fc.assert(fc.property(fc.array(fc.jsonValue()), (values) => bench().feed(...values.map((v) => JSON.stringify(v)))));
  });

  test('on any bytes', () => {
    fc.assert(fc.property(fc.array(fc.uint8Array({ maxLength: 64 })), (lines) => bench().feed(...lines)));
  });

  test('on a line cut anywhere', () => {
    const whole = JSON.stringify(wire.assistantEnd([{ type: 'text', text: 'ä\u2028🌹' }]));
    const bytes = new TextEncoder().encode(whole);
    for (let at = 0; at <= bytes.length; at += 1) bench().feed(bytes.subarray(0, at), bytes.subarray(at));
  });
});

describe('whatever pi prints', () => {
  /** Runs the steps and hands over all events. */
  function play(steps: readonly (object | number)[]): Event[] {
    const pi = bench();
    pi.start();
    for (const [at, next] of steps.entries()) {
      if (typeof next === 'number') pi.advance(next);
      else if (Command.safeParse(next).success && commands.some((command) => command === next)) {
        pi.command(Command.parse(next), `c${at}`);
      } else pi.feed(next);
    }
    pi.end();
    return pi.events();
  }

  test('all that is delivered is canonical', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        for (const event of play(steps)) expect(Event.safeParse(event).error).toBeUndefined();
      }),
    );
  });

  test('and the core can put it in order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        expect(verify(inOrder(play(steps)).events).faults).toEqual([]);
      }),
    );
  });

  test('runs begin and end in turns', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const bounds = play(steps).flatMap(({ type }) => (type === 'run-start' || type === 'run-end' ? [type] : []));
        expect(bounds).toEqual(bounds.map((_, at) => (at % 2 === 0 ? 'run-start' : 'run-end')));
      }),
    );
  });
});
