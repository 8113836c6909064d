// One gateway's worth of writing to a store in Redis: takes the session whenever it is free, and appends until it is lost.
// Prints `kept <fence> <place>` for each sync that was told, `lost <fence>` and `owns <fence>`.
// Arguments: the bundled store, its URL, the session, a seed.
import { writeSync } from 'node:fs';

const [, , module, url, session, seed] = process.argv;
const { openRedisStore } = await import(module);

let state = Number(seed) >>> 0 || 1;
/** The next number below `below`; the same for each seed. */
function draw(below) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

const clock = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
const say = (line) => writeSync(1, `${line}\n`);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const again = (work) => work().catch(() => pause(20).then(() => again(work)));

// A short queue, so that a Redis that is away breaks some logs.
const queue = { perSession: 20_000, all: 40_000 };
const open = () =>
  openRedisStore({ url, clock, nodeUrl: `http://${seed}`, leaseMs: 300, answerMs: 400, segmentBytes: 15_000, queue });
const store = await again(open);

/** Which fence wrote from which place on: all that a snapshot has to remember. */
function wrote(runs, { place, fence }) {
  if (runs.at(-1)?.fence !== fence) runs.push({ fence, from: place });
}

/** Writes until the session is lost. */
async function own() {
  let place = 0;
  let isLost = false;
  const runs = [];
  const owner = {
    snapshot: () => ({ place, state: runs }),
    lost() {
      isLost = true;
      say(`lost ${log?.fence}`);
    },
  };
  let log;
  try {
    const claimed = await store.claim(session, owner);
    log = claimed.log;
    place = claimed.past.snapshot?.place ?? 0;
    runs.push(...(claimed.past.snapshot?.state ?? []));
    for await (const record of claimed.past.records()) {
      place = record.place;
      wrote(runs, record);
    }
  } catch (thrown) {
    if (thrown.code !== 'not-found') return;
    log = await store.create({ session }, owner);
    // A session that Redis does not have yet has no fence to write about.
    if (log.fence === 0) return log.release();
  }
  const { fence } = log;
  say(`owns ${fence}`);
  while (!isLost) {
    for (let records = draw(12); records > 0; records -= 1) {
      place += 1;
      const record = { place, fence, text: 'x'.repeat(draw(60)) };
      wrote(runs, record);
      log.append(record);
    }
    const upTo = place;
    // Of an owner before, if this one has written nothing yet.
    const by = runs.at(-1)?.fence;
    if (by !== undefined && draw(3) === 0) {
      log.sync((durability) => {
        if (durability === 'kept') say(`kept ${by} ${upTo}`);
      });
    }
    // Sometimes many turns are on their way, sometimes Redis is awaited.
    await (draw(4) === 0 ? pause(2) : new Promise((resolve) => setImmediate(resolve)));
  }
}

for (;;) {
  await own().catch(() => {});
  await pause(20);
}
