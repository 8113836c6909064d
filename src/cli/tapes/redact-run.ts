// Carries out `patchbay redact`, and `patchbay record --scrub` when the program has ended.
import { readFileSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { GatewayError, messageOf } from '../../core/model/errors.ts';
import { openTapeFile } from '../../stores/tape-file.ts';
import { readTape } from '../../tape/reader.ts';
import { scrubTape } from '../../tape/scrub.ts';

/** The parsed options. */
export interface RedactOptions {
  readonly output: string;
  readonly force?: boolean;
  readonly word: readonly string[];
}

/** Writes the copy and prints the table on stderr. Throws `invalid` for a file that is no tape. */
export function redact(file: string, options: RedactOptions): void {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
    readTape(text);
  } catch (thrown) {
    throw new GatewayError('invalid', `${file}: ${messageOf(thrown)}`, { cause: thrown });
  }
  const surroundings = { env: process.env, home: homedir(), user: userInfo().username, host: hostname() };
  const { text: copy, table, left } = scrubTape(text, surroundings, options.word);
  const output = openTapeFile(options.output, {
    replaces: options.force === true,
    failed() {
      throw new GatewayError('internal', `${options.output} could not be written`);
    },
  });
  output.append(copy);
  output.close();
  for (const { kind, placeholder, count } of table) {
    process.stderr.write(`${kind.padEnd(6)} ${String(count).padStart(6)} times  ${placeholder.slice(0, 60)}\n`);
  }
  if (table.length === 0) process.stderr.write('nothing was replaced\n');
  if (left === 0) return;
  process.stderr.write(`patchbay: ${left} secrets are still in ${options.output}\n`);
  process.exitCode = 1;
}
