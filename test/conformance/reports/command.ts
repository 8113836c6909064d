// Runs `patchbay conformance` like a user and reads the report.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { root } from './page.ts';

const Verdicts = z.object({ passed: z.int(), failed: z.int(), unclear: z.int(), 'not-applicable': z.int() });
const Report = z.object({
  ms: z.number(),
  counts: z.object({
    verdicts: Verdicts,
    levels: z.object({ MUST: Verdicts, SHOULD: Verdicts, MAY: Verdicts }),
  }),
  results: z.array(
    z.object({
      id: z.string(),
      level: z.enum(['MUST', 'SHOULD', 'MAY']),
      verdict: z.enum(['passed', 'failed', 'unclear', 'not-applicable']),
      reason: z.string().optional(),
    }),
  ),
});
/** What the pages take from a report. */
export type RunReport = z.infer<typeof Report>;

export const program = path.join(root, 'dist/cli/main.js');

/** Rejects when the run wrote no report. */
export async function judged(args: readonly string[]): Promise<RunReport> {
  const place = mkdtempSync(path.join(tmpdir(), 'patchbay-report-'));
  const file = path.join(place, 'report.json');
  try {
    const child = spawn(process.execPath, [program, 'conformance', ...optionsFirst(args, ['--json', file])], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaint = '';
    child.stderr.on('data', (text) => {
      complaint = `${complaint}${String(text)}`.slice(-2000);
    });
    await new Promise((resolve) => child.once('close', resolve));
    try {
      return Report.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch (thrown) {
      throw new Error(`no report of ${args.join(' ')}: ${complaint}`, { cause: thrown });
    }
  } finally {
    rmSync(place, { recursive: true });
  }
}

/** Puts our options before `--`. */
function optionsFirst(args: readonly string[], options: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end === -1 ? [...args, ...options] : [...args.slice(0, end), ...options, ...args.slice(end)];
}
