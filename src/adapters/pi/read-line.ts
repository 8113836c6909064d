// From a frame to one JSON object, whatever an extension printed around it. Knows no event. Stray output is never
// repeated in a note: it may hold anything.
import type { Frame } from '../../core/channel.ts';
import { isRecord } from './values.ts';

/** The object on a line; `problem` says what was wrong with the line, if anything. */
export interface Line {
  readonly object: Record<string, unknown> | null;
  readonly problem?: string;
}

/** How many places of a stray line are tried as the beginning of an object. */
const maxAttempts = 16;

/**
 * Reads a line. Until 0.60 what extensions print goes to pi's stdout and glues itself to the next line
 * (`some output{"type":…}`, reference pi, section 4): such an object is recovered.
 */
export function readLine(frame: Frame): Line {
  try {
    const value = frame.json;
    if (isRecord(value)) return { object: value };
    return { object: null, problem: `skipped a line that is JSON but no object (${frame.bytes.length} bytes)` };
  } catch {
    return recover(frame);
  }
}

function recover(frame: Frame): Line {
  const object = gluedObject(textOf(frame));
  if (object === null) return { object, problem: `skipped a line that is no JSON (${frame.bytes.length} bytes)` };
  return { object, problem: `recovered an object behind stray output (${frame.bytes.length} bytes in all)` };
}

function textOf(frame: Frame): string {
  try {
    return frame.text;
  } catch {
    return '';
  }
}

/** The first suffix beginning with `{"` that is an object with a type. */
function gluedObject(text: string): Record<string, unknown> | null {
  let at = text.indexOf('{"', 1);
  for (let attempt = 0; at !== -1 && attempt < maxAttempts; attempt += 1) {
    const value = parse(text.slice(at));
    if (isRecord(value) && typeof value.type === 'string') return value;
    at = text.indexOf('{"', at + 1);
  }
  return null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
