// Loaded into a server with --import. Told by SIGUSR2, it collects garbage and says what is left: memory, descriptors,
// timers and handles. A snapshot of the heap goes into the folder `PATCHBAY_SNAPSHOTS`. Linux only (/proc).
import { readdirSync, writeSync } from 'node:fs';
import path from 'node:path';
import { writeHeapSnapshot } from 'node:v8';

const folder = process.env.PATCHBAY_SNAPSHOTS ?? '';
let looks = 0;

/** A second turn of the loop lets finalisers run, whose garbage the second collection finds. */
function collected(then: () => void): void {
  globalThis.gc?.();
  setImmediate(() => {
    globalThis.gc?.();
    setImmediate(then);
  });
}

function count(): void {
  looks += 1;
  const resources = process.getActiveResourcesInfo();
  const timers = resources.filter((name) => name === 'Timeout' || name === 'Immediate').length;
  const { heapUsed, rss } = process.memoryUsage();
  const descriptors = readdirSync('/proc/self/fd').length;
  const snapshot = writeHeapSnapshot(path.join(folder, `${looks}.heapsnapshot`));
  const said = { type: 'census', heapUsed, rss, descriptors, timers, handles: resources.length - timers, snapshot };
  writeSync(1, `${JSON.stringify(said)}\n`);
}

process.on('SIGUSR2', () => collected(count));
