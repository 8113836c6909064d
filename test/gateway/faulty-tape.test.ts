// An agent that is a tape, behind faults: what the gateway hears of it.
import { describe, expect, it, test } from 'vitest';
import type { Ending } from '../../src/core/contract/channel.ts';
import { parseFault } from '../../src/faults/grammar.ts';
import { tapeChannel } from '../../src/gateway/tapes/tape-channel.ts';
import { loadTape } from '../../src/tape/loaded.ts';
import { rowText } from '../../src/tape/row.ts';
import { contentLength } from '../../src/transports/framing/content-length.ts';
import { jsonl } from '../../src/transports/framing/jsonl.ts';

const tick = (n: number) => `{"type":"tick","n":${n},"text":"é"}`;
const rows = [
  { dir: 'in' as const, line: '{"type":"prompt","id":"1"}' },
  ...Array.from({ length: 40 }, (_, n) => ({ dir: 'out' as const, line: tick(n + 1) })),
];
const text = `${rows.map(rowText).join('')}{"dir":"exit","code":0,"signal":null}\n`;

interface Heard {
  readonly frames: readonly string[];
  readonly faults: readonly string[];
  readonly reason: string;
}

/** Prompts the tape and listens to its end. */
function heardWith(
  faults: readonly string[],
  { framing = jsonl, connection = 0, seed = 1 }: { framing?: typeof jsonl; connection?: number; seed?: number } = {},
): Promise<Heard> {
  const tape = loadTape(text, { protocol: 'any', isByLength: () => framing === contentLength });
  const rules = faults.map(parseFault);
  const channel = tapeChannel('a tape', tape, {
    speed: Number.POSITIVE_INFINITY,
    faults: { rules, seed, connection, framing, maxFrameBytes: 1024 * 1024 },
  });
  const heard = { frames: [] as string[], faults: [] as string[] };
  return new Promise((resolve) => {
    channel.open({
      frame: (frame) => void heard.frames.push(Buffer.from(frame.bytes).toString('utf8')),
      fault: (fault) => void heard.faults.push(fault.code),
      end: ({ reason }: Ending) => resolve({ ...heard, reason }),
    });
    channel.send('{"type":"prompt","id":"9"}');
  });
}

const all = rows.slice(1).map(({ line }) => line);
const over = 'the tape is over';

describe('a tape behind faults', () => {
  test.each<[string, Partial<Heard>]>([
    ['delay 1ms @2', { frames: all, reason: over }],
    ['split 1 @3', { frames: all, reason: over }],
    ['join 4', { frames: all, reason: over }],
    ['crlf', { frames: all, reason: over }],
    ['pause 5ms @2', { frames: all, reason: over }],
    ['stderr-flood 1KiB @2', { frames: all, reason: over }],
    ['drop @1', { frames: all.slice(1), reason: over }],
    ['dup @1', { frames: [tick(1), ...all], reason: over }],
    ['reorder @1', { frames: [tick(2), tick(1), ...all.slice(2)], reason: over }],
    ['badjson @40', { frames: [...all.slice(0, -1), tick(40).slice(0, -1)], reason: over }],
    ['huge 2MiB @1', { frames: all, faults: ['too-large'], reason: over }],
    ['close @3', { frames: all.slice(0, 2), reason: 'agent closed its output' }],
    ['reset @3', { frames: all.slice(0, 2), reason: 'agent closed its output' }],
    ['kill @3', { frames: all.slice(0, 2), reason: 'agent exited (signal SIGKILL)' }],
    ['exit 7 @3', { frames: all.slice(0, 2), reason: 'agent exited (code 7)' }],
    ['close @1 on in', { frames: [], reason: 'agent exited (code 0)' }],
  ])('%s', async (fault, expected) => {
    expect(await heardWith([fault])).toMatchObject(expected);
  });

  it('frames by length where the protocol does', async () => {
    const heard = await heardWith(['split 3 @2', 'dup @1'], { framing: contentLength });
    expect(heard).toEqual({ frames: [tick(1), ...all], faults: [], reason: over });
  });

  it('repeats with a seed, and each connection has chances of its own', async () => {
    const chosen = ['drop p0.3', 'dup p0.3', 'badjson p0.2'];
    const [one, again] = [await heardWith(chosen), await heardWith(chosen)];
    expect(one.frames).not.toEqual(all);
    expect(again).toEqual(one);
    expect((await heardWith(chosen, { connection: 1 })).frames).not.toEqual(one.frames);
    expect((await heardWith(chosen, { seed: 2 })).frames).not.toEqual(one.frames);
  });

  it('ends when it is closed while everything waits for good', async () => {
    const tape = loadTape(text, { protocol: 'any', isByLength: () => false });
    const channel = tapeChannel('a tape', tape, {
      speed: Number.POSITIVE_INFINITY,
      faults: { rules: [parseFault('stall')], seed: 1, connection: 0, framing: jsonl, maxFrameBytes: 1024 },
    });
    const reason = await new Promise((resolve) => {
      channel.open({ frame: () => resolve('a frame'), fault() {}, end: (ending) => resolve(ending.reason) });
      channel.send('{"type":"prompt","id":"9"}');
      channel.close('normal', 'enough');
    });
    expect(reason).toBe('enough');
  });
});
