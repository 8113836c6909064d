// A gateway's worth of writing: sessions in a journal, until it is killed. Prints `open`, then a line for each sync that was
// told: the session, and the place up to which everything is kept.
// Arguments: the bundled journal, its folder, a seed, the number of sessions.
import { writeSync } from 'node:fs';

const [, , module, folder, seed, count] = process.argv;
const { openJournal } = await import(module);

let state = Number(seed) >>> 0 || 1;
/** The next number below `below`; the same for each seed. */
function draw(below) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

const clock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
const say = (line) => writeSync(1, `${line}\n`);

const journal = await openJournal({ folder, clock, segmentBytes: 4_000 }).catch((thrown) => {
  say(`refused ${thrown.code}`);
  process.exit(3);
});

async function writing(session) {
  let place = 0;
  const owner = { snapshot: () => ({ place, state: { place } }), lost: (reason) => say(`lost ${reason}`) };
  const stored = await journal.list(null, 1_000);
  let log;
  if (stored.some((head) => head.session === session)) {
    const claimed = await journal.claim(session, owner);
    log = claimed.log;
    place = claimed.past.snapshot?.place ?? 0;
    for await (const record of claimed.past.records()) place = record.place;
  } else log = await journal.create({ session }, owner);
  return function turn() {
    for (let records = draw(20); records > 0; records -= 1) {
      place += 1;
      log.append({ place, text: String(place).repeat(1 + draw(50)) });
    }
    if (draw(4) > 0) return;
    const upTo = place;
    log.sync((durability) => say(`${session} ${upTo} ${durability}`));
  };
}

const turns = await Promise.all(Array.from({ length: Number(count) }, (_, at) => writing(`s${at}`)));
say('open');
for (;;) {
  for (const turn of turns) turn();
  await new Promise((resolve) => setImmediate(resolve));
}
