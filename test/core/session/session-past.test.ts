// Sessions with a past: what is told of it, what an agent that keeps none is told, and how such a conversation is cut and
// replaced. The agent is in the hand of the test.
import { describe, expect, test } from 'vitest';
import { messagesOf } from '../../../src/core/log/messages.ts';
import type { Message } from '../../../src/core/model/content.ts';
import { GatewayError, type Outcome, refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import type { Script } from '../../support/core/agent.ts';
import { createSessionRig, type RigOptions } from '../../support/core/session-rig.ts';

const user = (text: string, more: object = {}): Message => ({
  role: 'user',
  content: [{ type: 'text', text }],
  ...more,
});
const assistant = (text: string): Message => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
  stop: { reason: 'end' },
});
const past = [
  user('one', { id: 'u1', timestamp: 5 }),
  assistant('first'),
  user('two', { id: 'u2' }),
  assistant('second'),
];

const textsOf = (messages: readonly Message[]) =>
  messages.map(({ content: [part] }) => (part?.type === 'text' ? part.text : part?.type));

/** A session whose agents refuse everything that they are not made for, and write down what they are told. */
function rigged({ script = {}, ...options }: RigOptions & { script?: Script | null } = {}) {
  const recalled: (readonly Message[])[] = [];
  const refuses: Script = {
    encode: ({ type }, id) =>
      type === 'prompt' ? [] : [{ do: 'settle', id, outcome: refused('unsupported', `no ${type}`) }],
  };
  const able: Script = { ...refuses, recall: (messages) => void recalled.push(messages), ...script };
  const rig = createSessionRig({ ...options, agent: () => (script === null ? refuses : able) });
  const ask = (command: Parameters<typeof rig.session.submit>[0]) => {
    let outcome: Outcome | null = null;
    rig.session.submit(command, (settled) => {
      outcome = settled;
    });
    return outcome;
  };
  const texts = () => textsOf(messagesOf(rig.session.transcript));
  /** A prompt and its answer. */
  const say = (text: string, id: string) => {
    rig.prompt(text);
    rig.run();
    rig.agent.say(
      { type: 'turn-start' },
      { type: 'message-added', ...user(text), id, origin: 'prompt' },
      { type: 'message-start', id: `${id}a` },
      { type: 'block-start', index: 0, block: { kind: 'text' } },
      { type: 'block-delta', index: 0, delta: `re ${text}` },
      { type: 'block-end', index: 0 },
      { type: 'message-end', stop: { reason: 'end' } },
      { type: 'turn-end' },
    );
    rig.endRun();
  };
  return { rig, recalled, ask, texts, say };
}

describe('a past', () => {
  test('is there before any agent is, for whoever listens and whoever asks', () => {
    const { rig, texts } = rigged({ history: past });
    expect(rig.log()).toEqual(past.map(() => 'message-added'));
    expect(texts()).toEqual(['one', 'first', 'two', 'second']);
    expect(messagesOf(rig.session.transcript, 1000)).toEqual(past.map((message) => ({ ...message, origin: 'replay' })));
    expect(rig.agents).toHaveLength(0);
  });

  test('is told to its agent before the first command, once', () => {
    const { rig, recalled } = rigged({ history: past });
    rig.prompt('three');
    expect(recalled.map(textsOf)).toEqual([['one', 'first', 'two', 'second']]);
    expect(rig.log().filter((line) => line.includes('notice'))).toEqual([]);
    rig.run();
    rig.endRun();
    rig.prompt('four');
    expect(recalled).toHaveLength(1);
  });

  test('is not told where there is none', () => {
    const { rig, recalled } = rigged();
    rig.prompt('one');
    expect(recalled).toEqual([]);
  });

  test('an agent that can be told nothing: its user hears it', () => {
    const { rig } = rigged({ history: past, script: null });
    rig.prompt('three');
    expect(rig.log().filter((line) => line.includes('does not remember'))).toHaveLength(1);
  });

  test('the next agent is told what the one before it knew, with what was cut', () => {
    const { rig, recalled, say } = rigged();
    say('one', 'u1');
    rig.prompt('two');
    rig.run();
    rig.agent.say({ type: 'message-added', ...user('two'), origin: 'prompt' }, { type: 'turn-start' });
    rig.agent.say({ type: 'message-start', id: 'm' }, { type: 'block-start', index: 0, block: { kind: 'text' } });
    rig.agent.say({ type: 'block-delta', index: 0, delta: 'half' });
    rig.agent.wire.end({ reason: 'it crashed' });
    rig.log();
    rig.prompt('three');
    expect(rig.agents).toHaveLength(2);
    expect(recalled.map(textsOf)).toEqual([['one', 're one', 'two', 'half']]);
    expect(rig.log().filter((line) => line.includes('notice'))).toEqual([]);
  });
});

describe('a fork', () => {
  test('cuts before the message, and the agent forgets the rest', () => {
    const { rig, recalled, ask, texts, say } = rigged({ history: past });
    say('three', 'u3');
    say('four', 'u4');
    recalled.length = 0;
    rig.log();
    expect(ask({ type: 'fork', entry: 'u4' })).toEqual({ ok: true, data: { text: 'four', cancelled: false } });
    const kept = ['one', 'first', 'two', 'second', 'three', 're three'];
    expect(texts()).toEqual(kept);
    expect(recalled.map(textsOf)).toEqual([kept]);
    expect(rig.log()[0]).toBe('history-reset');
    expect(rig.agents).toHaveLength(1);
  });

  test('of a past that is told again works by the same names', () => {
    const { ask, texts } = rigged({ history: past });
    expect(ask({ type: 'fork', entry: 'u2' })).toMatchObject({ ok: true, data: { text: 'two' } });
    expect(ask({ type: 'fork', entry: 'u2' })).toMatchObject({ ok: false, error: { code: 'not-found' } });
    expect(texts()).toEqual(['one', 'first']);
    expect(ask({ type: 'fork', entry: 'u1' })).toMatchObject({ ok: true, data: { text: 'one' } });
    expect(texts()).toEqual([]);
  });

  test('of messages without ids: each point that is offered', () => {
    const { ask, texts } = rigged({ history: [user('one'), assistant('first'), user('two'), assistant('second')] });
    const offered = ask({ type: 'query', subject: 'fork-points' });
    expect(offered).toMatchObject({ ok: true, data: { points: [{ text: 'one' }, { text: 'two' }] } });
    const points = (offered as { data?: { points: { entry: string }[] } } | null)?.data?.points ?? [];
    expect(ask({ type: 'fork', entry: points[1]?.entry ?? '' })).toMatchObject({ ok: true, data: { text: 'two' } });
    expect(texts()).toEqual(['one', 'first']);
  });

  test('a new session forgets all', () => {
    const { rig, recalled, ask, texts } = rigged({ history: past });
    expect(ask({ type: 'new-session' })).toEqual({ ok: true, data: { cancelled: false } });
    expect(texts()).toEqual([]);
    expect(recalled.at(-1)).toEqual([]);
    expect(rig.log().at(-1)).toBe('history-reset');
  });

  test('a stored session takes its place', () => {
    const { recalled, ask, texts } = rigged({ readStored: (path) => [user(`of ${path}`)], history: past });
    expect(ask({ type: 'switch-session', path: '/a' })).toEqual({ ok: true, data: { cancelled: false } });
    expect(texts()).toEqual(['of /a']);
    expect(textsOf(recalled.at(-1) ?? [])).toEqual(['of /a']);
  });

  test('a stored session that may not be had changes nothing', () => {
    const readStored = () => {
      throw new GatewayError('invalid', 'not that one');
    };
    const { ask, texts } = rigged({ readStored, history: past });
    const refusal = { ok: false, error: { code: 'invalid', message: 'not that one' } };
    expect(ask({ type: 'switch-session', path: '/a' })).toEqual(refusal);
    expect(texts()).toHaveLength(4);
    const without = rigged();
    expect(without.ask({ type: 'switch-session', path: '/a' })).toMatchObject({ error: { code: 'unsupported' } });
  });

  test.each([{ type: 'fork', entry: 'u1' } as const, { type: 'new-session' } as const])(
    '$type waits for no run',
    (command) => {
      const { rig, ask, recalled, texts } = rigged({ history: past });
      rig.prompt('three');
      rig.run();
      recalled.length = 0;
      expect(ask(command)).toMatchObject({ ok: false, error: { code: 'busy' } });
      expect(recalled).toEqual([]);
      expect(texts()).toHaveLength(4);
    },
  );

  test('is the agent’s own affair where it can do it, or cannot be told anything', () => {
    const outcome: Outcome = { ok: true, data: { text: 'its own', cancelled: false } };
    const able = rigged({ script: { encode: (_, id) => [{ do: 'settle', id, outcome }] }, history: past });
    expect(able.ask({ type: 'fork', entry: 'u1' })).toBe(outcome);
    expect(able.texts()).toHaveLength(4);
    const unable = rigged({ script: null, history: past });
    expect(unable.ask({ type: 'fork', entry: 'u1' })).toMatchObject({
      error: { code: 'unsupported', message: 'no fork' },
    });
    expect(unable.texts()).toHaveLength(4);
  });

  test('that the agent refuses for a reason of its own is not made behind its back', () => {
    const no = refused('agent-refused', 'not now');
    const { ask, texts } = rigged({
      script: { encode: (_, id) => [{ do: 'settle', id, outcome: no }] },
      history: past,
    });
    expect(ask({ type: 'fork', entry: 'u1' })).toBe(no);
    expect(texts()).toHaveLength(4);
  });
});

test('stored files are listed by the gateway where the agent cannot', () => {
  const files = [{ path: '/a', name: 'a' }];
  expect(rigged({ sessionFiles: () => files }).ask({ type: 'query', subject: 'session-files' })).toEqual({
    ok: true,
    data: { files },
  });
  expect(rigged().ask({ type: 'query', subject: 'session-files' })).toMatchObject({ error: { code: 'unsupported' } });
});

test('who keeps a session says what has changed by what it hears: clients are told, and then what is told again', () => {
  const logged = ({ type }: Event) => (type === 'history-reset' ? { file: '/b', name: '' } : undefined);
  const { rig, ask } = rigged({ readStored: () => [user('of old')], logged });
  expect(ask({ type: 'switch-session', path: '/b' })).toMatchObject({ ok: true });
  expect(rig.log()).toEqual(['history-reset', 'session-changed', 'message-added']);
  expect(rig.session.transcript.info).toMatchObject({ file: '/b', name: '' });
});

test('who keeps a session hears all but deltas, when the log has it', () => {
  const heard: Event['type'][] = [];
  const at: number[] = [];
  const { rig, say } = rigged({
    logged: ({ type }) => {
      heard.push(type);
      at.push(rig.session.transcript.lastSeq);
    },
  });
  say('one', 'u1');
  expect(heard).toEqual([
    'run-start',
    'turn-start',
    'message-added',
    'message-start',
    'block-start',
    'block-end',
    'message-end',
    'turn-end',
    'run-end',
  ]);
  expect(at).toEqual([1, 2, 3, 4, 5, 7, 8, 9, 10]);
});
