// Reads recordings of the real pi as traces, whole or in parts, and judges them like a file. The recordings are not
// ours to copy, so they stay outside of the project; without the corpus there are none.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { Trace, TraceFrame } from '../../../src/conformance/check/rule.ts';
import { type CheckSet, descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { judgeTrace } from '../../../src/conformance/trace/trace-file.ts';

const corpus = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi');
const Row = z.object({ dir: z.enum(['in', 'out']), line: z.string() });

/** One recording, with the version of pi. */
export interface Recording {
  readonly name: string;
  readonly version: string;
  readonly frames: readonly TraceFrame[];
}

/** The recordings of some versions. */
export function recordingsOf(...versions: readonly string[]): Recording[] {
  return versions.flatMap((version) => {
    const folder = join(corpus, version);
    const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [];
    return files.map((file) => ({
      version,
      name: basename(file, '.jsonl'),
      frames: readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean).map(frameOf),
    }));
  });
}

function frameOf(row: string): TraceFrame {
  const { dir, line } = Row.parse(JSON.parse(row));
  return frame(dir === 'in' ? 'client' : 'agent', line);
}

/** One line as a frame. */
export function frame(by: TraceFrame['by'], text: string): TraceFrame {
  try {
    return { at: 0, by, text, json: JSON.parse(text) };
  } catch {
    return { at: 0, by, text };
  }
}

/** Violations at MUST or SHOULD in a recording of one side, by check name. */
export function wrongIn(set: CheckSet, frames: readonly TraceFrame[], more: Partial<Trace> = {}): string[] {
  const asked = new Map(descriptionsOf(set).map(({ id, level }) => [id, level]));
  return judgeTrace([set], [{ frames, isComplete: false, ...more }]).flatMap(({ results }) =>
    results.flatMap(({ id, verdict, reason }) =>
      asked.get(id) !== 'MAY' && (verdict === 'failed' || verdict === 'unclear') ? [`${id}: ${reason}`] : [],
    ),
  );
}

/** The frames of one side. */
export const saidBy = (side: TraceFrame['by'], { frames }: Recording): TraceFrame[] =>
  frames.filter(({ by }) => by === side);

/** The recording from several later frames on. */
export function endsOf({ frames }: Recording): TraceFrame[][] {
  const from = new Set([0.1, 0.3, 0.5, 0.7, 0.9].map((part) => Math.floor(frames.length * part)));
  return [...from, 1, 2, 3].map((at) => frames.slice(at));
}
