// An agent that has stored the conversation itself: the next agent of the session goes on with it.
import { describe, expect, test } from 'vitest';
import { beginsAnew, type Resumption } from '../../../src/core/contract/adapter/stored-conversations.ts';
import { createSessionRig, type RigOptions } from '../../support/core/session-rig.ts';

const crash = { reason: 'agent exited (code 137)' };

function rigOf(options: RigOptions = {}) {
  const wanted: (Resumption | undefined)[] = [];
  const rig = createSessionRig({ resumes: true, started: (_, resume) => void wanted.push(resume), ...options });
  const named = (resume: string) => rig.agent.say({ type: 'session-changed', changes: { resume } });
  return { rig, wanted, named };
}

/** A session whose agent has died behind a run. `name`: what the agent has said of its conversation. */
function bereft(name: string | null, options?: RigOptions) {
  const it = rigOf(options);
  it.rig.prompt('one');
  if (name !== null) it.named(name);
  it.rig.run();
  it.rig.endRun();
  it.rig.agent.wire.end(crash);
  it.rig.log();
  return it;
}

describe('the next agent', () => {
  test('goes on with what the one before has named last, and nobody is told that it has forgotten', () => {
    const it = rigOf();
    it.rig.prompt('one');
    it.named('a');
    it.rig.run();
    it.rig.endRun();
    it.named('b');
    it.rig.agent.wire.end(crash);
    it.rig.log();
    it.rig.prompt('two');
    expect(it.wanted).toEqual([undefined, { name: 'b', isKnown: true }]);
    expect(it.rig.log()).toEqual(['agent-changed up']);
  });

  test.each([
    ['has named none', null],
    ['has stored none', ''],
  ])('begins anew if the one before %s, and that is told', (_, name) => {
    const it = bereft(name);
    it.rig.prompt('two');
    expect(it.wanted).toEqual([undefined, undefined]);
    expect(it.rig.log()).toEqual(['agent-changed up', `notice ${beginsAnew}`]);
  });

  test('begins anew if it cannot be given the conversation, and that is told', () => {
    const it = bereft('a', { resumes: false });
    it.rig.prompt('two');
    expect(it.rig.log()).toEqual(['agent-changed up', `notice ${beginsAnew}`]);
  });

  test('is told what was said where it remembers nothing itself', () => {
    const recalled: number[] = [];
    const recall = (messages: readonly unknown[]) => void recalled.push(messages.length);
    const it = rigOf({ resumes: false, agent: () => ({ recall }) });
    it.rig.prompt('one');
    it.rig.agent.say({
      type: 'message-added',
      role: 'user',
      origin: 'prompt',
      content: [{ type: 'text', text: 'one' }],
    });
    it.rig.run();
    it.rig.endRun();
    it.rig.agent.wire.end(crash);
    it.rig.log();
    it.rig.prompt('two');
    expect(recalled).toEqual([1]);
    expect(it.rig.log()).toEqual(['agent-changed up']);
  });
});

describe('an agent that ends before it has opened the conversation', () => {
  test('is followed by one that begins anew, if a prompt was tried', () => {
    const it = bereft('a');
    it.rig.prompt('two');
    it.rig.agent.wire.end({ reason: 'no such conversation' });
    it.rig.log();
    it.rig.prompt('three');
    expect(it.wanted.slice(1)).toEqual([{ name: 'a', isKnown: true }, undefined]);
    expect(it.rig.log()).toEqual(['agent-changed up', `notice ${beginsAnew}`]);
    expect(it.rig.prompted()).toEqual(['one', 'two', 'three']);
  });

  test('is followed by one that tries again, if it got no prompt', () => {
    const it = bereft('a');
    it.rig.submit({ type: 'query', subject: 'models' });
    it.rig.session.start();
    it.rig.agent.wire.end(crash);
    it.rig.prompt('two');
    expect(it.wanted.at(-1)).toEqual({ name: 'a', isKnown: true });
  });

  test('and one that had opened it is followed by one that goes on with it', () => {
    const it = bereft('a');
    it.rig.prompt('two');
    it.named('a');
    it.rig.agent.wire.end(crash);
    it.rig.prompt('three');
    expect(it.wanted.slice(1)).toEqual([
      { name: 'a', isKnown: true },
      { name: 'a', isKnown: true },
    ]);
  });
});

test('a conversation of before the session: the first agent opens it, and tells what was said', () => {
  const it = rigOf({ resume: 'before' });
  it.rig.prompt('one');
  expect(it.wanted).toEqual([{ name: 'before', isKnown: false }]);
  expect(it.rig.log()).toEqual([]);
  it.named('before');
  it.rig.run();
  it.rig.endRun();
  it.rig.agent.wire.end(crash);
  it.rig.prompt('two');
  expect(it.wanted[1]).toEqual({ name: 'before', isKnown: true });
});
