// Everything that the outside calls throws once, in a table: its stream, client or agent ends with the reason, the fault
// is counted, and another client and another session go on (decision 0023).
import { describe, expect, test } from 'vitest';
import type { Backend } from '../src/core/contract/adapter/backend.ts';
import type { Frontend } from '../src/core/contract/adapter/frontend.ts';
import type { Projection } from '../src/core/contract/adapter/projection.ts';
import { guarded, guardedClock, internalError } from '../src/core/contract/guarded.ts';
import { linkClient } from '../src/core/link/client-link.ts';
import { linkPosts } from '../src/core/link/post-link.ts';
import type { Event } from '../src/core/model/event.ts';
import type { Session } from '../src/core/session/session.ts';
import { createFrame } from '../src/transports/framing/frame.ts';
import { createMultiplexer } from '../src/transports/multiplexer.ts';
import { openEventStream } from '../src/transports/sse/stream.ts';
import { createClient, type ScriptedClient } from './support/core/client.ts';
import { recordingProjection } from './support/core/recording.ts';
import { createSessionRig, question, type SessionRig } from './support/core/session-rig.ts';
import { drain, kindsOf } from './support/core/stream-rig.ts';
import { createVirtualClock } from './support/core/virtual-clock.ts';
import { createWire } from './support/core/wire.ts';

const broken = (): never => {
  throw new Error('broken');
};
const notice = (text: string): Event => ({ type: 'notice', level: 'info', text });
const theEnd = [{ code: 'error', reason: internalError }];

/** A session with a part that breaks, a healthy client beside it, and a session next door. */
function world(breaking: { backend?: Partial<Backend>; frontend?: Partial<Frontend> } = {}) {
  const clock = createVirtualClock();
  const here = createSessionRig({ clock });
  const next = createSessionRig({ clock });
  const notes: string[] = [];
  function client(session: Session, frontend: Partial<Frontend> = {}): ScriptedClient {
    const scripted = createClient(clock);
    const sink = {
      submit: session.submit.bind(session),
      note: (level: string, text: string) => void notes.push(`${level} ${text}`),
    };
    const reader = session.stream('recording', recordingProjection).attach(null);
    linkClient(scripted.wire.channel, { ...scripted.frontend, ...frontend }, reader, clock, sink, { end: () => {} });
    return scripted;
  }
  for (const rig of [here, next]) {
    rig.prompt('hello');
    rig.run();
  }
  Object.assign(here.agent.backend, breaking.backend);
  const bystander = client(here.session);
  const neighbour = client(next.session);
  const culprit = client(here.session, breaking.frontend);
  /** What both other clients get of an event of each session. */
  function goesOn(): string[] {
    const before = [bystander.wire.sent.length, neighbour.wire.sent.length];
    here.agent.say(notice('here'));
    next.agent.say(notice('next'));
    const seen = [bystander, neighbour].map(({ wire }, index) => wire.sent.slice(before[index]).join());
    return seen.map((text) => /here|next/u.exec(text)?.[0] ?? '');
  }
  const faults = () => [...notes, ...here.notes, ...next.notes].filter((text) => text.startsWith('internal'));
  function goesOnNextDoor(): string {
    next.agent.say(notice('next'));
    return /next/u.exec(neighbour.wire.sent.at(-1) ?? '')?.[0] ?? '';
  }
  return { clock, here, next, bystander, neighbour, culprit, goesOn, goesOnNextDoor, faults };
}
type World = ReturnType<typeof world>;

describe('a frontend that throws costs its connection', () => {
  const rows: [string, Partial<Frontend>, (world: World) => void][] = [
    ['as it starts', { start: broken }, () => {}],
    ['on a fault', { fault: broken }, ({ culprit }) => culprit.wire.fault('too much')],
    ['on a frame and on the complaint', { decode: broken, fault: broken }, ({ culprit }) => culprit.wire.frame()],
    ['with an answer', { reply: broken }, ({ culprit }) => culprit.ask({ type: 'set-trust', enabled: true })],
    [
      'with a late answer of the agent',
      { reply: broken },
      ({ culprit, here }) => {
        culprit.ask({ type: 'set-name', name: 'n' });
        here.agent.settle('set-name');
      },
    ],
    [
      'on a timer',
      { onTimer: broken },
      ({ culprit, clock }) => {
        culprit.act({ do: 'timer', id: 't', ms: 5 });
        clock.advance(5);
      },
    ],
    ['as it maps a frame', { mapOutgoing: broken }, ({ here }) => here.agent.say(notice('first'))],
    [
      'as it maps a frame once the socket is empty',
      {
        mapOutgoing: (out) => (String(out).includes('first') ? broken() : out),
      },
      ({ culprit, here }) => {
        culprit.wire.buffered = 1024 * 1024;
        here.agent.say(notice('first'));
        here.agent.say(notice('second'));
        culprit.wire.drain();
      },
    ],
  ];
  test.each(rows)('%s', (_name, frontend, act) => {
    const all = world({ frontend });
    expect(() => act(all)).not.toThrow();
    expect(all.culprit.wire.closings.slice(0, 1)).toEqual(theEnd);
    expect(new Set(all.faults())).toEqual(new Set(['internal internal error: broken']));
    expect(all.goesOn()).toEqual(['here', 'next']);
    expect(all.here.agent.wire.closings).toEqual([]);
    all.clock.advance(0);
    expect(all.here.session.readers).toBe(2);
  });

  test('at its end: its place is free all the same', () => {
    const all = world({ frontend: { end: broken } });
    expect(() => all.culprit.wire.end({ reason: 'gone' })).not.toThrow();
    expect(all.faults()).toEqual(['internal internal error: broken']);
    expect(all.here.session.readers).toBe(2);
    expect(all.goesOn()).toEqual(['here', 'next']);
  });

  test('on a frame only: it complains and goes on', () => {
    const all = world({ frontend: { decode: broken } });
    all.culprit.wire.frame();
    expect(all.culprit.wire.sent.at(-1)).toBe('fault the gateway failed on this frame');
    expect(all.culprit.wire.closings).toEqual([]);
    expect(all.goesOn()).toEqual(['here', 'next']);
  });
});

describe('a backend that throws costs its agent', () => {
  const rows: [string, Partial<Backend>, (world: World) => void][] = [
    ['on a frame', { decode: broken }, ({ here }) => here.agent.wire.frame()],
    ['with a command', { encode: broken }, ({ here }) => here.submit({ type: 'set-name', name: 'n' })],
    [
      'on a timer',
      { onTimer: broken },
      ({ here, clock }) => {
        here.agent.act({ do: 'timer', id: 't', ms: 5 });
        clock.advance(5);
      },
    ],
  ];
  test.each(rows)('%s', (_name, backend, act) => {
    const all = world({ backend });
    expect(() => act(all)).not.toThrow();
    all.clock.advance(0);
    expect(all.here.agent.wire.closings).toEqual(theEnd);
    expect(all.faults()).toEqual(['internal internal error: broken']);
    expect(all.bystander.wire.sent.join()).toMatch(/run-end.*failed.*an internal error of the gateway/u);
    expect(all.here.session.state).toBe('down');
    expect(all.goesOnNextDoor()).toBe('next');
  });

  test('as it leaves and at its end: the session is closed all the same', () => {
    const all = world({ backend: { leave: broken, end: broken } });
    expect(() => all.here.session.close('over')).not.toThrow();
    all.clock.advance(0);
    expect(all.here.session.state).toBe('closed');
    expect(new Set(all.faults())).toEqual(new Set(['internal internal error: broken']));
    expect(all.goesOnNextDoor()).toBe('next');
  });

  test('as it takes up the history: the prompt is refused', () => {
    const rig = createSessionRig({
      history: [{ role: 'user', content: [{ type: 'text', text: 'before' }] }],
      agent: () => ({ recall: broken }),
    });
    rig.prompt('hello');
    expect(rig.answers).toEqual(['hello: agent-down']);
  });
});

describe('a dialect that throws costs its stream', () => {
  const rows: [string, () => Projection][] = [
    ['on an event', () => ({ event: ({ replay }) => (replay !== undefined ? [] : broken()) })],
    ['with its notes', () => ({ event: () => [], notes: broken })],
  ];
  test.each(rows)('%s', (_name, make) => {
    const all = world();
    const reader = all.here.session.stream('broken', make).attach('0123456789ab.9.0');
    drain(reader);
    expect(all.goesOn()).toEqual(['here', 'next']);
    expect(kindsOf(drain(reader)).at(-1)).toBe(`closed ${internalError}`);
    expect(all.faults()).toEqual(['internal internal error: broken']);
  });

  test('with a snapshot: every reader is told, and who comes again gets a new stream', () => {
    const all = world();
    let made = 0;
    const make = () => {
      made += 1;
      return made === 3 ? { event: broken } : { event: () => [] };
    };
    const first = all.here.session.stream('broken', make).attach(null);
    drain(first);
    const second = all.here.session.stream('broken', make).attach(null);
    expect(kindsOf(drain(second))).toEqual([`closed ${internalError}`]);
    expect(kindsOf(drain(first))).toEqual([`closed ${internalError}`]);
    expect(kindsOf(drain(all.here.session.stream('broken', make).attach(null)))).toEqual([]);
    expect(all.faults()).toEqual(['internal internal error: broken']);
    expect(all.goesOn()).toEqual(['here', 'next']);
  });

  test('with the wake-up of one reader: the others are woken', () => {
    const all = world();
    const stream = all.here.session.stream('recording', recordingProjection);
    const reader = stream.attach(null);
    drain(reader);
    reader.onReadable = broken;
    expect(all.goesOn()).toEqual(['here', 'next']);
    expect(all.faults()).toEqual(['internal internal error: broken']);
  });
});

test('a timer of a session that throws ends its agent', () => {
  const all = world();
  all.here.agent.say({ ...question, timeoutMs: 5 });
  // The deadline denies the question, and what it says then cannot be folded.
  Object.defineProperty(all.here.session.transcript, 'lastAt', { set: broken });
  expect(() => all.clock.advance(5)).not.toThrow();
  expect(all.here.agent.wire.closings[0]?.reason).toBe(internalError);
  expect(all.faults()[0]).toBe('internal internal error: broken');
  expect(all.goesOnNextDoor()).toBe('next');
});

describe('posts', () => {
  function posting(frontend: Partial<Frontend>) {
    const rig: SessionRig = createSessionRig();
    const stream = rig.session.stream('posts', () => ({ event: () => [] }));
    const reader = stream.attach(null);
    const notes: string[] = [];
    const sink = { submit: rig.session.submit.bind(rig.session), note: (level: string) => void notes.push(level) };
    const { frontend: plain } = createClient(rig.clock);
    const link = linkPosts({ ...plain, ...frontend }, stream, rig.clock, sink);
    return { rig, reader, notes, link };
  }

  test('a frontend that can no longer complain ends its stream, and the post is answered', () => {
    const { reader, notes, link } = posting({ decode: broken, fault: broken });
    expect(() => link.frame(createFrame(new Uint8Array()))).toThrow(internalError);
    expect(kindsOf(drain(reader))).toEqual([`closed ${internalError}`]);
    expect(notes).toEqual(['internal', 'internal']);
  });

  test('a frontend that throws on a broadcast ends its stream, and not the sender', () => {
    const { reader, notes, link } = posting({ onBroadcast: broken });
    expect(() => link.onBroadcast({ kind: 'session-closed', session: 'other' })).not.toThrow();
    expect(kindsOf(drain(reader))).toEqual([`closed ${internalError}`]);
    expect(notes).toEqual(['internal']);
  });
});

describe('transports', () => {
  test('a route that throws ends the shared connection', () => {
    const clock = createVirtualClock();
    const wire = createWire(clock);
    const faults: unknown[] = [];
    const shared = createMultiplexer({
      label: 'agent x',
      channel: wire.channel,
      route: broken,
      failed: (thrown) => faults.push(thrown),
    });
    shared.join('one').open({ frame: () => {}, fault: () => {}, end: () => {} });
    expect(() => wire.frame()).not.toThrow();
    expect(wire.closings).toEqual(theEnd);
    expect(faults).toEqual([new Error('broken')]);
  });

  test('a reader that throws ends its event stream', async () => {
    const faults: unknown[] = [];
    const reader = { read: broken, mark: () => 0, onReadable: () => {}, close: () => void faults.push('closed') };
    const { body } = openEventStream(reader, { onError: (thrown) => faults.push(thrown) });
    const taken = body.getReader();
    await taken.read();
    await expect(taken.read()).rejects.toThrow('broken');
    expect(faults).toEqual([new Error('broken'), 'closed']);
  });
});

describe('the guard', () => {
  test('gives what is thrown to the owner, and drops what the owner throws', () => {
    const thrown: unknown[] = [];
    guarded(broken, (fault) => thrown.push(fault));
    guarded(broken, broken);
    guarded(
      () => {},
      () => thrown.push('nothing was thrown'),
    );
    expect(thrown).toEqual([new Error('broken')]);
  });

  test('of a clock: timers ring and are cancelled as before', () => {
    const plain = createVirtualClock();
    const thrown: unknown[] = [];
    const clock = guardedClock(plain, (fault) => thrown.push(fault));
    clock.after(5, broken);
    clock.after(5, () => thrown.push(clock.now()));
    clock.after(5, () => thrown.push('cancelled'))();
    plain.advance(5);
    expect(thrown).toEqual([new Error('broken'), 5]);
  });
});
