// One client whose connection carries many sessions: the frames of each, their order, and how sessions end.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import { linkClient } from '../../../src/core/link/client-link.ts';
import { highWater } from '../../../src/core/link/client-sender.ts';
import type { Command } from '../../../src/core/model/command.ts';
import { GatewayError, type Outcome } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import type { StreamOptions } from '../../../src/core/stream/stream.ts';
import { type ClientScript, createClient } from '../../support/core/client.ts';
import { createStreamRig } from '../../support/core/stream-rig.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';

/** An event that is part of a snapshot. */
const message = (text: string): Event => ({ type: 'message-added', role: 'user', content: [{ type: 'text', text }] });
const rename = (name: string): Command => ({ type: 'set-name', name });
const watch = (session: string, more: object = {}) => ({ do: 'subscribe' as const, session, ...more });
const unwatch = (session: string) => ({ do: 'unsubscribe' as const, session });
const send = (frame: string): Action<Command> => ({ do: 'send', frame });

const ids = ['a', 'b', 'c'] as const;

/**
 * A client of up to three sessions. Their frames are named after them: `a1` is of session a. `alias` is another name of
 * a.
 */
function carried(script: ClientScript = {}, options: StreamOptions = {}, holds = false) {
  const clock = createVirtualClock();
  const rigs = new Map(ids.map((id) => [id as string, createStreamRig(options)]));
  const client = createClient(clock, { over: (session, reason) => [send(`over ${session}: ${reason}`)], ...script });
  const settles: ((outcome?: Outcome) => void)[] = [];
  const heard: string[] = [];
  let opened = 0;
  const link = linkClient(
    client.wire.channel,
    client.frontend,
    null,
    clock,
    {
      submit: (command, settle, session) => {
        heard.push(`${command.type} for ${session}`);
        settles.push((outcome = { ok: true }) => settle(outcome));
      },
      note: (level, text) => void heard.push(`${level}: ${text}`),
      subscribe({ session }) {
        if (session === 'broken') throw new Error('the password is 1234');
        const id = session === 'alias' ? 'a' : session;
        const rig = rigs.get(id);
        if (rig === undefined) throw new GatewayError('not-found', `session ${session} not found`);
        opened += 1;
        const view = { id, epoch: '0123456789ab', timeOrigin: 0, transcript: rig.transcript };
        return { view, reader: rig.stream.attach(null, holds) };
      },
      closeUnused: (session) => void heard.push(`${session} closes, after ${client.wire.sent.length} frames`),
    },
    { end: () => void heard.push('end') },
  );
  const streamOf = (id: string) => {
    const rig = rigs.get(id);
    if (rig === undefined) throw new Error(`no session ${id}`);
    return rig;
  };
  return {
    clock,
    client,
    link,
    settles,
    heard,
    act: client.act,
    say: (id: string, ...texts: string[]) => streamOf(id).say(...texts.map(message)),
    close: (id: string, reason: string) => streamOf(id).stream.close(reason),
    readers: () => ids.map((id) => streamOf(id).stream.readers),
    opened: () => opened,
    rig: streamOf,
    /** Frames of the sessions as their text, answers as they are. */
    sent: () => client.wire.sent.map((frame) => /"text":"([^"]*)"/u.exec(frame)?.[1] ?? frame),
  };
}

describe('what is heard', () => {
  test('is what is watched, from a snapshot on, until it is not watched any more', () => {
    const { act, say, sent, readers } = carried();
    say('a', 'a1');
    say('b', 'b1');
    expect(sent()).toEqual([]);
    act(watch('a'));
    say('a', 'a2');
    say('b', 'b2');
    expect(sent()).toEqual(['a1', 'a2']);
    act(watch('b'), unwatch('a'), unwatch('never watched'));
    say('a', 'a3');
    say('b', 'b3');
    expect(sent()).toEqual(['a1', 'a2', 'b1', 'b2', 'b3']);
    expect(readers()).toEqual([0, 1, 0]);
  });

  test('commands name the session that they are for', () => {
    const { act, heard } = carried();
    act({ do: 'deliver', session: 'b', message: rename('x') }, { do: 'deliver', message: { type: 'create-session' } });
    expect(heard).toEqual(['set-name for b', 'create-session for undefined']);
  });

  test('the frontend is told of a session before it says anything, by its real id', () => {
    const order: string[] = [];
    const { act, say } = carried({
      watching: ({ id }) => void order.push(`watching ${id}`),
      dress: (out) => {
        order.push(/"text":"([^"]*)"/u.exec(String(out))?.[1] ?? String(out));
        return out;
      },
    });
    say('a', 'a1');
    act(watch('alias'));
    expect(order).toEqual(['watching a', 'a1']);
  });

  test.each([
    ['the same', 'a', {}, {}],
    ['the same by another name', 'alias', {}, {}],
    ['the same under the same name', 'a', { as: 'n', dialect: 'd' }, { as: 'n', dialect: 'd' }],
  ])('to watch twice: %s is heard once', (_, session, first, second) => {
    const { act, say, sent, readers } = carried();
    say('a', 'a1');
    act(watch('a', first), watch(session, second));
    say('a', 'a2');
    expect(sent()).toEqual(['a1', 'a2']);
    expect(readers()).toEqual([1, 0, 0]);
  });

  test.each([
    ['under a name', {}, { as: 'n' }],
    ['under another name', { as: 'n' }, { as: 'm' }],
    ['in another dialect', { as: 'n' }, { as: 'n', dialect: 'd' }],
  ])('to watch again %s is to hear it anew, and the former no more', (_, first, second) => {
    const { client, act, say, sent, readers } = carried();
    act(watch('a', first));
    client.wire.buffered = highWater;
    say('a', 'a1');
    act(watch('a', second));
    say('a', 'a2');
    client.wire.drain();
    expect(sent()).toEqual(['a1', 'a2']);
    expect(readers()).toEqual([1, 0, 0]);
  });

  test('what cannot be watched is over, with the reason of a refusal and none of our own faults', () => {
    const { act, sent, heard } = carried();
    act(watch('unknown'), watch('broken'));
    expect(sent()).toEqual([
      'over unknown: session unknown not found',
      'over broken: an internal error of the gateway',
    ]);
    expect(heard).toEqual(['internal: internal error: the password is 1234']);
  });

  test('a frontend may watch before anything has come from its client', () => {
    const { sent } = carried({ start: [watch('a'), watch('unknown'), send('hello')] });
    expect(sent()).toEqual(['over unknown: session unknown not found', 'hello']);
  });
});

describe('order', () => {
  test('what was answered before a session was watched goes before its snapshot, what was answered then after it', () => {
    const { client, act, say, sent } = carried();
    client.wire.buffered = highWater;
    say('a', 'a1');
    act(send('before'), watch('a'), send('after'));
    say('a', 'a2');
    act(send('last'));
    client.wire.drain();
    expect(sent()).toEqual(['before', 'a1', 'after', 'a2', 'last']);
  });

  test('an answer goes behind what was said in the same tick, though nobody was woken for it yet', () => {
    const { act, rig, sent } = carried();
    const { say } = rig('a');
    say({ type: 'message-start', id: 'm' }, { type: 'block-start', index: 0, block: { kind: 'text' } });
    act(watch('a'), watch('b'));
    const before = sent().length;
    say({ type: 'block-delta', index: 0, delta: 'xy' });
    act(send('answer'));
    expect(sent().slice(before)).toEqual([
      expect.stringContaining('"delta":"x"'),
      expect.stringContaining('"delta":"y"'),
      'answer',
    ]);
  });

  test('an answer waits for no session that is over or not watched any more', () => {
    const { client, act, say, sent } = carried();
    act(watch('a'), watch('b'));
    client.wire.buffered = highWater;
    say('a', 'a1');
    say('b', 'b1');
    act(send('answer'), unwatch('a'));
    client.wire.drain();
    expect(sent()).toEqual(['b1', 'answer']);
  });

  test('a session that is drained is sent until where it was left, and may be watched again meanwhile', () => {
    const { client, act, say, sent, readers } = carried();
    act(watch('a'), watch('b'));
    client.wire.buffered = highWater;
    say('a', 'a1');
    act({ do: 'unsubscribe', session: 'a', isDrained: true }, send('answer'));
    say('a', 'a2');
    expect(readers()).toEqual([1, 1, 0]);
    client.wire.drain();
    expect(sent()).toEqual(['a1', 'answer']);
    expect(readers()).toEqual([0, 1, 0]);
    act(watch('a'));
    expect(sent()).toEqual(['a1', 'answer', 'a1', 'a2']);
  });

  test('a session that its client is done with closes when it is drained, before the answer goes out', () => {
    const { client, act, say, sent, heard } = carried();
    act(watch('a'));
    client.wire.buffered = highWater;
    say('a', 'a1');
    act({ do: 'unsubscribe', session: 'a', isDrained: true, closes: true }, send('answer'));
    expect(heard).toEqual([]);
    client.wire.drain();
    expect(sent()).toEqual(['a1', 'answer']);
    expect(heard).toEqual(['a closes, after 1 frames']);
  });

  test('a client that goes while a session is drained leaves no reader, and the session closes', () => {
    const { client, act, say, readers, heard } = carried();
    act(watch('a'));
    client.wire.buffered = highWater;
    say('a', 'a1');
    act({ do: 'unsubscribe', session: 'a', isDrained: true, closes: true });
    client.wire.end({ reason: 'gone' });
    expect(readers()).toEqual([0, 0, 0]);
    expect(heard).toEqual(['a closes, after 0 frames', 'end']);
  });

  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ does: fc.constant('say'), id: fc.constantFrom(...ids) }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('answer'), id: fc.constant('=') }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('watch'), id: fc.constantFrom(...ids) }) },
    {
      weight: 1,
      arbitrary: fc.record({ does: fc.constantFrom('fill', 'nearly fill', 'drain'), id: fc.constant('=') }),
    },
  );

  test('any mix, read at any pace: all of each session in its order, each answer at its place in each', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const { client, act, say, sent } = carried();
        client.wire.fills = true;
        /** What is expected of each session and of the answers, and what was said before the client subscribed. */
        const lines = ids.map((id) => ({
          id: id as string,
          isHeard: false,
          past: [] as string[],
          heard: [] as string[],
        }));
        for (const [at, { does, id }] of steps.entries()) {
          const line = lines.find((one) => one.id === id);
          if (does === 'say') {
            say(id, `${id}${at}`);
            (line?.isHeard === true ? line.heard : line?.past)?.push(`${id}${at}`);
          } else if (does === 'watch') {
            act(watch(id));
            if (line !== undefined) line.isHeard = true;
            line?.heard.push(...line.past.splice(0));
          } else if (does === 'answer') {
            act(send(`=${at}`));
            for (const { heard } of lines) heard.push(`=${at}`);
          } else if (does === 'drain') client.wire.drain();
          else client.wire.buffered = does === 'fill' ? highWater : highWater - 1;
        }
        for (let drains = 0; drains < 3; drains += 1) client.wire.drain();
        for (const { id, heard } of lines) {
          expect(sent().filter((frame) => frame.startsWith(id) || frame.startsWith('='))).toEqual(heard);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a client that reads slowly', () => {
  const large = 'x'.repeat(highWater / 4);

  test('is told of all its sessions in turn, and never of more than it can take', () => {
    const { client, act, say, sent } = carried();
    client.wire.fills = true;
    act(...ids.map((id) => watch(id)));
    client.wire.buffered = highWater;
    for (let number = 0; number < 40; number += 1) say('a', `a${large}`);
    for (let number = 0; number < 8; number += 1) for (const id of ['b', 'c']) say(id, `${id}${large}`);
    const count = (id: string) => sent().filter((text) => text.startsWith(id)).length;
    for (let drains = 0; drains < 6; drains += 1) {
      client.wire.drain();
      expect(client.wire.buffered).toBeLessThan(2.5 * highWater);
    }
    // a has much more to say, and began first.
    expect([count('b'), count('c')]).toEqual([8, 8]);
    for (let drains = 0; drains < 20; drains += 1) client.wire.drain();
    expect(count('a')).toBe(40);
  });

  test('an answer is not put off by what a session goes on saying', () => {
    const { client, act, say, sent } = carried();
    client.wire.fills = true;
    act(watch('a'), watch('b'));
    client.wire.buffered = highWater;
    say('a', `a${large}`);
    say('b', `b${large}`);
    act(send('answer'));
    for (let number = 0; number < 40; number += 1) say('a', `a${large}`);
    client.wire.drain();
    client.wire.drain();
    expect(sent().indexOf('answer')).toBe(2);
  });

  test('when it fell behind in one session it is closed as slow: it must come back for all (docs/faults.md F19)', () => {
    const { client, act, say, readers, clock } = carried({}, { limits: { frames: 4, bytes: 100_000 } });
    act(watch('a'), watch('b'));
    client.wire.buffered = highWater;
    say('b', 'b1');
    for (let number = 0; number < 9; number += 1) say('a', `a${number}`);
    client.wire.drain();
    expect(client.wire.closings).toEqual([{ code: 'slow', reason: 'too far behind: reconnect for the current state' }]);
    expect(client.wire.sent).toEqual([]);
    clock.advance(0);
    expect(readers()).toEqual([0, 0, 0]);
  });
});

describe('news', () => {
  const news = { kind: 'session-closed', session: 's' } as const;
  const slow = [{ code: 'slow', reason: 'too far behind: reconnect' }];
  /** A client that gets so many bytes with each broadcast, and does not read for now. */
  function told(bytes: number) {
    const rig = carried({ hear: () => [send('x'.repeat(bytes))] });
    rig.client.wire.buffered = highWater;
    return { ...rig, tell: (times: number) => Array.from({ length: times }, () => rig.link.onBroadcast(news)) };
  }

  test('in a burst are kept for who reads then', () => {
    const { client, clock, tell } = told(100_000);
    tell(40);
    client.wire.buffered = 0;
    client.wire.drain();
    clock.advance(60_000);
    tell(1);
    expect([client.wire.sent.length, client.wire.closings]).toEqual([41, []]);
  });

  test('in a larger one are kept for nobody (docs/threats.md T26)', () => {
    const { client, tell } = told(100_000);
    tell(42);
    expect(client.wire.closings).toEqual(slow);
  });

  test('of some size are kept for a while for who does not read (docs/threats.md T26)', () => {
    const { client, clock, tell } = told(100_000);
    tell(11);
    clock.advance(10_000);
    tell(1);
    expect(client.wire.closings).toEqual([]);
    clock.advance(1);
    tell(1);
    expect(client.wire.closings).toEqual(slow);
  });

  test('that are few wait as long as it takes, and so do answers of any size', () => {
    const { client, clock, tell, act } = told(1_000);
    act(send('x'.repeat(8 * 1024 * 1024)));
    for (let minute = 0; minute < 60; minute += 1) {
      clock.advance(60_000);
      tell(1);
    }
    expect(client.wire.closings).toEqual([]);
  });
});

describe('the end', () => {
  test('of one session is told after its last frame; the others go on, and so does the connection', () => {
    const { client, act, say, close, sent, readers } = carried();
    act(watch('a'), watch('b'));
    client.wire.buffered = highWater;
    say('a', 'a1');
    act(send('answer'));
    close('a', 'the session was deleted');
    say('b', 'b1');
    client.wire.drain();
    expect(sent()).toEqual(['a1', 'answer', expect.anything(), expect.anything()]);
    expect(sent().slice(2).sort()).toEqual(['b1', 'over a: the session was deleted']);
    expect([client.wire.closings, readers()]).toEqual([[], [0, 1, 0]]);
    act(watch('c'));
    say('c', 'c1');
    expect(sent().at(-1)).toBe('c1');
  });

  test('of one session may end the interest in another at once', () => {
    const { client, act, say, close, sent } = carried({ over: () => [unwatch('b')] });
    act(watch('a'), watch('b'));
    client.wire.buffered = highWater;
    close('a', 'over');
    say('b', 'b1', 'b2');
    client.wire.drain();
    say('b', 'b3');
    expect(sent()).toEqual([]);
  });

  test('a session that is not watched any more says not a word more, also in the middle of what it says', () => {
    let inTheMiddle = (): void => {};
    const limits = { frames: 80, bytes: 1_000_000 };
    const pressure = (pressed: boolean) => pressed || inTheMiddle();
    const { client, act, say, settles, sent } = carried({ reply: () => [unwatch('a')] }, { limits, pressure }, true);
    act(watch('a'), { do: 'deliver', session: 'a', message: rename('x') });
    client.wire.buffered = highWater;
    say('a', ...Array.from({ length: 40 }, (_, at) => `a${at}`));
    // The reader has taken the frames and the agent resumes: now the answer comes.
    inTheMiddle = () => settles[0]?.();
    client.wire.drain();
    expect(sent()).toEqual([]);
  });

  test('of the client: every place is given up, also one that was taken at the last moment', () => {
    const { client, act, clock, readers, heard, settles } = carried({ end: [watch('c')], reply: () => [watch('b')] });
    act(watch('a'), { do: 'deliver', message: rename('x') }, { do: 'close', code: 'normal', reason: 'bye' });
    settles[0]?.();
    clock.advance(0);
    expect(client.wire.hasEnded).toBe(true);
    expect(readers()).toEqual([0, 0, 0]);
    expect(heard).toEqual(['set-name for undefined', 'end']);
  });
});
