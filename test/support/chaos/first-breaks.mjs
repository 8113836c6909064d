// The command of an agent whose first process has faults: `first-breaks.mjs <folder> <patchbay> <chaos arguments> -- <agent>`.
// Later processes are the agent alone. Each writes its id into the folder.
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, patchbay, ...rest] = process.argv.slice(2);
const [node, script, ...args] = rest.slice(rest.indexOf('--') + 1);

function isFirst() {
  try {
    closeSync(openSync(join(folder, 'first'), 'wx'));
    return true;
  } catch {
    return false;
  }
}

appendFileSync(join(folder, 'pids'), `${process.pid}\n`);
const breaks = isFirst();
process.argv = breaks ? [node, patchbay, 'chaos', ...rest] : [node, script, ...args];
await import(pathToFileURL(process.argv[1]).href);
