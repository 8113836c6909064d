// Small words of the rules about ECA. Knows no rule.
import { orNull, type Shape } from '../../check/shape.ts';

/** A value as a sentence quotes it. */
export const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200);
/** Where nothing is said, null may be said (docs/protocols/eca.md 3.8: real servers do). */
export const optional = (shape: Shape): Shape => orNull(shape);
