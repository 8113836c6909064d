// For the test that calls the script.
import type * as library from '../../src/index.ts';
import type { streamFraming } from '../../src/transports/framing/framings.ts';

/** See chunks.mjs. */
export type Parts = Pick<typeof library, 'adapters' | 'createTranslator' | 'GatewayError'> & {
  readonly streamFraming: typeof streamFraming;
};

/** See chunks.mjs. */
export interface Compared {
  readonly of: string;
  readonly parsed: string;
  readonly chunked: ReadonlyMap<number, string>;
  readonly together: number;
}

/** Bytes. */
export declare const chunkSizes: readonly number[];

/** See chunks.mjs. */
export declare function chunked(
  parts: Parts,
  folder: string,
  options?: { readonly only?: string; readonly nth?: number },
): Iterable<Compared>;
