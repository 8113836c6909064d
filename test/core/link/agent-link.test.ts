// One backend over its channel: actions in order, timers, answers exactly once, one end.
import { describe, expect, test } from 'vitest';
import type { Ending } from '../../../src/core/contract/channel.ts';
import { linkAgent, sentenceOf } from '../../../src/core/link/agent-link.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createAgent, type Script } from '../../support/core/agent.ts';
import { outline } from '../../support/core/outline.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';

const notice = (text: string): Event => ({ type: 'notice', level: 'info', text });

/** A linked agent; `heard` lists every call to its listener, in order. */
function linked(script: Script = {}) {
  const clock = createVirtualClock();
  const agent = createAgent(clock, script);
  const heard: string[] = [];
  const endings: Ending[] = [];
  const link = linkAgent(agent, clock, {
    event: (event) => void heard.push(...outline([event])),
    note: (level, text) => void heard.push(`${level}: ${text}`),
    end(ending) {
      endings.push(ending);
      heard.push(`end: ${ending.reason}`);
    },
  });
  const submit = (name: string) =>
    link.submit({ type: 'set-name', name }, (outcome) =>
      heard.push(`${name}: ${outcome.ok ? 'ok' : `${outcome.error.code}, ${outcome.error.message}`}`),
    );
  return { clock, agent, link, heard, endings, submit };
}

test('actions are carried out in their order', () => {
  const { agent, heard, submit } = linked();
  submit('first');
  const before = agent.wire.sent.length;
  agent.act(
    { do: 'deliver', message: notice('one') },
    { do: 'send', frame: 'frame' },
    { do: 'note', level: 'loss', text: 'two' },
    { do: 'settle', id: 'c1', outcome: { ok: true } },
    { do: 'deliver', message: notice('three') },
  );
  expect(heard).toEqual(['notice one', 'loss: two', 'first: ok', 'notice three']);
  expect(agent.wire.sent.slice(before)).toEqual(['frame']);
});

test('the backend starts when the channel is open', () => {
  const { agent, heard } = linked({
    start: [
      { do: 'send', frame: 'hello' },
      { do: 'deliver', message: notice('up') },
    ],
  });
  expect(agent.wire.sent).toEqual(['hello']);
  expect(heard).toEqual(['notice up']);
});

describe('commands', () => {
  test('each goes to the backend under an id of its own, and its actions are carried out', () => {
    const { agent, heard, submit } = linked({
      encode: (command, id) => [{ do: 'send', frame: `${id} ${command.type}` }],
    });
    submit('a');
    submit('b');
    const ids = agent.received.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(agent.wire.sent).toEqual(ids.map((id) => `${id} set-name`));
    expect(heard).toEqual([]);
  });

  test('are answered once, whatever the backend says again', () => {
    const { agent, heard, submit } = linked();
    submit('a');
    submit('b');
    const [a, b] = agent.received;
    agent.act({ do: 'settle', id: b?.id ?? '', outcome: { ok: true } });
    agent.act({ do: 'settle', id: b?.id ?? '', outcome: { ok: true } });
    agent.act({ do: 'settle', id: 'unknown', outcome: { ok: true } });
    expect(heard).toEqual(['b: ok']);
    agent.act({ do: 'settle', id: a?.id ?? '', outcome: { ok: false, error: { code: 'busy', message: 'later' } } });
    expect(heard).toEqual(['b: ok', 'a: busy, later']);
  });

  test('may be answered inside their own encoding', () => {
    const { heard, submit } = linked({ encode: (_command, id) => [{ do: 'settle', id, outcome: { ok: true } }] });
    submit('a');
    expect(heard).toEqual(['a: ok']);
  });
});

describe('timers', () => {
  test('wake the backend, and what it says is carried out', () => {
    const { clock, agent, heard } = linked({ wake: (timer) => [{ do: 'deliver', message: notice(timer) }] });
    agent.act(
      { do: 'timer', id: 'late', ms: 20 },
      { do: 'timer', id: 'soon', ms: 10 },
      { do: 'timer', id: 'off', ms: 5 },
    );
    agent.act({ do: 'timer', id: 'off', ms: null }, { do: 'timer', id: 'late', ms: 30 });
    clock.advance(100);
    expect(heard).toEqual(['notice soon', 'notice late']);
  });

  test('stop with the agent', () => {
    const { clock, agent, heard } = linked({
      wake: (timer) => [{ do: 'deliver', message: notice(timer) }],
      end: [{ do: 'timer', id: 'at the end', ms: 10 }],
    });
    agent.act({ do: 'timer', id: 'a', ms: 10 });
    agent.wire.end({ reason: 'gone' });
    expect(clock.pending).toBe(0);
    clock.advance(100);
    expect(heard).toEqual(['end: gone']);
  });
});

describe('the end', () => {
  test('lets the backend say its last, then answers what is pending, then is told, once', () => {
    const { agent, heard, submit } = linked({ end: [{ do: 'deliver', message: notice('last words') }] });
    submit('a');
    submit('b');
    agent.wire.end({ reason: 'agent exited (code 1)' });
    expect(heard).toEqual([
      'notice last words',
      'a: agent-down, agent exited (code 1)',
      'b: agent-down, agent exited (code 1)',
      'end: agent exited (code 1)',
    ]);
  });

  test('what an agent wrote to stderr says more than its exit code (docs/faults.md F3)', () => {
    const { agent, heard, endings, submit } = linked();
    submit('a');
    agent.wire.end({ reason: 'agent exited (code 1)', detail: 'no such model' });
    expect(heard).toEqual(['a: agent-down, agent exited (code 1): no such model', 'end: agent exited (code 1)']);
    expect(endings).toEqual([{ reason: 'agent exited (code 1)', detail: 'no such model' }]);
  });

  test.each([
    [{ reason: 'gone' }, 'gone'],
    [{ reason: 'gone', detail: '' }, 'gone'],
    [{ reason: 'gone', detail: 'help' }, 'gone: help'],
  ])('%j in one sentence', (ending, sentence) => expect(sentenceOf(ending)).toBe(sentence));

  test('a command after it is refused at once', () => {
    const { agent, heard, submit } = linked();
    agent.wire.end({ reason: 'gone' });
    submit('late');
    expect(heard).toEqual(['end: gone', 'late: agent-down, the agent is gone']);
    expect(agent.received).toEqual([]);
  });

  test.each<[string, (rig: ReturnType<typeof linked>) => void, string, string]>([
    ['we stop it', ({ link }) => link.stop('not needed'), 'going-away', 'not needed'],
    [
      'its backend closes',
      ({ agent }) => agent.act({ do: 'close', code: 'normal', reason: 'finished' }),
      'normal',
      'finished',
    ],
    [
      'a frame of it is lost (docs/faults.md F7)',
      ({ agent }) => agent.wire.fault('a frame of over 32 MiB'),
      'error',
      'the agent sent a frame of over 32 MiB',
    ],
  ])('%s: the reason is ours', (_name, act, code, reason) => {
    const rig = linked();
    rig.submit('a');
    act(rig);
    rig.link.stop('a second reason');
    expect(rig.agent.wire.closings[0]).toEqual({ code, reason });
    expect(rig.endings).toEqual([]);
    rig.clock.advance(0);
    expect(rig.endings).toEqual([{ reason }]);
    expect(rig.heard.at(-2)).toBe(`a: agent-down, ${reason}`);
  });

  test('what the agent is to hear before we stop it goes out before, once', () => {
    const { agent, link, clock } = linked({ leave: [{ do: 'send', frame: 'bye' }] });
    const sentWhenClosed: number[] = [];
    const { close } = agent.channel;
    agent.channel.close = (...words) => {
      sentWhenClosed.push(agent.wire.sent.length);
      close(...words);
    };
    link.stop('not needed');
    link.stop('again');
    expect([agent.wire.sent, sentWhenClosed[0]]).toEqual([['bye'], 1]);
    clock.advance(0);
    link.stop('late');
    expect(agent.wire.sent).toEqual(['bye']);
  });

  test('one that has gone, or was given up, is told nothing', () => {
    const gone = linked({ leave: [{ do: 'send', frame: 'bye' }] });
    gone.agent.wire.end({ reason: 'gone' });
    gone.link.stop('not needed');
    const lost = linked({ leave: [{ do: 'send', frame: 'bye' }] });
    lost.agent.wire.fault('a frame of over 32 MiB');
    lost.link.stop('not needed');
    expect([gone.agent.wire.sent, lost.agent.wire.sent]).toEqual([[], []]);
  });

  test('how it ended says more than that its last message was cut (docs/threats.md T15)', () => {
    const { agent, heard, endings } = linked();
    agent.wire.fault('a body that the end of the stream cut short', true);
    agent.wire.end({ reason: 'agent exited (code 137)' });
    expect([agent.wire.closings, endings]).toEqual([[], [{ reason: 'agent exited (code 137)' }]]);
    expect(heard[0]).toBe('violation: a body that the end of the stream cut short');
  });

  test('a lost frame is a violation', () => {
    const { agent, heard } = linked();
    agent.wire.fault('too much');
    expect(heard).toEqual(['violation: too much']);
  });
});
