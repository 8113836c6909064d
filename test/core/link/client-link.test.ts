// One client: its answers among the frames of the session, back-pressure, and every way in which its connection ends.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linkClient } from '../../../src/core/link/client-link.ts';
import { highWater } from '../../../src/core/link/client-sender.ts';
import { driveFrontend } from '../../../src/core/link/frontend-driver.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import type { WindowLimits } from '../../../src/core/stream/window.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { type ClientScript, createClient } from '../../support/core/client.ts';
import { createStreamRig } from '../../support/core/stream-rig.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';

const notice = (text: string): Event => ({ type: 'notice', level: 'info', text });
const rename = (name: string): Command => ({ type: 'set-name', name });

/** A client of a stream. Commands wait until the test settles them. */
function linked(script: ClientScript = {}, options: { limits?: WindowLimits; before?: Event[]; half?: boolean } = {}) {
  const clock = createVirtualClock();
  const rig = createStreamRig({ limits: options.limits }, options.before);
  const client = createClient(clock, script);
  const asked: { command: Command; settle(outcome?: Outcome): void }[] = [];
  const heard: string[] = [];
  /** Work that the client has begun, and the callback that waits for its end. */
  const work = { isDone: true, waiting: (): void => {} };
  const link = linkClient(
    client.wire.channel,
    client.frontend,
    rig.stream.attach(null),
    clock,
    {
      submit: (command, settle) => void asked.push({ command, settle: (outcome = { ok: true }) => settle(outcome) }),
      note: (level, text) => void heard.push(`${level}: ${text}`),
    },
    {
      end: () => void heard.push('end'),
      ...(options.half === true && {
        half: () => {
          heard.push('half');
          const whenIdle = (callback: () => void) => {
            if (work.isDone) callback();
            else work.waiting = callback;
          };
          return { reason: 'everything has been answered', whenIdle };
        },
      }),
    },
  );
  /** Frames of the session as their text, answers as they are. */
  const sent = () => client.wire.sent.map((frame) => /"text":"([^"]*)"/u.exec(frame)?.[1] ?? frame);
  return { ...rig, clock, client, asked, heard, sent, link, work };
}

describe('a frontend at work', () => {
  test('its actions are carried out in order', () => {
    const { client, asked, heard, sent } = linked({ start: [{ do: 'send', frame: 'hello' }] });
    client.act(
      { do: 'send', frame: 'one' },
      { do: 'note', level: 'loss', text: 'two' },
      { do: 'deliver', message: rename('three') },
      { do: 'send', frame: 'four' },
    );
    expect(sent()).toEqual(['hello', 'one', 'four']);
    expect(heard).toEqual(['loss: two']);
    expect(asked.map(({ command }) => command)).toEqual([rename('three')]);
    asked[0]?.settle();
    expect(sent().at(-1)).toBe('set-name: ok');
  });

  test('hears of outcomes with the command that it asked for, the same object', () => {
    const replies: unknown[] = [];
    const { client, asked } = linked({
      reply(command, outcome) {
        replies.push(command, outcome);
        return [];
      },
    });
    const command = rename('a');
    client.ask(command);
    const outcome: Outcome = { ok: false, error: { code: 'busy', message: 'later' } };
    asked[0]?.settle(outcome);
    expect(replies[0]).toBe(command);
    expect(replies[1]).toBe(outcome);
  });

  test('has timers, which end with the client', () => {
    const { clock, client, sent } = linked({
      wake: (timer) => [{ do: 'send', frame: `woken ${timer}` }],
      end: [{ do: 'timer', id: 'too late', ms: 10 }],
    });
    client.act({ do: 'timer', id: 'a', ms: 10 });
    clock.advance(10);
    client.act({ do: 'timer', id: 'b', ms: 10 });
    client.wire.end({ reason: 'gone' });
    expect(clock.pending).toBe(0);
    expect(sent()).toEqual(['woken a']);
  });

  test('starts nothing for an answer that comes after its end', () => {
    const { clock, client, asked, sent } = linked({ reply: () => [{ do: 'timer', id: 'a', ms: 10 }] });
    client.ask(rename('a'));
    client.wire.end({ reason: 'gone' });
    asked[0]?.settle();
    expect(clock.pending).toBe(0);
    expect(sent()).toEqual([]);
  });

  test('is told of bytes that were no frame', () => {
    const { client, heard, sent } = linked();
    client.wire.fault('too large');
    expect(heard).toEqual(['violation: too large']);
    expect(sent()).toEqual(['fault too large']);
  });

  test.each(['normal', 'error', 'bad-frame', 'unauthorized'] as const)('may close: %s', (code) => {
    const { client } = linked();
    client.act({ do: 'close', code, reason: 'because' });
    expect(client.wire.closings).toEqual([{ code, reason: 'because' }]);
  });

  test.each([
    ['loss', true],
    ['repair', true],
    ['violation', false],
  ] as const)('a frame with a note of %s is in order: %s', (level, expected) => {
    const clock = createVirtualClock();
    const decode = () => [{ do: 'note' as const, level, text: 't' }];
    const driver = driveFrontend(
      { decode, fault: () => [], reply: () => [] },
      clock,
      { submit: () => {}, note: () => {} },
      { send: () => {}, close: () => {}, fail: () => {} },
    );
    expect(driver.frame(createFrame(Buffer.from('{}')))).toBe(expected);
  });
});

describe('answers among frames', () => {
  test('a greeting comes first, then the snapshot, then what is live', () => {
    const { say, sent } = linked(
      { start: [{ do: 'send', frame: 'hello' }] },
      { before: [{ type: 'queue-changed', steering: ['"text":"past"'], followUp: [] }] },
    );
    say(notice('live'));
    expect(sent()).toEqual(['hello', expect.stringContaining('past'), 'live']);
  });

  test('an answer never overtakes what the session said before it', () => {
    const { client, asked, say, sent } = linked();
    client.ask(rename('a'));
    say(notice('before'));
    asked[0]?.settle();
    say(notice('after'));
    expect(sent()).toEqual(['before', 'set-name: ok', 'after']);
  });

  test('nor is it overtaken, not even when the client does not read', () => {
    const { client, asked, say, sent } = linked();
    client.ask(rename('a'), rename('b'), rename('c'));
    client.wire.buffered = highWater;
    say(notice('before'));
    asked[0]?.settle();
    asked[1]?.settle({ ok: false, error: { code: 'busy', message: 'later' } });
    say(notice('between'));
    asked[2]?.settle();
    say(notice('after'));
    expect(sent()).toEqual([]);
    client.wire.drain();
    expect(sent()).toEqual(['before', 'set-name: ok', 'set-name: busy', 'between', 'set-name: ok', 'after']);
  });

  test('any mix of both, read at any pace, comes in the order in which it was said', () => {
    const step = fc.constantFrom('say', 'answer', 'fill', 'drain');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { client, say, sent } = linked();
        const said: string[] = [];
        for (const [at, does] of steps.entries()) {
          if (does === 'fill') client.wire.buffered = highWater;
          else if (does === 'drain') client.wire.drain();
          else said.push(`${at}`);
          if (does === 'say') say(notice(`${at}`));
          if (does === 'answer') client.act({ do: 'send', frame: `${at}` });
        }
        client.wire.drain();
        expect(sent()).toEqual(said);
      }),
    );
  });
});

test('what the session says while a client is being sent something comes behind it', () => {
  const clock = createVirtualClock();
  const limits = { frames: 80, bytes: 1_000_000 };
  let inTheMiddle = (): void => {};
  const rig = createStreamRig({ limits, pressure: (pressed) => pressed || inTheMiddle() });
  const client = createClient(clock);
  const settles: ((outcome: Outcome) => void)[] = [];
  linkClient(
    client.wire.channel,
    client.frontend,
    rig.stream.attach(null, true),
    clock,
    {
      submit: (_command, settle) => void settles.push(settle),
      note: () => {},
    },
    { end: () => {} },
  );
  client.ask(rename('a'));
  client.wire.buffered = highWater;
  const numbers = Array.from({ length: 40 }, (_, at) => `${at}`);
  rig.say(...numbers.map(notice));
  inTheMiddle = () => {
    inTheMiddle = () => {};
    rig.say(notice('late'));
    settles[0]?.({ ok: true });
  };
  client.wire.drain();
  const sent = client.wire.sent.map((frame) => /"text":"([^"]*)"/u.exec(frame)?.[1] ?? frame);
  expect(sent).toEqual([...numbers, 'late', 'set-name: ok']);
});

describe('a client that dresses its frames', () => {
  /** Numbers what passes, and hides whatever says secret. */
  const numbering = (): ClientScript => {
    let count = 0;
    return {
      dress: (out) => {
        if (String(out).includes('secret')) return null;
        count += 1;
        return `${count} ${String(out)}`;
      },
    };
  };

  test('is asked about each, its answers and what all hear, in the order of the wire', () => {
    const { client, asked, say } = linked(numbering());
    say(notice('a'));
    client.ask(rename('one'));
    say(notice('secret'), notice('b'));
    asked[0]?.settle();
    expect(client.wire.sent.map((frame) => frame.replace(/\{.*"text":("[^"]*").*\}/u, '$1'))).toEqual([
      '1 "a"',
      '2 "b"',
      '3 set-name: ok',
    ]);
  });

  test('and may send several frames in the place of one', () => {
    const { client, say } = linked({
      dress: (out) => ({ frames: String(out).includes('twice') ? [out, 'again'] : [] }),
    });
    say(notice('once'), notice('twice'));
    expect(client.wire.sent).toEqual([expect.stringContaining('"twice"'), 'again']);
  });

  test('also about the answer that it gets last', () => {
    const { client } = linked(numbering());
    client.wire.buffered = highWater;
    client.act(
      { do: 'send', frame: 'why' },
      { do: 'send', frame: 'secret' },
      { do: 'close', code: 'error', reason: 'because' },
    );
    expect(client.wire.sent).toEqual(['1 why']);
  });
});

describe('back-pressure', () => {
  test('a client that asks and does not read is not heard until it does', () => {
    const { client, asked, sent } = linked();
    client.wire.fills = true;
    const answer = 'x'.repeat(highWater / 4);
    const ask = () => client.act({ do: 'send', frame: answer });
    for (let number = 0; number < 12; number += 1) ask();
    expect(client.wire.isPaused).toBe(true);
    while (client.wire.isPaused) client.wire.drain();
    for (let drains = 0; drains < 5; drains += 1) client.wire.drain();
    expect(sent()).toHaveLength(12);
    expect(client.wire.pauses).toEqual(['pause', 'resume']);
    expect(asked).toEqual([]);
  });

  test('nothing is pulled while the socket is full, and all of it when it has drained', () => {
    const { client, say, sent } = linked();
    client.wire.fills = true;
    const large = 'x'.repeat(highWater / 4);
    for (let number = 0; number < 10; number += 1) say(notice(`${number}${large}`));
    const first = sent().length;
    expect(first).toBeLessThan(6);
    expect(client.wire.buffered).toBeLessThan(2 * highWater);
    for (let drains = 0; drains < 10; drains += 1) client.wire.drain();
    expect(sent().map((text) => text[0])).toEqual([...'0123456789']);
  });

  test('a socket that drains early changes nothing', () => {
    const { client, say, sent } = linked();
    client.wire.drain();
    say(notice('a'));
    client.wire.drain();
    expect(sent()).toEqual(['a']);
  });

  test('a client that fell behind is closed as slow, and sent nothing more (docs/faults.md F19)', () => {
    const { client, say, sent } = linked({}, { limits: { frames: 4, bytes: 100_000 } });
    client.wire.buffered = highWater;
    for (let number = 0; number < 9; number += 1) say(notice(`${number}`));
    expect(client.wire.closings).toEqual([]);
    client.wire.drain();
    expect(client.wire.closings).toEqual([{ code: 'slow', reason: 'too far behind: reconnect for the current state' }]);
    expect(sent()).toEqual([]);
  });

  test('an answer that waits is still sent when the client is closed', () => {
    const { client, sent } = linked();
    client.wire.buffered = highWater;
    client.act({ do: 'send', frame: 'why' }, { do: 'close', code: 'error', reason: 'because' });
    expect(sent()).toEqual(['why']);
    expect(client.wire.closings).toHaveLength(1);
  });
});

describe('the end', () => {
  test('of the client: its place in the stream is given up, and it is told once', () => {
    const { client, clock, stream, heard, say, sent } = linked();
    expect(stream.readers).toBe(1);
    client.act({ do: 'close', code: 'normal', reason: 'bye' });
    say(notice('nobody hears this'));
    clock.advance(0);
    expect(heard).toEqual(['end']);
    expect(stream.readers).toBe(0);
    expect(sent()).toEqual([]);
  });

  test('of the session: after its last frame', () => {
    const { client, stream, say, sent } = linked();
    say(notice('last'));
    stream.close('the session was deleted');
    expect(sent()).toEqual(['last']);
    expect(client.wire.closings).toEqual([{ code: 'going-away', reason: 'the session was deleted' }]);
  });

  test('of what the client sends, where nobody waits for the rest', () => {
    const { client, heard } = linked();
    client.wire.half();
    expect(heard).toEqual(['end']);
  });
});

describe('a client that sends nothing more', () => {
  const done = { code: 'normal', reason: 'everything has been answered' };

  test('is closed at once when there is nothing to wait for', () => {
    const { client, heard } = linked({}, { half: true });
    client.wire.half();
    expect(heard).toEqual(['half']);
    expect(client.wire.closings).toEqual([done]);
  });

  test('not before what it has begun is done', () => {
    const { client, say, sent, work } = linked({}, { half: true });
    work.isDone = false;
    client.wire.half();
    say(notice('a'));
    expect(client.wire.closings).toEqual([]);
    work.isDone = true;
    work.waiting();
    expect(sent()).toEqual(['a']);
    expect(client.wire.closings).toEqual([done]);
  });

  test('not before its commands are answered', () => {
    const { client, asked, sent } = linked({}, { half: true });
    client.ask(rename('a'), rename('b'));
    client.wire.half();
    asked[0]?.settle();
    expect(client.wire.closings).toEqual([]);
    asked[1]?.settle();
    expect(sent()).toEqual(['set-name: ok', 'set-name: ok']);
    expect(client.wire.closings).toHaveLength(1);
  });

  test('not before what an answer has led to is answered and done', () => {
    const { client, asked, work } = linked(
      { reply: ({ type }) => (type === 'set-name' ? [{ do: 'deliver', message: { type: 'clear-queue' } }] : []) },
      { half: true },
    );
    client.ask(rename('a'));
    client.wire.half();
    asked[0]?.settle();
    work.isDone = false;
    expect(client.wire.closings).toEqual([]);
    asked[1]?.settle();
    expect(client.wire.closings).toEqual([]);
    // Another command is under way by the time that this work is done.
    work.waiting();
    expect(client.wire.closings).toEqual([]);
    work.isDone = true;
    work.waiting();
    expect(client.wire.closings).toEqual([done]);
  });

  test('not before it has been sent all that there is', () => {
    const { client, say, sent } = linked({}, { half: true });
    client.wire.buffered = highWater;
    say(notice('a'), notice('b'));
    client.wire.half();
    expect(client.wire.closings).toEqual([]);
    client.wire.drain();
    expect(sent()).toEqual(['a', 'b']);
    expect(client.wire.closings).toHaveLength(1);
  });
});

describe('a client that is to leave', () => {
  test('is closed when it has been sent everything, and waits for nothing else', () => {
    const { client, link, say, sent } = linked();
    client.ask(rename('never answered'));
    client.wire.buffered = highWater;
    say(notice('last'));
    link.leave('going-away', 'the gateway is shutting down');
    expect(client.wire.closings).toEqual([]);
    client.wire.drain();
    expect(sent()).toEqual(['last']);
    expect(client.wire.closings).toEqual([{ code: 'going-away', reason: 'the gateway is shutting down' }]);
  });

  test('also one that was waited for; and leaves once', () => {
    const { client, link, work } = linked({}, { half: true });
    work.isDone = false;
    client.wire.half();
    link.leave('going-away', 'because');
    link.leave('error', 'again');
    work.waiting();
    expect(client.wire.closings).toEqual([{ code: 'going-away', reason: 'because' }]);
  });
});
