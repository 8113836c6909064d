// Reads recordings and judges them. A recording is a file of JSON rows with a direction, the bare lines of one side, or
// our own JSON report.
import { dictionaryIn, isDictionary } from '../../core/model/dictionary.ts';
import type { Result } from '../check/check.ts';
import { type ConversationToJudge, judgeRules } from '../check/judge.ts';
import type { Trace, TraceFrame } from '../check/rule.ts';
import type { CheckSet } from '../check/sets.ts';
import { jsonFormat } from '../report/json.ts';
import { type RecordedTrace, recordedFrame, TraceFileError } from './recorded.ts';
import { tracesOfReport } from './report-traces.ts';

export { type RecordedTrace, TraceFileError } from './recorded.ts';

/** How to read a recording. */
export interface TraceFileOptions {
  /**
   * The recording ends after all answers had time to come. Default false: a recorder may stop at any time, so nothing
   * that is missing at the end counts as a failure.
   */
  readonly isComplete?: boolean;
  /**
   * The file holds the bare lines of this side. Rules that compare both sides, and rules on the missing side, are
   * skipped (check/judge.ts).
   */
  readonly by?: 'agent' | 'client';
}

/**
 * Returns one trace for each connection, in the order in which they begin. A row is `{"dir":"in"|"out","line":"…"}`
 * with the line as it was on the wire, or has the message as JSON in `msg`. `in` means towards the agent. `at` (ms) and
 * `conn` are optional. `in-raw` and `out-raw` are bytes with their header. `note`, `mark` and `argv` rows were not on
 * the wire. A last row without a line end may be cut off. Throws a {@link TraceFileError} that names the line.
 */
export function readTraceFile(text: string, options: TraceFileOptions = {}): readonly RecordedTrace[] {
  const { isComplete = false, by } = options;
  const report = reportIn(text);
  if (report !== null) return tracesOfReport(report, { isComplete });
  const connections = new Map<string, TraceFrame[]>();
  const remarks: string[] = [];
  const lines = text.replace(/^\ufeff/u, '').split('\n');
  lines.forEach((raw, index) => {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (line.trim() === '') return;
    const number = index + 1;
    const row = by === undefined ? rowOf(line, number, number === lines.length) : { frame: recordedFrame(by, line) };
    if ('remark' in row) {
      if (row.remark !== '') remarks.push(`line ${number}: ${row.remark}`);
      return;
    }
    const name = 'connection' in row ? row.connection : '';
    const frames = connections.get(name) ?? [];
    connections.set(name, frames);
    frames.push(row.frame);
  });
  if (connections.size === 0)
    throw new TraceFileError(`nothing was said in it${remarks.map((one) => `; ${one}`).join('')}`);
  return [...connections].map(([name, frames], index) => ({
    name,
    frames,
    isComplete,
    remarks: index === 0 ? remarks : [],
  }));
}

type Row = { readonly frame: TraceFrame; readonly connection: string } | { readonly remark: string };

/** `dir` values of rows that hold no frame. */
const unspoken: ReadonlySet<unknown> = new Set(['note', 'mark', 'argv']);

const sides: ReadonlyMap<unknown, { readonly by: TraceFrame['by']; readonly isRaw: boolean }> = new Map([
  ['in', { by: 'client', isRaw: false }],
  ['out', { by: 'agent', isRaw: false }],
  ['in-raw', { by: 'client', isRaw: true }],
  ['out-raw', { by: 'agent', isRaw: true }],
]);

function rowOf(line: string, number: number, isLast: boolean): Row {
  const row = dictionaryIn(line);
  if (row === null) {
    if (isLast) return { remark: 'the last row is cut off' };
    throw new TraceFileError(
      `line ${number} is no row: expected {"dir":"in"|"out","line":"…"}, found ${line.slice(0, 60)}${hint(line)}`,
    );
  }
  const { dir, line: lineText, msg, conn, at } = row;
  if (dir === undefined) throw new TraceFileError(`line ${number} has no dir${hint(line)}`);
  if (unspoken.has(dir)) return { remark: '' };
  const side = sides.get(dir);
  if (side === undefined) return { remark: `passed over, for its dir is ${JSON.stringify(dir)?.slice(0, 60)}` };
  const ms = typeof at === 'number' ? at : 0;
  const connection = typeof conn === 'string' || typeof conn === 'number' ? String(conn) : '';
  if (typeof lineText === 'string') return { frame: recordedFrame(side.by, lineText, ms), connection };
  if (side.isRaw && typeof msg === 'string') return { frame: rawFrame(side.by, msg, ms), connection };
  if (msg === undefined) throw new TraceFileError(`line ${number} has neither a line nor a msg`);
  return { frame: { at: ms, by: side.by, text: JSON.stringify(msg), json: msg }, connection };
}

/** Extends an error message when the line looks like a frame and not like a row. */
function hint(line: string): string {
  return dictionaryIn(line) === null ? '' : '; are these the bare lines of one side? Then say whose';
}

/** The body after the header. A body that is no JSON becomes a fault. */
function rawFrame(by: TraceFrame['by'], raw: string, at: number): TraceFrame {
  const frame = recordedFrame(by, raw.replace(/^(?:[\w-]+:[^\r\n]*\r?\n)+\r?\n/u, ''), at);
  return frame.json === undefined ? { ...frame, isFault: true } : frame;
}

function reportIn(text: string): unknown {
  if (!text.slice(0, 200).includes(jsonFormat)) return null;
  try {
    const read: unknown = JSON.parse(text);
    return isDictionary(read) && read.format === jsonFormat ? read : null;
  } catch (thrown) {
    throw new TraceFileError(`the report is no JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** The results of one check set. */
export interface JudgedTrace {
  readonly set: CheckSet;
  readonly results: readonly Result[];
}

/** Applies the rules of each set to the traces. Checks that must act on a peer have no result. */
export function judgeTrace(
  sets: readonly CheckSet[],
  traces: readonly (Trace & { readonly name?: string })[],
): JudgedTrace[] {
  return sets.map((set) => {
    const us = set.side === 'agent' ? 'client' : 'agent';
    const conversations = traces.map(({ frames, isComplete, name = '' }): ConversationToJudge => {
      const log = frames.map(({ by, ...frame }) => ({ ...frame, by: by === us ? ('us' as const) : ('peer' as const) }));
      return { conversation: { connection: name === '' ? 'recorded' : name, log }, us, isComplete, isRecorded: true };
    });
    return { set, results: judgeRules(set.rules, conversations, []) };
  });
}
