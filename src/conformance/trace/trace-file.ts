// Reads recordings and judges them. A recording is a file of JSON rows with a direction, the bare lines of one side, or
// our own JSON report.
import { isDictionary } from '../../core/model/dictionary.ts';
import { readTape, type TapeFrame } from '../../tape/reader.ts';
import type { Result } from '../check/check.ts';
import { type ConversationToJudge, judgeRules } from '../check/judge.ts';
import type { Trace, TraceFrame } from '../check/rule.ts';
import type { CheckSet } from '../check/sets.ts';
import { jsonFormat } from '../report/stored-report.ts';
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
 * Returns one trace for each connection, in the order in which they begin. The rows are those of a tape
 * (`tape/reader.ts`); stderr is left out. Throws a {@link TraceFileError} that names the line.
 */
export function readTraceFile(text: string, options: TraceFileOptions = {}): readonly RecordedTrace[] {
  const { isComplete = false, by } = options;
  const report = reportIn(text);
  if (report !== null) return tracesOfReport(report, { isComplete });
  const connections = new Map<string, TraceFrame[]>();
  const add = (name: string, frame: TraceFrame) => {
    const frames = connections.get(name) ?? [];
    connections.set(name, frames);
    frames.push(frame);
  };
  const remarks: string[] = [];
  if (by === undefined) {
    const tape = readTape(text);
    remarks.push(...tape.remarks);
    for (const frame of tape.frames) if (frame.dir !== 'err') add(frame.conn, traceFrame(frame, sideOf[frame.dir]));
  } else {
    for (const line of bareLines(text)) add('', recordedFrame(by, line));
  }
  if (connections.size === 0)
    throw new TraceFileError(`nothing was said in it${remarks.map((one) => `; ${one}`).join('')}`);
  return [...connections].map(([name, frames], index) => ({
    name,
    frames,
    isComplete,
    remarks: index === 0 ? remarks : [],
  }));
}

const sideOf = { in: 'client', out: 'agent' } as const;

function traceFrame({ text, at, isRaw }: TapeFrame, by: TraceFrame['by']): TraceFrame {
  return isRaw ? rawFrame(by, text, at) : recordedFrame(by, text, at);
}

/** The lines of a file without rows. */
function bareLines(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/u, '').split('\n');
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)).filter((line) => line.trim() !== '');
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
