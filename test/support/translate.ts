// `patchbay translate` as a filter: a recorded trace goes in, frames of another protocol come out.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { Frame } from './inbox.ts';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const CorpusRow = z.strictObject({ dir: z.enum(['in', 'out']), line: z.string() });
const maxOutputBytes = 64 * 1024 * 1024;

/** One row of a recorded trace: a raw line, towards the agent (`in`) or from it (`out`). */
export type TraceRow = z.infer<typeof CorpusRow>;

/** The rows of a trace in the corpus form. */
export function readTrace(text: string): TraceRow[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => CorpusRow.parse(JSON.parse(line)));
}

/** Runs the filter over a trace; the frames that it prints for clients. Rejects when it fails. */
export function translate(from: string, to: string, rows: readonly TraceRow[]): Promise<Frame[]> {
  return new Promise((resolve, reject) => {
    const words = [cli, 'translate', '--from', from, '--to', to];
    const child = execFile(process.execPath, words, { maxBuffer: maxOutputBytes }, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(framesOf(stdout));
    });
    child.stdin?.on('error', reject).end(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  });
}

/** Frames one a line, bare or in the corpus form; those towards the agent are not for clients. */
function framesOf(stdout: string): Frame[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => {
    const json: unknown = JSON.parse(line);
    const { data: row } = CorpusRow.safeParse(json);
    if (row?.dir === 'in') return [];
    return [Frame.parse(row === undefined ? json : JSON.parse(row.line))];
  });
}
