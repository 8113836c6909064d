// Token counts of the API.
import type { Usage } from '../../core/model/content.ts';
import type { WireUsage } from './wire.ts';

/** Later counts replace earlier ones. Missing counts keep their value. */
export function mergeUsage(earlier: WireUsage, later: WireUsage): WireUsage {
  const reported = Object.entries(later).filter(([, value]) => value !== null && value !== undefined);
  return { ...earlier, ...Object.fromEntries(reported) };
}

/** The counts that every protocol has. */
export function usageOf(wire: WireUsage): Usage {
  return {
    input: wire.input_tokens ?? 0,
    output: wire.output_tokens ?? 0,
    cacheRead: wire.cache_read_input_tokens ?? 0,
    cacheWrite: wire.cache_creation_input_tokens ?? 0,
  };
}

const standard: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['service_tier', ['standard']],
  ['speed', ['standard']],
  ['inference_geo', ['global', 'not_available']],
]);

/** Whether the list price applies. Other tiers, speeds and regions, and the long cache, have other prices. */
export function isAtListPrice(wire: WireUsage): boolean {
  const isPlain = [...standard].every(([field, plain]) => wire[field] == null || plain.includes(wire[field]));
  const cache = wire.cache_creation;
  const isLong =
    typeof cache === 'object' &&
    cache !== null &&
    'ephemeral_1h_input_tokens' in cache &&
    Number(cache.ephemeral_1h_input_tokens) > 0;
  return isPlain && !isLong;
}
