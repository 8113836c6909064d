// Recorded traces through the translator: as the filter `patchbay translate`, or in this process for many at once.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { adapters, createTranslator } from '../../src/index.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { Frame } from './inbox.ts';
import { textOf } from './telling.ts';

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

/** The same in this process, without a command line. */
export function translateHere(from: string, to: string, rows: readonly TraceRow[]): Frame[] {
  let ids = 0;
  const env = { now: () => 0, id: (kind: string) => `${kind}-${++ids}` };
  const backend = adapters.get(from)?.agent?.backend(env, {});
  const side = adapters.get(to)?.client?.frontend(env, {});
  if (backend === undefined || side === undefined) throw new Error(`no translation from ${from} to ${to}`);
  const ports = { id: 'trace', epoch: '000000000000', backend, projection: side.projection, note: () => undefined };
  const translator = createTranslator(ports);
  const lines = rows.filter(({ dir }) => dir === 'out').map(({ line }) => createFrame(Buffer.from(line)));
  const outs = [...lines.flatMap((line) => translator.frame(line)), ...translator.end()];
  return outs.map((out) => Frame.parse(JSON.parse(textOf(out))));
}
