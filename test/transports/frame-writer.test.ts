// The sending half: one write a tick or one a frame, true figures, nothing after the end.
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createFrameWriter } from '../../src/transports/frame-writer.ts';
import { contentLength } from '../../src/transports/framing/content-length.ts';
import { jsonl } from '../../src/transports/framing/jsonl.ts';

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
    const outlet = createFrameWriter(stream, jsonl, () => {});
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
    createFrameWriter(stream, jsonl, () => {}).send(['[', large, ',', large, ']']);
    await nextTick();
    expect(writes).toHaveLength(1);
    expect(writes[0]?.[1]).toBe(large);
    expect(writes[0]?.[3]).toBe(large);
  });

  it('leaves a stream that is full alone until it has drained, however many ticks send something', async () => {
    const { stream, writes, take, nextTick } = slowStream();
    const outlet = createFrameWriter(stream, jsonl, () => {});
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
    const outlet = createFrameWriter(stream, jsonl, () => {
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
    const outlet = createFrameWriter(stream, jsonl, () => {});
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
    const outlet = createFrameWriter(stream, jsonl, () => {});
    outlet.send('1');
    stream.destroy(new Error('EPIPE'));
    outlet.send('2');
    outlet.end();
    await nextTick();
    expect([writes, outlet.buffered]).toEqual([[], 0]);
  });
});

describe('an outlet whose frames go apart', () => {
  const framed = (text: string) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  const texts = (writes: readonly Buffer[][]) => writes.map((chunks) => chunks.map(String));

  it('writes each frame by itself, one chunk and one write, however many are sent in a tick', async () => {
    const { stream, writes, take, nextTick } = slowStream();
    const outlet = createFrameWriter(stream, contentLength, () => {});
    const large = 'x'.repeat(100_000);
    outlet.send('1');
    outlet.send(['2', Buffer.from('é'), large]);
    outlet.send('4');
    expect(writes).toEqual([]);
    const all = [framed('1'), framed(`2é${large}`), framed('4')];
    for (let count = 1; count <= all.length; count += 1) {
      await nextTick();
      expect(texts(writes)).toEqual(all.slice(0, count).map((text) => [text]));
      take();
    }
  });

  it('sends what came during a write in writes of their own behind it, in order', async () => {
    const { stream, writes, take, nextTick } = slowStream();
    const outlet = createFrameWriter(stream, contentLength, () => {});
    outlet.send('x'.repeat(100_000));
    await nextTick();
    const later = Array.from({ length: 100 }, (_, n) => `{"n":${n}}`);
    for (const text of later) {
      outlet.send(text);
      await nextTick();
    }
    expect(writes).toHaveLength(1);
    for (const _ of later) {
      take();
      await nextTick();
    }
    expect(texts(writes).slice(1)).toEqual(later.map((text) => [framed(text)]));
  });

  it('counts what waits in bytes, and says when all was taken', async () => {
    const { stream, take, nextTick } = slowStream();
    let drained = 0;
    const outlet = createFrameWriter(stream, contentLength, () => {
      drained += 1;
    });
    outlet.send('"é"');
    outlet.send('22');
    expect(outlet.buffered).toBe(framed('"é"').length + 1 + framed('22').length);
    await nextTick();
    expect(outlet.buffered).toBe(framed('"é"').length + 1 + framed('22').length);
    take();
    await nextTick();
    expect([outlet.buffered, drained]).toEqual([framed('22').length, 0]);
    take();
    await nextTick();
    expect([outlet.buffered, drained]).toEqual([0, 1]);
    outlet.send('3');
    await nextTick();
    take();
    await nextTick();
    expect(drained).toBe(2);
  });

  it('writes all that waits before the end, still apart, and nothing after it', async () => {
    const { stream, writes, take, nextTick } = slowStream();
    const outlet = createFrameWriter(stream, contentLength, () => {});
    outlet.send('1');
    outlet.send('2');
    outlet.end();
    outlet.send('3');
    outlet.end();
    for (let n = 0; n < 3; n += 1) {
      await nextTick();
      take();
    }
    await nextTick();
    expect(texts(writes)).toEqual([[framed('1')], [framed('2')]]);
    expect([stream.writableFinished, outlet.buffered]).toEqual([true, 0]);
  });

  it('ends at once when nothing waits', async () => {
    const { stream, nextTick } = slowStream();
    createFrameWriter(stream, contentLength, () => {}).end();
    await nextTick();
    expect(stream.writableFinished).toBe(true);
  });

  it('takes no harm from a stream that is gone', async () => {
    const { stream, writes, nextTick } = slowStream();
    stream.on('error', () => {});
    const outlet = createFrameWriter(stream, contentLength, () => {});
    outlet.send('1');
    outlet.send('2');
    await nextTick();
    stream.destroy(new Error('EPIPE'));
    outlet.send('3');
    outlet.end();
    await nextTick();
    expect([writes.length, outlet.buffered]).toEqual([1, 0]);
  });
});
