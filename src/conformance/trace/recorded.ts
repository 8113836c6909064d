// What a recording is read into. Pure; knows no form of recording and no protocol.
import type { Trace, TraceFrame } from '../check/rule.ts';

/** What was said on one connection of a recording. */
export interface RecordedTrace extends Trace {
  /** Its connection, or its scenario; empty where the recording has but one. */
  readonly name: string;
  /** What was passed over, with the number of its line. */
  readonly remarks: readonly string[];
}

/** The text is no recording. */
export class TraceFileError extends Error {
  override readonly name = 'TraceFileError';
}

/** A message with what it holds as JSON, where it is. */
export function recordedFrame(by: TraceFrame['by'], text: string, at = 0): TraceFrame {
  try {
    const json: unknown = JSON.parse(text);
    return { at, by, text, json };
  } catch {
    return { at, by, text };
  }
}
