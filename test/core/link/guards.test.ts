// An error in one backend, projection or frontend costs its own agent, stream or frame and nothing else. And how an
// agent is paused.
import { describe, expect, test } from 'vitest';
import { linkAgent } from '../../../src/core/link/agent-link.ts';
import { linkClient } from '../../../src/core/link/client-link.ts';
import { driveFrontend } from '../../../src/core/link/frontend-driver.ts';
import { emptyTranscript } from '../../../src/core/log/fold.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createStream } from '../../../src/core/stream/dialect-stream.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { createAgent, type Script } from '../../support/core/agent.ts';
import { createClient } from '../../support/core/client.ts';
import { createSessionRig, question } from '../../support/core/session-rig.ts';
import { createStreamRig, drain, epoch, kindsOf } from '../../support/core/stream-rig.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';

const notice = (text: string): Event => ({ type: 'notice', level: 'info', text });
const broken = (): never => {
  throw new Error('broken');
};

function linked(script: Script) {
  const clock = createVirtualClock();
  const agent = createAgent(clock, script);
  const heard: string[] = [];
  const link = linkAgent(agent, clock, {
    event: (event) => (event.type === 'notice' ? heard.push(event.text) : broken()),
    note: (level, text) => heard.push(`${level}: ${text}`),
    end: ({ reason }) => heard.push(`end: ${reason}`),
  });
  return { clock, agent, link, heard };
}

describe('a backend that throws', () => {
  const expected = ['internal: internal error: broken', 'end: an internal error of the gateway'];

  test('while it encodes: its command is refused, its agent ends', () => {
    const { clock, link, heard } = linked({ encode: broken });
    link.submit({ type: 'clear-queue' }, (outcome) => heard.push(outcome.ok ? 'ok' : outcome.error.code));
    clock.advance(0);
    expect(heard).toEqual([expected[0], 'agent-down', expected[1]]);
  });

  test('while it wakes, or while what it said is logged: its agent ends', () => {
    const waking = linked({ start: [{ do: 'timer', id: 't', ms: 5 }], wake: broken });
    waking.clock.advance(5);
    waking.clock.advance(0);
    expect(waking.heard).toEqual(expected);
    const saying = linked({});
    saying.agent.say({ type: 'run-start' });
    saying.clock.advance(0);
    expect(saying.heard).toEqual(expected);
  });
});

test('a projection that throws ends its stream; the others go on', () => {
  const transcript = emptyTranscript();
  const notes: string[] = [];
  const view = { id: 's', epoch, timeOrigin: 0, transcript };
  const stream = createStream(view, () => ({ event: broken }), { note: (_level, text) => notes.push(text) });
  const reader = stream.attach(null);
  stream.afterFold({ seq: 1, at: 0, event: notice('one') });
  stream.afterFold({ seq: 2, at: 0, event: notice('two') });
  expect(kindsOf(drain(reader))).toEqual(['closed an internal error of the gateway']);
  expect(notes).toEqual(['internal error: broken']);
});

test('a frontend that throws on a frame complains of it and takes the next one', () => {
  const clock = createVirtualClock();
  const { frontend } = createClient(clock);
  const sent: unknown[] = [];
  const notes: string[] = [];
  let isBroken = true;
  const driver = driveFrontend(
    { ...frontend, decode: () => (isBroken ? broken() : [{ do: 'send', frame: 'fine' }]) },
    clock,
    { submit: () => {}, note: (_level, text) => notes.push(text) },
    { send: (out) => sent.push(out), close: () => {}, fail: () => {} },
  );
  expect(driver.frame(createFrame(new Uint8Array()))).toBe(false);
  isBroken = false;
  expect(driver.frame(createFrame(new Uint8Array()))).toBe(true);
  expect(sent).toEqual(['fault the gateway failed on this frame', 'fine']);
  expect(notes[0]).toBe('internal error: broken');
});

test('a held agent is not read and its timers wait; released, it goes on where it was', () => {
  const { clock, agent, link, heard } = linked({
    start: [{ do: 'timer', id: 't', ms: 5 }],
    wake: (timer) => [{ do: 'deliver', message: notice(timer) }],
  });
  link.pause();
  clock.advance(100);
  expect([heard, agent.wire.pauses]).toEqual([[], ['pause']]);
  link.resume();
  // Not within the call: the caller of resume may be in the middle of reading.
  expect(heard).toEqual([]);
  clock.advance(0);
  expect([heard, agent.wire.pauses]).toEqual([['t'], ['pause', 'resume']]);
});

test('an agent that is held again before it went on waits again', () => {
  const { clock, link, heard } = linked({
    start: [{ do: 'timer', id: 't', ms: 5 }],
    wake: (timer) => [{ do: 'deliver', message: notice(timer) }],
  });
  link.pause();
  clock.advance(100);
  link.resume();
  link.pause();
  clock.advance(100);
  expect(heard).toEqual([]);
  link.resume();
  clock.advance(0);
  expect(heard).toEqual(['t']);
});

test('one client may have 256 commands on their way, not more', () => {
  const clock = createVirtualClock();
  const { stream } = createStreamRig();
  const client = createClient(clock);
  const asked: Command[] = [];
  const sink = { submit: (command: Command) => asked.push(command), note: () => {} };
  linkClient(client.wire.channel, client.frontend, stream.attach(null), clock, sink, { end: () => {} });
  for (let count = 0; count < 257; count += 1) client.ask({ type: 'set-name', name: 'n' });
  expect(asked).toHaveLength(256);
  expect(client.wire.sent).toEqual(['set-name: limit']);
});

describe('a client that cannot ask its user', () => {
  const cannot: Command = { type: 'answer-approval', id: 'x', decision: 'deny', unable: true };

  test('denies when it is alone', () => {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.run();
    rig.agent.say(question);
    rig.submit(cannot);
    expect(rig.agent.received.map(({ command }) => command.type)).toEqual(['prompt', 'answer-approval']);
  });

  test('leaves the question to another; when none can, it is denied', () => {
    const rig = createSessionRig();
    rig.session.stream('other', () => ({ event: () => [] })).attach(null);
    rig.prompt('one');
    rig.run();
    rig.agent.say(question);
    rig.submit(cannot);
    expect(rig.session.transcript.approvals.has('x')).toBe(true);
    expect(rig.agent.received).toHaveLength(1);
    rig.submit(cannot);
    expect(rig.agent.received).toHaveLength(2);
  });
});

test('a session that is retired ends its run, takes no prompt and refuses those that wait', () => {
  const rig = createSessionRig();
  rig.prompt('one');
  rig.run();
  rig.prompt('waiting');
  rig.session.retire('going home');
  rig.prompt('late');
  rig.endRun();
  expect(rig.answers).toEqual(['one: ok', 'waiting: shutting-down', 'late: shutting-down']);
  expect(rig.session.state).toBe('idle');
});
