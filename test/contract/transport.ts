// What every transport promises, as a suite that each of them is run through.
import { afterEach, describe, expect, it } from 'vitest';
import type { Channel } from '../../src/core/contract/channel.ts';
import { GatewayError } from '../../src/core/model/errors.ts';
import type { Arrivals } from '../transports/support/arrivals.ts';
import { record } from '../transports/support/recording-receiver.ts';

/** The other end of a channel, spoken to without our code where that is possible. */
export interface FarEnd {
  /** Messages that arrived there. */
  readonly received: Arrivals<string>;
  send(message: string): void;
  /** Ends the connection from there. */
  hangUp(): void;
  /** Stops and restarts reading. */
  stall?(): void;
  carryOn?(): void;
}

/** A fresh connection. */
export interface Rig {
  readonly channel: Channel;
  readonly far: FarEnd;
  /** Frees whatever the rig holds. */
  dispose(): void | Promise<void>;
}

/** One transport. */
export interface TransportCase {
  readonly name: string;
  /** The limit that `connect` sets, in bytes; null where messages are not limited. */
  readonly maxFrameBytes: number | null;
  /** What a message over the limit does to the connection. */
  readonly afterTooLarge: 'goes on' | 'ends';
  /** Why the far end cannot stop reading; absent where it can. */
  readonly cannotStall?: string;
  connect(): Promise<Rig>;
}

const texts: readonly (readonly [string, string])[] = [
  ['ASCII', '{"text":"hello"}'],
  ['two to four bytes a character', '{"text":"é漢😀"}'],
  ['half of a pair, escaped', '{"text":"\\ud83d"}'],
  ['a pair, escaped', '{"text":"\\ud83d\\ude00"}'],
  ['an escaped line end and NUL', '{"text":"a\\nb\\u0000c"}'],
  ['NEL, VT and FF escaped and raw', '{"text":"\\u000b\\u000c\u0085"}'],
  ['an emoji of several code points', '{"text":"👩‍👩‍👧‍👦 🏳️‍🌈"}'],
];

/** Runs the suite for one transport. */
export function describeTransport(transport: TransportCase): void {
  describe(`transport: ${transport.name}`, () => {
    const rigs: Rig[] = [];

    async function connect() {
      const rig = await transport.connect();
      rigs.push(rig);
      return { ...rig, heard: record() };
    }

    afterEach(async () => {
      for (const rig of rigs.splice(0)) {
        rig.channel.close('normal', 'the test is over');
        await rig.dispose();
      }
    });

    it.each(texts)('carries %s both ways', async (_name, text) => {
      const { channel, far, heard } = await connect();
      channel.open(heard.receiver);
      channel.send(text);
      far.send(text);
      expect(await far.received.first(1)).toEqual([text]);
      expect(await heard.frames.first(1)).toEqual([text]);
    });

    it('carries a message in pieces as one', async () => {
      const { channel, far, heard } = await connect();
      channel.open(heard.receiver);
      const large = 'x'.repeat(20_000);
      channel.send(['{"a":"', Buffer.from('é'), '","b":"', Buffer.from(large), '"}']);
      channel.send('{"next":1}');
      expect(await far.received.first(2)).toEqual([`{"a":"é","b":"${large}"}`, '{"next":1}']);
    });

    it('keeps the order of 10,000 messages sent in one tick, both ways', async () => {
      const { channel, far, heard } = await connect();
      channel.open(heard.receiver);
      const messages = Array.from({ length: 10_000 }, (_, n) => JSON.stringify({ n }));
      for (const message of messages) {
        channel.send(message);
        far.send(message);
      }
      expect(await far.received.first(messages.length)).toEqual(messages);
      expect(await heard.frames.first(messages.length)).toEqual(messages);
    });

    it('carries a message of 900 kB, with characters cut by every chunk, both ways', async () => {
      const { channel, far, heard } = await connect();
      channel.open(heard.receiver);
      const message = JSON.stringify({ text: '漢😀é'.repeat(100_000) });
      channel.send(message);
      far.send(message);
      expect((await far.received.first(1))[0] === message).toBe(true);
      expect((await heard.frames.first(1))[0] === message).toBe(true);
    });

    it('tells of bytes that are no JSON when the frame is asked, not before', async () => {
      const { channel, far } = await connect();
      const codes: string[] = [];
      const done = new Promise<void>((resolve) => {
        channel.open({
          frame(frame) {
            try {
              codes.push(JSON.stringify(frame.json));
            } catch (thrown) {
              codes.push(thrown instanceof GatewayError ? thrown.code : 'another error');
            }
            if (codes.length === 3) resolve();
          },
          fault: () => {},
          end: () => {},
        });
      });
      far.send('not json');
      far.send('['.repeat(100_000));
      far.send('{"next":1}');
      await done;
      expect(codes).toEqual(['bad-frame', 'too-deep', '{"next":1}']);
    });

    it.runIf(transport.maxFrameBytes !== null)(
      `reports a message over the limit once, and ${transport.afterTooLarge}`,
      async () => {
        const { channel, far, heard } = await connect();
        channel.open(heard.receiver);
        far.send('{"before":1}');
        far.send(JSON.stringify('x'.repeat((transport.maxFrameBytes ?? 0) + 200_000)));
        const [fault] = await heard.faults.first(1);
        expect(fault).toMatchObject({ code: 'too-large' });
        if (transport.afterTooLarge === 'goes on') {
          far.send('{"after":1}');
          expect(await heard.frames.first(2)).toEqual(['{"before":1}', '{"after":1}']);
        } else {
          await heard.end();
          expect(heard.frames.items).toEqual(['{"before":1}']);
        }
        expect(heard.faults.items).toHaveLength(1);
      },
    );

    it('keeps what comes before it is opened', async () => {
      const { channel, far, heard } = await connect();
      far.send('{"early":1}');
      channel.send('{"go":1}');
      await far.received.first(1);
      channel.open(heard.receiver);
      expect(await heard.frames.first(1)).toEqual(['{"early":1}']);
    });

    it('ends once and last when the far end hangs up, and takes sends and closes after that', async () => {
      const { channel, far, heard } = await connect();
      channel.open(heard.receiver);
      far.send('{"last":1}');
      await heard.frames.first(1);
      far.hangUp();
      const { reason } = await heard.end();
      expect(reason).toMatch(/\S/);
      channel.send('{"late":1}');
      channel.close('normal', 'too late');
      channel.close('error', 'again');
      const other = await connect();
      other.channel.open(other.heard.receiver);
      other.far.hangUp();
      await other.heard.end();
      expect(heard.calls).toEqual(['frame', 'end']);
      expect(channel.buffered).toBe(0);
    });

    it('delivers what the far end sent right before it hung up', async () => {
      const { channel, far, heard } = await connect();
      channel.open(heard.receiver);
      channel.send('{"ready":1}');
      await far.received.first(1);
      for (let n = 0; n < 100; n += 1) far.send(JSON.stringify({ n }));
      far.hangUp();
      await heard.end();
      expect(heard.frames.items).toHaveLength(100);
    });

    it('ends once with the given reason when closed, not inside close, however often', async () => {
      const { channel, far, heard } = await connect();
      channel.open(heard.receiver);
      channel.send('{"n":1}');
      await far.received.first(1);
      channel.close('normal', 'enough');
      channel.close('error', 'really');
      expect(heard.calls).toEqual([]);
      channel.send('{"late":1}');
      expect(await heard.end()).toMatchObject({ reason: 'enough' });
      channel.close('normal', 'once more');
      expect(heard.calls).toEqual(['end']);
      expect(far.received.items).toEqual(['{"n":1}']);
    });

    it('sends what was sent right before close', async () => {
      const { channel, far, heard } = await connect();
      channel.open(heard.receiver);
      channel.send('{"n":1}');
      await far.received.first(1);
      channel.send('{"n":2}');
      channel.send('{"n":3}');
      channel.close('normal', 'enough');
      expect(await far.received.first(3)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
      await heard.end();
    });

    it('can be closed while paused, and before it is opened', async () => {
      const paused = await connect();
      paused.channel.open(paused.heard.receiver);
      paused.channel.pause();
      paused.far.send('{"unread":1}');
      paused.channel.close('normal', 'enough');
      expect(await paused.heard.end()).toMatchObject({ reason: 'enough' });
      expect(paused.heard.frames.items).toEqual([]);

      const unopened = await connect();
      unopened.channel.close('normal', 'never mind');
      unopened.channel.open(unopened.heard.receiver);
      expect(await unopened.heard.end()).toMatchObject({ reason: 'never mind' });
    });

    it('delivers nothing while paused and everything after, in order', async () => {
      const { channel, far, heard } = await connect();
      channel.open(heard.receiver);
      far.send('{"n":0}');
      await heard.frames.first(1);
      channel.pause();
      const text = 'x'.repeat(50_000);
      const messages = Array.from({ length: 200 }, (_, n) => JSON.stringify({ n: n + 1, text }));
      for (const message of messages) far.send(message);
      // Two round trips in the other direction: whatever could be delivered would have been.
      for (let n = 1; n <= 2; n += 1) {
        channel.send('{"ping":1}');
        await far.received.first(n);
      }
      expect(heard.frames.items).toHaveLength(1);
      channel.resume();
      expect((await heard.frames.first(201)).slice(1)).toEqual(messages);
    });

    it('stops at once when the receiver pauses it in the middle of a chunk', async () => {
      const { channel, far } = await connect();
      const heard = record();
      channel.open({
        ...heard.receiver,
        frame(frame) {
          heard.receiver.frame(frame);
          if (heard.frames.items.length === 1) channel.pause();
        },
      });
      for (let n = 0; n < 10; n += 1) far.send(JSON.stringify({ n }));
      await heard.frames.first(1);
      channel.send('{"ping":1}');
      await far.received.first(1);
      expect(heard.frames.items).toEqual(['{"n":0}']);
      channel.resume();
      expect(await heard.frames.first(10)).toHaveLength(10);
    });

    it('says when everything was taken', async () => {
      const { channel, far, heard } = await connect();
      channel.open(heard.receiver);
      channel.send('{"n":1}');
      expect(channel.buffered).toBeGreaterThanOrEqual('{"n":1}'.length);
      await far.received.first(1);
      await heard.drains.first(1);
      expect(channel.buffered).toBe(0);
    });

    it.skipIf(transport.cannotStall !== undefined)(
      `counts what a far end that does not read has not taken${transport.cannotStall ? ` (${transport.cannotStall})` : ''}`,
      async () => {
        const { channel, far, heard } = await connect();
        channel.open(heard.receiver);
        channel.send('{"n":0}');
        await far.received.first(1);
        await heard.drains.first(1);
        far.stall?.();
        const message = JSON.stringify({ text: 'é'.repeat(50_000) });
        for (let n = 0; n < 200; n += 1) channel.send(message);
        expect(channel.buffered).toBeGreaterThanOrEqual(200 * 100_000);
        // A round trip against the stream: the sends have been tried by then.
        far.send('{"still here":1}');
        await heard.frames.first(1);
        expect(channel.buffered).toBeGreaterThan(1_000_000);
        expect(heard.drains.items).toHaveLength(1);
        far.carryOn?.();
        await heard.drains.first(2);
        expect(channel.buffered).toBe(0);
        expect(await far.received.first(201)).toHaveLength(201);
      },
    );
  });
}
