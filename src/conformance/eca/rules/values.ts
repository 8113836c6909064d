// Helpers of the ECA rules: quoting a value, and optional fields.
import { orNull, type Shape } from '../../check/shape.ts';

/** A value as a finding quotes it. */
export const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200);
/** An absent field may also be null (docs/protocols/eca.md 3.8: real servers send null). */
export const optional = (shape: Shape): Shape => orNull(shape);
