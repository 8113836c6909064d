// Reads one JSON object from a frame, whatever an extension printed around it. Notes never repeat stray output, which
// may contain secrets.
import type { Frame } from '../../../../core/contract/channel.ts';
import { isDictionary } from '../../../../core/model/dictionary.ts';

/** The object on a line. `problem` says what was wrong with the line, if anything. */
export interface Line {
  readonly object: Record<string, unknown> | null;
  readonly problem?: string;
}

/** How many positions of a stray line are tried as the start of an object. */
const maxAttempts = 16;

/**
 * Reads a line. Until 0.60, output of extensions goes to pi's stdout and precedes the next line without a line break
 * (`some output{"type":…}`, docs/protocols/pi.md 2.9). Such an object is recovered.
 */
export function readLine(frame: Frame): Line {
  try {
    const value = frame.json;
    if (isDictionary(value)) return { object: value };
    return { object: null, problem: `skipped a line that is JSON but no object (${frame.bytes.length} bytes)` };
  } catch {
    return recover(frame);
  }
}

function recover(frame: Frame): Line {
  const object = gluedObject(frame);
  if (object === null) return { object, problem: `skipped a line that is no JSON (${frame.bytes.length} bytes)` };
  return { object, problem: `recovered an object behind stray output (${frame.bytes.length} bytes in all)` };
}

const BRACE = 0x7b;
const QUOTE = 0x22;

/** The first suffix that begins with `{"` and is an object with a type. */
function gluedObject(frame: Frame): Record<string, unknown> | null {
  const { bytes } = frame;
  let attempts = 0;
  for (let at = bytes.indexOf(BRACE, 1); at !== -1 && attempts < maxAttempts; at = bytes.indexOf(BRACE, at + 1)) {
    if (bytes[at + 1] !== QUOTE) continue;
    attempts += 1;
    const value = jsonOf(frame.from(at));
    if (isDictionary(value) && typeof value.type === 'string') return value;
  }
  return null;
}

/** Parsed like any other frame, with the same limits (docs/threats.md T12). */
function jsonOf(frame: Frame): unknown {
  try {
    return frame.json;
  } catch {
    return undefined;
  }
}
