// Recordings of the real pi as traces, whole or in parts, and what the rules of a set make of them as those of a file. They are
// not ours to copy, so they are read where they lie; none are at hand where there is no corpus.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { Trace, TraceFrame } from '../../../src/conformance/check/rule.ts';
import { type CheckSet, descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { judgeTrace } from '../../../src/conformance/trace/trace-file.ts';

const corpus = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi');
const Row = z.object({ dir: z.enum(['in', 'out']), line: z.string() });

/** One recording, and the version that spoke. */
export interface Recording {
  readonly name: string;
  readonly version: string;
  readonly frames: readonly TraceFrame[];
}

/** Those of some versions. */
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

/** One line as it was said. */
export function frame(by: TraceFrame['by'], text: string): TraceFrame {
  try {
    return { at: 0, by, text, json: JSON.parse(text) };
  } catch {
    return { at: 0, by, text };
  }
}

/** What is wrong at MUST or SHOULD with a recording of that side, by the names of the checks. */
export function wrongIn(set: CheckSet, frames: readonly TraceFrame[], more: Partial<Trace> = {}): string[] {
  const asked = new Map(descriptionsOf(set).map(({ id, level }) => [id, level]));
  return judgeTrace([set], [{ frames, isComplete: false, ...more }]).flatMap(({ results }) =>
    results.flatMap(({ id, verdict, reason }) =>
      asked.get(id) !== 'MAY' && (verdict === 'failed' || verdict === 'unclear') ? [`${id}: ${reason}`] : [],
    ),
  );
}

/** A recorder that wrote down one side alone. */
export const saidBy = (side: TraceFrame['by'], { frames }: Recording): TraceFrame[] =>
  frames.filter(({ by }) => by === side);

/** Recorders that came late: parts of a recording from different frames on. */
export function endsOf({ frames }: Recording): TraceFrame[][] {
  const from = new Set([0.1, 0.3, 0.5, 0.7, 0.9].map((part) => Math.floor(frames.length * part)));
  return [...from, 1, 2, 3].map((at) => frames.slice(at));
}
