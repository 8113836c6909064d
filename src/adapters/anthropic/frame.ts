// A frame made of a text that is here already, for a wire that cuts no bytes.
import type { Frame } from '../../core/channel.ts';
import { GatewayError } from '../../core/errors.ts';

/** Levels of `[` and `{` that a frame may open: what walks a value must not run out of stack. */
const maxDepth = 128;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Bytes and JSON are worked out when somebody asks, and JSON once. */
export function textFrame(text: string): Frame {
  let parsed: { readonly value: unknown } | null = null;
  return {
    text,
    get bytes() {
      return encoder.encode(text);
    },
    get json() {
      parsed ??= { value: parse(text) };
      return parsed.value;
    },
    from: (byte) => textFrame(decoder.decode(encoder.encode(text).subarray(byte))),
  };
}

function parse(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('bad-frame', 'the frame is not valid JSON', { cause });
  }
  if (isDeep(value)) throw new GatewayError('too-deep', `the frame nests deeper than ${maxDepth} levels`);
  return value;
}

/** Level by level, without recursion. */
function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
