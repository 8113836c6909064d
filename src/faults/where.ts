// Decides which frames a rule is about.
import { dictionaryIn, isDictionary } from '../core/model/dictionary.ts';
import type { WireFrame } from '../tape/cutter.ts';
import type { Where } from './rule.ts';

/** A frame in its direction. */
export interface PlacedFrame {
  readonly frame: WireFrame;
  /** Counted from 1. */
  readonly number: number;
  /** The offset of its first byte in its direction, and of the byte behind it. */
  readonly from: number;
  readonly to: number;
  /** ms since the start. */
  readonly at: number;
  /** Types and methods of the frame. */
  names(): ReadonlySet<string>;
}

/** Returns the test of one rule. Every frame of the direction has to be shown, in order: `after` remembers. */
export function createMatcher(where: Where): (frame: PlacedFrame) => boolean {
  switch (where.type) {
    case 'any':
      return () => true;
    case 'frames':
      return ({ number }) => where.from <= number && number <= where.to;
    case 'every':
      return ({ number }) => number % where.step === 0;
    case 'named':
      return (frame) => frame.names().has(where.name);
    case 'after': {
      let isBehind = false;
      return (frame) => {
        const fits = isBehind;
        isBehind ||= frame.names().has(where.name);
        return fits;
      };
    }
    case 'byte':
      return ({ from, to }) => from <= where.offset && where.offset < to;
    case 'time':
      return ({ at }) => at >= where.ms;
    default:
      throw where satisfies never;
  }
}

/** How deep a name may be: `params.content.type`. */
const deepest = 2;

/** The keys that say what a frame is. */
const nameKeys = ['type', 'subtype', 'method', 'sessionUpdate'] as const;

/** The names of the frame, and of objects in it down to two levels; empty unless it is JSON. */
export function namesIn({ body }: WireFrame): ReadonlySet<string> {
  const names = new Set<string>();
  const walk = (value: Readonly<Record<string, unknown>>, depth: number) => {
    for (const key of nameKeys) {
      const name = Object.hasOwn(value, key) ? value[key] : undefined;
      if (typeof name === 'string') names.add(name);
    }
    if (depth < deepest) for (const inner of Object.values(value)) if (isDictionary(inner)) walk(inner, depth + 1);
  };
  const whole = dictionaryIn(body.toString('utf8'));
  if (whole !== null) walk(whole, 0);
  return names;
}
