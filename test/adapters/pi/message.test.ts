import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/core/model/event.ts';
import { bench, wire } from './harness.ts';

/** The events of lines inside an open assistant message, without its start. */
function streamed(...lines: readonly object[]): Event[] {
  const pi = bench();
  pi.feed(wire.agentStart, wire.turnStart, wire.assistantStart());
  pi.events();
  pi.feed(...lines);
  return pi.events();
}

const text = (text: string) => ({ type: 'text', text });
const call = (rest: object = {}) => ({
  type: 'toolCall',
  id: 't1',
  name: 'bash',
  arguments: { command: 'ls' },
  ...rest,
});
const partial = (...content: readonly object[]) => ({ partial: { content } });
const end = { type: 'message-end', stop: { reason: 'end', raw: 'stop' } };
/** pi printed no line of it: its own clients are told none. */
const unsaid = { extra: { pi: { unsaid: true } } };

describe('a block from its first to its last line', () => {
  test('text', () => {
    expect(
      streamed(
        wire.update({ type: 'text_start', contentIndex: 0 }),
        wire.update({ type: 'text_delta', contentIndex: 0, delta: 'Hel' }),
        wire.update({ type: 'text_delta', contentIndex: 0, delta: '' }),
        wire.update({ type: 'text_delta', contentIndex: 0, delta: 'lo' }),
        wire.update({ type: 'text_end', contentIndex: 0, content: 'Hello' }),
        wire.assistantEnd([text('Hello')]),
      ),
    ).toEqual([
      { type: 'block-start', index: 0, block: { kind: 'text' } },
      { type: 'block-delta', index: 0, delta: 'Hel' },
      { type: 'block-delta', index: 0, delta: '' },
      { type: 'block-delta', index: 0, delta: 'lo' },
      { type: 'block-end', index: 0, text: 'Hello' },
      end,
    ]);
  });

  test('thinking, its signature in the snapshot of the ending', () => {
    const block = { type: 'thinking', thinking: 'hm', thinkingSignature: 'sig', index: 7 };
    expect(
      streamed(
        wire.update({ type: 'thinking_start', contentIndex: 0 }),
        wire.update({ type: 'thinking_delta', contentIndex: 0, delta: 'hm' }),
        wire.update({ type: 'thinking_end', contentIndex: 0, content: 'hm', ...partial(block) }),
        wire.assistantEnd([block]),
      ),
    ).toEqual([
      { type: 'block-start', index: 0, block: { kind: 'thinking' } },
      { type: 'block-delta', index: 0, delta: 'hm' },
      { type: 'block-end', index: 0, text: 'hm', signature: 'sig' },
      end,
    ]);
  });

  test('a tool call', () => {
    expect(
      streamed(
        wire.update({ type: 'toolcall_start', contentIndex: 1, id: 't1', toolName: 'bash' }),
        wire.update({ type: 'toolcall_delta', contentIndex: 1, delta: '{"command":' }),
        wire.update({ type: 'toolcall_delta', contentIndex: 1, delta: '"ls"}' }),
        wire.update({ type: 'toolcall_end', contentIndex: 1, toolCall: call({ thoughtSignature: 'why' }) }),
      ),
    ).toEqual([
      { type: 'block-start', index: 1, block: { kind: 'tool-call', id: 't1', name: 'bash' } },
      { type: 'block-delta', index: 1, delta: '{"command":' },
      { type: 'block-delta', index: 1, delta: '"ls"}' },
      { type: 'block-end', index: 1, input: { command: 'ls' }, signature: 'why' },
    ]);
  });
});

describe('who tells the name of a tool call', () => {
  const start = { type: 'toolcall_start', contentIndex: 0 };
  const delta = wire.update({ type: 'toolcall_delta', contentIndex: 0, delta: '{}' });
  const open = { type: 'block-start', index: 0, block: { kind: 'tool-call', id: 't1', name: 'bash' } };
  const piece = { type: 'block-delta', index: 0, delta: '{}' };

  test.each([
    ['the line itself (since 0.84.3)', wire.update({ ...start, id: 't1', toolName: 'bash' })],
    ['partial', wire.update({ ...start, ...partial(call({ arguments: {} })) })],
    ['message', wire.update(start, { message: { content: [call({ arguments: {} })] } })],
  ])('%s', (_, line) => {
    expect(streamed(line, delta)).toEqual([open, piece]);
  });

  test('toolcall_end: what came before waits for it', () => {
    const last = wire.update({ type: 'toolcall_end', contentIndex: 0, toolCall: call({ arguments: {} }) });
    expect(streamed(wire.update(start), delta)).toEqual([]);
    expect(streamed(wire.update(start), delta, last)).toEqual([
      open,
      piece,
      { type: 'block-end', index: 0, input: {} },
    ]);
  });

  test('message_end', () => {
    const events = streamed(wire.update(start), delta, wire.assistantEnd([call({ arguments: {} })]));
    expect(events.slice(0, 2)).toEqual([open, piece]);
  });
});

describe('message_end ends what is open', () => {
  const cut = { stopReason: 'aborted', errorMessage: 'Request was aborted.' };

  test('an open text gets what the message says', () => {
    const events = streamed(
      wire.update({ type: 'text_start', contentIndex: 0 }),
      wire.update({ type: 'text_delta', contentIndex: 0, delta: 'Hel' }),
      wire.assistantEnd([text('Hello')], cut),
    );
    expect(events.at(-2)).toEqual({ type: 'block-end', index: 0, text: 'Hello', incomplete: true, ...unsaid });
    expect(events.at(-1)).toMatchObject({
      stop: { reason: 'aborted', raw: 'aborted' },
      failure: { kind: 'aborted', message: 'Request was aborted.' },
    });
  });

  const half = '{"command":"l';
  const whole = `${half}"}`;
  test.each([
    [
      'half',
      half,
      { input: {}, incomplete: true, extra: { pi: { unsaid: true, arguments: { command: 'l' }, partialJson: half } } },
    ],
    ['whole', whole, { input: { command: 'l' }, extra: { pi: { unsaid: true, partialJson: whole } } }],
  ])('a cut tool call whose arguments are %s', (_, json, expected) => {
    const events = streamed(
      wire.update({ type: 'toolcall_start', contentIndex: 0, id: 't1', toolName: 'bash' }),
      wire.update({ type: 'toolcall_delta', contentIndex: 0, delta: json }),
      wire.assistantEnd([call({ arguments: { command: 'l' }, partialJson: json })], cut),
    );
    expect(events.at(-2)).toEqual({ type: 'block-end', index: 0, ...expected });
  });

  test('blocks that never streamed come whole, in their place', () => {
    expect(streamed(wire.assistantEnd([text('Hello'), call(), call({ arguments: {} })]))).toEqual([
      { type: 'block-start', index: 0, block: { kind: 'text' }, ...unsaid },
      { type: 'block-delta', index: 0, delta: 'Hello', ...unsaid },
      { type: 'block-end', index: 0, text: 'Hello', ...unsaid },
      { type: 'block-start', index: 1, block: { kind: 'tool-call', id: 't1', name: 'bash' }, ...unsaid },
      { type: 'block-delta', index: 1, delta: '{"command":"ls"}', ...unsaid },
      { type: 'block-end', index: 1, input: { command: 'ls' }, ...unsaid },
      { type: 'block-start', index: 2, block: { kind: 'tool-call', id: 't1', name: 'bash' }, ...unsaid },
      { type: 'block-end', index: 2, input: {}, ...unsaid },
      end,
    ]);
  });

  test('a block of a newer pi comes whole and opaque', () => {
    const payload = { type: 'hologram', beams: 3 };
    const content = { type: 'opaque', name: 'hologram', protocol: 'pi', payload };
    expect(streamed(wire.assistantEnd([payload]))).toEqual([
      { type: 'block-start', index: 0, block: { kind: 'whole', content }, ...unsaid },
      { type: 'block-end', index: 0, ...unsaid },
      end,
    ]);
  });

  test('a block that the message does not know ends as it is', () => {
    const events = streamed(
      wire.update({ type: 'text_delta', contentIndex: 3, delta: 'stray' }),
      wire.assistantEnd([]),
    );
    expect(events.at(-2)).toEqual({ type: 'block-end', index: 3, ...unsaid });
  });

  test('a redacted block has no deltas: its ending is the truth', () => {
    const block = { type: 'thinking', thinking: '[hidden]', thinkingSignature: 'x', redacted: true };
    const events = streamed(
      wire.update({ type: 'thinking_start', contentIndex: 0 }),
      wire.update({ type: 'thinking_end', contentIndex: 0, content: '[hidden]', ...partial(block) }),
    );
    expect(events.slice(1)).toEqual([
      { type: 'block-delta', index: 0, delta: '[hidden]', ...unsaid },
      { type: 'block-end', index: 0, text: '[hidden]', signature: 'x', redacted: true },
    ]);
  });
});

describe('what the deltas are not', () => {
  test('a snapshot that runs ahead changes nothing', () => {
    const ahead = partial(text('Hello, I am already here'));
    const events = streamed(
      wire.update({ type: 'text_start', contentIndex: 0, ...ahead }),
      wire.update({ type: 'text_delta', contentIndex: 0, delta: 'Hel', ...ahead }),
    );
    expect(events.at(-1)).toEqual({ type: 'block-delta', index: 0, delta: 'Hel' });
  });

  test('a delta after the end of its block is dropped and noted', () => {
    const pi = bench();
    pi.feed(
      wire.assistantStart(),
      wire.update({ type: 'text_end', contentIndex: 0, content: 'Hi' }),
      wire.update({ type: 'text_delta', contentIndex: 0, delta: 'late' }),
    );
    expect(pi.events().at(-1)).toMatchObject({ type: 'block-end' });
    expect(pi.notes()).toEqual(['repair: message_update: ignored a delta of a block that has ended']);
  });

  test.each(['start', 'done', 'error'])('the assistant event %s is an echo', (type) => {
    expect(streamed(wire.update({ type, partial: {}, message: {} }))).toEqual([]);
  });

  test('an assistant event of a newer pi passes without its snapshots', () => {
    const line = wire.update({ type: 'audio_delta', contentIndex: 0, delta: 'la', partial: {} }, { message: {} });
    const payload = wire.update({ type: 'audio_delta', contentIndex: 0, delta: 'la' });
    expect(streamed(line)).toEqual([{ type: 'unknown', protocol: 'pi', payload }]);
  });
});

describe('facts about a message', () => {
  const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 10, cacheWrite1h: 0 };
  const cost = { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3, totalFromProvider: 0.29 };

  test('its start', () => {
    const pi = bench();
    pi.feed(wire.assistantStart({ api: 'a', provider: 'p', model: 'm', usage, timestamp: 5, stopReason: 'pending' }));
    expect(pi.events().at(-1)).toEqual({
      type: 'message-start',
      id: 'message-1',
      provider: 'p',
      model: 'm',
      timestamp: 5,
      usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
      extra: {
        pi: { api: 'a', stopReason: 'pending', usage: { totalTokens: 10, cacheWrite1h: 0, cost: undefined } },
      },
    });
  });

  test('the id of the provider is its id', () => {
    const pi = bench();
    pi.feed(wire.assistantStart({ responseId: 'msg_1' }));
    expect(pi.events().at(-1)).toMatchObject({ type: 'message-start', id: 'msg_1' });
  });

  test('its end', () => {
    const facts = { api: 'a', usage: { ...usage, cost }, rawStopReason: 'end_turn', durationMs: 9 };
    expect(streamed(wire.assistantEnd([], facts))).toEqual([
      {
        ...end,
        usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
        cost: { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 },
        extra: {
          pi: {
            api: 'a',
            rawStopReason: 'end_turn',
            durationMs: 9,
            usage: { totalTokens: 10, cacheWrite1h: 0, cost: { totalFromProvider: 0.29 } },
          },
        },
      },
    ]);
  });

  test('figures that JSON made null count as none', () => {
    const [event] = streamed(wire.assistantEnd([], { usage: { input: 1, cost: { total: null } } }));
    expect(event).toMatchObject({ usage: { input: 1, output: 0 }, cost: { total: 0 } });
  });

  test.each([
    ['stop', 'end'],
    ['length', 'length'],
    ['toolUse', 'tool-use'],
    ['error', 'error'],
    ['aborted', 'aborted'],
    ['deferred', 'unknown'],
    ['constructor', 'unknown'],
  ])('stopReason %s is %s', (raw, reason) => {
    expect(streamed(wire.assistantEnd([], { stopReason: raw })).at(-1)).toMatchObject({ stop: { reason, raw } });
  });

  test('a proof that comes after its block is a loss, once for each message', () => {
    const pi = bench();
    const late = { type: 'thinking', thinking: 'a', thinkingSignature: 's' };
    pi.feed(
      wire.assistantStart(),
      wire.update({ type: 'thinking_end', contentIndex: 0, content: 'a' }),
      wire.update({ type: 'thinking_end', contentIndex: 1, content: 'a' }),
      wire.assistantEnd([late, late]),
    );
    expect(pi.notes()).toEqual(['loss: message_end: the proof of a thinking block came after the block had ended']);
    expect(pi.events().at(-1)?.extra).toEqual({
      pi: {
        content: [
          { index: 0, thinkingSignature: 's' },
          { index: 1, thinkingSignature: 's' },
        ],
      },
    });
  });

  test('a message_end without a start is a message all the same', () => {
    const pi = bench();
    pi.feed(wire.agentStart, wire.assistantEnd([text('Hi')], { model: 'm' }));
    expect(pi.events()[1]).toMatchObject({ type: 'message-start', model: 'm', synthetic: true });
  });
});
