// The traces that a recording is read into.
import type { Trace, TraceFrame } from '../check/rule.ts';

export { TapeError as TraceFileError } from '../../tape/reader.ts';

/** One connection of a recording. */
export interface RecordedTrace extends Trace {
  /** Name of the connection or scenario; empty where the recording has only one. */
  readonly name: string;
  /** The skipped lines with their numbers. */
  readonly remarks: readonly string[];
}

/** A frame, with its JSON where the text parses. */
export function recordedFrame(by: TraceFrame['by'], text: string, at = 0): TraceFrame {
  try {
    const json: unknown = JSON.parse(text);
    return { at, by, text, json };
  } catch {
    return { at, by, text };
  }
}
