// What the tool servers of a client hold is shown to no page (docs/threats.md T8): the frames that bring the servers to an agent are
// shown without these values.
import { isDictionary } from '../../core/model/dictionary.ts';
import type { BroughtServer } from '../../core/model/session-info.ts';

/** Hides the values in a frame. */
export type Mask = (frame: Uint8Array) => Uint8Array;

/** Shorter values occur by chance, and would hide other words. */
const shortest = 4;
const placeholder = '***';

/** Null: there is nothing to hide. */
export function maskOf(servers: readonly BroughtServer[]): Mask | null {
  // Arguments and addresses hold keys as well as variables and headers do.
  const values = servers.flatMap(({ config: { env, headers, args, url } }) => textsIn([env, headers, args, url]));
  const hidden = values
    .filter((value) => value.length >= shortest)
    .sort((a, b) => b.length - a.length)
    .map((value) => JSON.stringify(value).slice(1, -1));
  if (hidden.length === 0) return null;
  return (frame) => {
    const text = Buffer.from(frame).toString();
    if (!hidden.some((value) => text.includes(value))) return frame;
    return Buffer.from(hidden.reduce((rest, value) => rest.replaceAll(value, placeholder), text));
  };
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isDictionary(value) ? Object.values(value).flatMap(textsIn) : [];
}
