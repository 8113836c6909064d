// Starts a script of Node that writes down how it was started and what it was sent.
import { existsSync, readFileSync } from 'node:fs';

/** Is the script, after it has written its arguments down. */
const telling = `
  const { appendFileSync } = require('node:fs');
  const [, script, record, ...rest] = process.argv;
  const tell = (row) => appendFileSync(record, JSON.stringify({ pid: process.pid, ...row }) + '\\n');
  tell({ argv: rest });
  process.argv = [process.argv[0], script, ...rest];
  const { emit } = process.stdin;
  process.stdin.emit = function (name, chunk) {
    if (name === 'data') tell({ sent: chunk.toString() });
    return emit.apply(this, arguments);
  };
  import(script);`;

/** One process: its arguments, and all that it has read from its input. */
export interface Start {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly sent: string;
}

/** The command of the script, with that record. */
export function tellingCommand(script: string, record: string, args: readonly string[]): [string, ...string[]] {
  return [process.execPath, '-e', telling, script, record, ...args];
}

/** All processes of a record, in the order of their start. */
export function startsIn(record: string): Start[] {
  const all = new Map<number, Start>();
  const rows = existsSync(record) ? readFileSync(record, 'utf8').split('\n').slice(0, -1) : [];
  for (const row of rows) {
    const { pid, argv = [], sent = '' } = JSON.parse(row);
    const known = all.get(pid) ?? { pid, argv, sent: '' };
    all.set(pid, { ...known, sent: known.sent + sent });
  }
  return [...all.values()];
}
