// The sending half: one write a tick, true figures, nothing after the end.
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { jsonl } from '../../src/transports/framing/jsonl.ts';
import { createOutlet } from '../../src/transports/outlet.ts';

/** A stream that takes a write only when told to. */
function slowStream() {
  const writes: Buffer[][] = [];
  let taken: (() => void) | undefined;
  const take = (chunks: Buffer[], callback: () => void) => {
    writes.push(chunks);
    taken = callback;
  };
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, callback) => take([chunk], callback),
    writev: (chunks, callback) =>
      take(
        chunks.map(({ chunk }) => chunk),
        callback,
      ),
  });
  return {
    stream,
    writes,
    take: () => taken?.(),
    nextTick: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
}

describe('an outlet', () => {
  it('writes once a tick', async () => {
    const { stream, writes, nextTick } = slowStream();
    const outlet = createOutlet(stream, jsonl, () => {});
    outlet.send('1');
    outlet.send(['2', Buffer.from('3')]);
    outlet.send('4');
    expect(writes).toEqual([]);
    await nextTick();
    expect(writes.map((chunks) => Buffer.concat(chunks).toString())).toEqual(['1\n23\n4\n']);
  });

  it('writes large pieces as they are, in the same write', async () => {
    const { stream, writes, nextTick } = slowStream();
    const large = Buffer.alloc(100_000, 0x61);
    createOutlet(stream, jsonl, () => {}).send(['[', large, ',', large, ']']);
    await nextTick();
    expect(writes).toHaveLength(1);
    expect(writes[0]?.[1]).toBe(large);
    expect(writes[0]?.[3]).toBe(large);
  });

  it('leaves a stream that is full alone until it has drained, however many ticks send something', async () => {
    const { stream, writes, take, nextTick } = slowStream();
    const outlet = createOutlet(stream, jsonl, () => {});
    outlet.send('x'.repeat(100_000));
    await nextTick();
    for (const text of ['1', '2', '3']) {
      outlet.send(text);
      await nextTick();
    }
    expect(writes).toHaveLength(1);
    expect(outlet.buffered).toBe(100_001 + 6);
    take();
    await nextTick();
    expect(writes.slice(1).map((chunks) => chunks.map(String))).toEqual([['1\n2\n3\n']]);
    take();
    await nextTick();
    expect(outlet.buffered).toBe(0);
  });

  it('counts bytes, not characters, until the peer has taken them, and says when', async () => {
    const { stream, take, nextTick } = slowStream();
    let drained = 0;
    const outlet = createOutlet(stream, jsonl, () => {
      drained += 1;
    });
    outlet.send('"é"');
    expect(outlet.buffered).toBe(5);
    await nextTick();
    expect(outlet.buffered).toBe(5);
    outlet.send('"é"');
    expect(outlet.buffered).toBe(10);
    await nextTick();
    take();
    await nextTick();
    expect([outlet.buffered, drained]).toEqual([5, 0]);
    take();
    await nextTick();
    expect([outlet.buffered, drained]).toEqual([0, 1]);
  });

  it('writes what waits before the end, and nothing after it', async () => {
    const { stream, writes, take, nextTick } = slowStream();
    const outlet = createOutlet(stream, jsonl, () => {});
    outlet.send('1');
    outlet.end();
    outlet.send('2');
    outlet.end();
    take();
    await nextTick();
    expect(writes.map((chunks) => Buffer.concat(chunks).toString())).toEqual(['1\n']);
    expect([stream.writableFinished, outlet.buffered]).toEqual([true, 0]);
  });

  it('takes no harm from a stream that is gone', async () => {
    const { stream, writes, nextTick } = slowStream();
    stream.on('error', () => {});
    const outlet = createOutlet(stream, jsonl, () => {});
    outlet.send('1');
    stream.destroy(new Error('EPIPE'));
    outlet.send('2');
    outlet.end();
    await nextTick();
    expect([writes, outlet.buffered]).toEqual([[], 0]);
  });
});
