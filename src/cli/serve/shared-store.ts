// The store in Redis of `patchbay serve`, which several gateways share (decisions 0030 and 0033).
import type { Config } from '../../config/config.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { systemClock } from '../../gateway/system-clock.ts';
import type { RedisStore } from '../../stores/redis/redis-store.ts';

/** A store, as its address names it. */
export interface StoreAddress {
  /** For the client library: without a query. Secret: may have a password. */
  readonly url: string;
  /** Put before the names of all keys. */
  readonly prefix: string;
}

const form = 'redis://host:port/database?prefix=';

/**
 * The store that is asked for; null if none is. Throws `invalid`. No message has the address, because an address may have a
 * password (docs/threats.md T7).
 */
export function storeAddressIn(
  { store: option, journal }: { readonly store?: string; readonly journal?: string },
  config: Pick<Config, 'store' | 'journal'>,
  env: Readonly<Record<string, string | undefined>>,
): StoreAddress | null {
  const secret = env.PATCHBAY_STORE || undefined;
  const given = option ?? secret ?? config.store;
  if (given === undefined) return null;
  if ((journal ?? config.journal) !== undefined)
    throw new GatewayError('invalid', 'sessions are kept in a journal or in a store, not in both');
  const address = parsed(given);
  if (option !== undefined && new URL(address.url).password !== '')
    throw new GatewayError(
      'invalid',
      'every user of the machine can read a command line: put an address with a password into the variable PATCHBAY_STORE',
    );
  return address;
}

function parsed(text: string): StoreAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^rediss?:$/u.test(url.protocol) || url.hostname === '')
    throw new GatewayError('invalid', `the address of the store must be ${form}`);
  const { prefix = '', ...others } = Object.fromEntries(url.searchParams);
  // The client library would take any other parameter for an option of its own.
  if (Object.keys(others).length > 0 || !/^\/?\d{0,4}$/u.test(url.pathname) || url.hash !== '')
    throw new GatewayError('invalid', `the address of the store must be ${form}`);
  if (!/^[\w:.-]{0,64}$/u.test(prefix))
    throw new GatewayError('invalid', 'the prefix of the store has at most 64 letters, digits, _, -, . and :');
  url.search = '';
  return { url: url.href, prefix };
}

/**
 * Opens the store. Rejects with `invalid` without the library ioredis, and with `internal` if Redis cannot be reached. `nodeUrl`:
 * where other gateways reach this one. `thrown`: takes what the owner of a session throws.
 */
export async function openSharedStore(
  { url, prefix }: StoreAddress,
  { nodeUrl, leaseMs, thrown }: { nodeUrl: string; leaseMs: number; thrown: (thrown: unknown) => void },
): Promise<RedisStore> {
  // Loaded on demand: most gateways need no Redis.
  const { openRedisStore } = await import('../../stores/redis/redis-store.ts');
  return openRedisStore({ url, prefix, clock: systemClock, nodeUrl, leaseMs, thrown });
}
