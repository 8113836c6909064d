// P6: deltas told to a client that wants the whole message with each of them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { createBatch } from '../../src/transports/batch.ts';
import { createFrameWriter } from '../../src/transports/frame-writer.ts';
import { bytesOf } from '../../src/transports/framing/frame.ts';
import { jsonl } from '../../src/transports/framing/jsonl.ts';
import { ourTeller, plainTeller, type Teller } from '../growing.ts';
import { atLeast, atMost, type Family, type Figure, short, WrongResult } from '../report.ts';
import { exponent, interleave, median, ratio, timed } from '../rounds.ts';
import { deltasOf } from '../workloads.ts';

/** At so many places of the growing message, evenly spread, deltas of 4 characters are told one by one. */
const places = 20;
const eachPlace = 15;
const kilobytes = [1, 10, 50, 200] as const;

export const growing: Family = {
  rows: ['P6'],
  how:
    `P6: canonical deltas to lines of the growing pi dialect, at ${places} places of a message that grows to 200 KB, ` +
    `${eachPlace} deltas each (the text between the places comes in one large delta that is not counted). Written to the stdin of ` +
    '`cat > /dev/null`, each line taken before the next; CPU time of our process, user and system. Ours: pi projection ' +
    'and frame writer. Theirs: JSON.stringify of the whole line, one write. The exponent is that of the wall time of ours ' +
    'without the write, 1 to 200 KB.',
  async *run(progress) {
    for (const size of kilobytes) mustBeEqual(size);
    progress('written to a pipe');
    const cat = spawn('sh', ['-c', 'exec cat > /dev/null'], { stdio: ['pipe', 'ignore', 'inherit'] });
    try {
      yield await written(cat);
      yield await inMemory();
    } finally {
      cat.stdin.end();
      await once(cat, 'exit');
    }
  },
};

async function written(cat: ChildProcess & { readonly stdin: Writable }): Promise<Figure> {
  let drained = () => {};
  const outlet = createFrameWriter(cat.stdin, jsonl, () => drained());
  const ours = (teller: Teller, delta: string) =>
    new Promise<void>((resolve) => {
      drained = resolve;
      outlet.send(teller.delta(delta));
    });
  const plain = (teller: Teller, delta: string) =>
    new Promise<void>((resolve) => {
      cat.stdin.write(`${String(teller.delta(delta))}\n`, () => resolve());
    });
  const costs = await interleave(
    {
      ours: () => cpuOfEach(200, ourTeller(), ours),
      plain: () => cpuOfEach(200, plainTeller(), plain),
    },
    { rounds: 7, warmUp: 2 },
  );
  return {
    row: 'P6',
    what: 'growing lines, 200 KB, written to a pipe: CPU of JSON.stringify / ours',
    value: ratio(costs.plain, costs.ours),
    unit: 'x',
    goal: atLeast(
      15,
      'the projection copies nothing of the message, so what is left is the kernel, which copies two snapshots of up to 200 KB ' +
        'into the pipe for each delta.',
    ),
    moonshot: atLeast(40),
    detail: `us of CPU per event: ours ${short(median(costs.ours))}, JSON.stringify ${short(median(costs.plain))}`,
  };
}

async function inMemory(): Promise<Figure> {
  const sides = Object.fromEntries(kilobytes.map((size) => [size, () => wallOfEach(size)]));
  const costs = await interleave<string>(sides, { rounds: 15, warmUp: 5 });
  const points = kilobytes.map((size) => [size, median(costs[size] ?? [])] as const);
  return {
    row: 'P6',
    what: 'growing lines in user space: exponent over the size, 1 to 200 KB',
    value: exponent(points),
    unit: '',
    goal: atMost(0.2, 'each size takes a few microseconds, so what one of them takes by chance turns the slope.'),
    moonshot: atMost(0.02),
    detail: `us per event: ${points.map(([size, us]) => `${short(us)} at ${size} KB`).join(', ')}`,
  };
}

/** What is said at each place: one large delta that leads there, then small ones. */
function parts(size: number): { large: string; small: string[] }[] {
  const deltas = deltasOf(size * 1000);
  const stride = Math.floor(deltas.length / places);
  const count = Math.min(eachPlace, Math.ceil(stride / 2));
  return Array.from({ length: places }, (_, place) => {
    const all = deltas.slice(place * stride, (place + 1) * stride);
    return { large: all.slice(count).join(''), small: all.slice(0, count) };
  });
}

const countOf = (all: ReturnType<typeof parts>) => all.reduce((sum, { small }) => sum + small.length, 0);

async function cpuOfEach(
  size: number,
  teller: Teller,
  write: (teller: Teller, delta: string) => Promise<void>,
): Promise<number> {
  const all = parts(size);
  let cost = 0;
  for (const { large, small } of all) {
    teller.delta(large);
    const before = process.cpuUsage();
    for (const delta of small) await write(teller, delta);
    const { user, system } = process.cpuUsage(before);
    cost += user + system;
  }
  return cost / countOf(all);
}

function wallOfEach(size: number): number {
  const all = parts(size);
  let ms = 0;
  let events = 0;
  const batch = createBatch();
  // A short message is over before a clock can read it: it is told again and again.
  for (let turn = 0; turn < (size === 1 ? 30 : 10); turn += 1) {
    const teller = ourTeller();
    for (const { large, small } of all) {
      teller.delta(large);
      ms += timed(() => {
        for (const delta of small) {
          const encoded = jsonl.encode(teller.delta(delta));
          if (typeof encoded === 'string') batch.add(encoded);
          else for (const piece of encoded) batch.add(piece);
          batch.take();
        }
      });
    }
    events += countOf(all);
  }
  return (ms * 1000) / events;
}

function mustBeEqual(size: number): void {
  const ours = ourTeller();
  const plain = plainTeller();
  for (const { large, small } of parts(size)) {
    for (const delta of [large, ...small]) {
      const line = bytesOf(ours.delta(delta));
      if (!line.equals(bytesOf(plain.delta(delta))))
        throw new WrongResult(`another line than JSON.stringify writes: ${line.subarray(0, 200)}`);
    }
  }
}
