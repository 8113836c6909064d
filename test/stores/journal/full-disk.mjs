// Fills a small disk with the log of a session, makes room, and says how each sync went. Arguments: the bundled journal, the
// folder of the disk.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , module, disk] = process.argv;
const { openJournal } = await import(module);

// Half a minute takes 30 ms here.
const clock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms / 1_000);
    return () => clearTimeout(timer);
  },
};
const say = (...words) => process.stdout.write(`${words.join(' ')}\n`);

writeFileSync(join(disk, 'ballast'), Buffer.alloc(24 * 1024));
const journal = await openJournal({ folder: join(disk, 'journal'), clock });
let place = 0;
const log = await journal.create({ session: 's' }, { snapshot: () => ({ place, state: 'small' }), lost() {} });
const synced = () => new Promise((done) => log.sync(done));
const append = (text) => log.append({ place: ++place, text });

let durability = 'kept';
append('first');
say('first', await synced());
while (durability === 'kept') {
  append('x'.repeat(1_000));
  durability = await synced();
}
say('full', durability, journal.obstacles().join());
rmSync(join(disk, 'ballast'));
while (durability === 'memory') {
  append('later');
  durability = await synced();
  await new Promise((resolve) => setImmediate(resolve));
}
say('room', durability, journal.obstacles().length);
const { snapshot, records } = await journal.read('s');
let last = snapshot.place;
for await (const record of records()) if (record.place === last + 1) last = record.place;
say('read', last === place);
await journal.close();
