// Where `patchbay serve` keeps sessions, and how it finds those of other gateways (decisions 0025, 0030 and 0033).
import { hostname } from 'node:os';
import type { Config } from '../../config/config.ts';
import type { Elsewhere } from '../../core/contract/gateway/gateway-api.ts';
import type { SessionStore } from '../../core/contract/store/session-store.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { GatewayPorts } from '../../gateway/gateway.ts';
import type { Log } from '../../gateway/log.ts';
import { createDeliveries } from '../../transports/http/deliveries.ts';
import type { HopSecret } from '../../transports/http/hop.ts';
import { openJournalIn } from './journal.ts';
import { openSharedStore, storeAddressIn } from './shared-store.ts';

/** The options that name places. */
export interface PlaceOptions {
  readonly journal?: string;
  readonly store?: string;
  readonly advertise?: string;
  readonly node?: string;
}

/** Shortest secret of gateways that forward to each other, characters (docs/threats.md T43). */
const shortestSecret = 32;

/** What a gateway knows of the places of sessions. */
export interface SessionPlaces {
  readonly ports: Pick<GatewayPorts, 'store' | 'shared' | 'deliver' | 'register' | 'place' | 'elsewhere' | 'node'>;
  /** What gateways that forward to each other know; null: nothing is forwarded. */
  readonly hop: HopSecret | null;
  close(): Promise<void>;
}

/** Opens what is asked for. Rejects with `invalid` for settings that do not fit together. */
export async function openPlaces(
  options: PlaceOptions,
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  { log, thrown }: { log: Log; thrown: (thrown: unknown) => void },
): Promise<SessionPlaces> {
  const address = storeAddressIn(options, config, env);
  const advertise = options.advertise ?? config.advertise;
  const node = options.node ?? config.node;
  if (advertise !== undefined && !/^https?:\/\/[^/?#@]+$/u.test(advertise))
    throw new GatewayError('invalid', '--advertise is http://host:port or https://host:port, without a path');
  if (advertise !== undefined && address === null)
    throw new GatewayError('invalid', 'an address for other gateways (advertise) needs a store');
  if (node !== undefined && address !== null)
    throw new GatewayError('invalid', 'a node is for gateways without a store; with a store give advertise');
  const isOneOfSeveral = advertise !== undefined || node !== undefined;
  const self = advertise ?? config.nodes[node ?? ''] ?? '';
  const hop = isOneOfSeveral ? { secret: secretIn(env), address: self } : null;
  if (address !== null) {
    const store = await openSharedStore(address, {
      nodeUrl: advertise ?? '',
      leaseMs: config.limits.leaseMs,
      thrown,
    });
    const deliveries = hop && createDeliveries(hop);
    const elsewhere: Elsewhere = async (session) => {
      const owner = await store.ownerOf(session);
      return owner === null || owner === '' || owner === advertise ? null : owner;
    };
    return {
      ports: {
        store,
        shared: store,
        place: advertise ?? hostname(),
        ...(isOneOfSeveral && { elsewhere }),
        ...(deliveries && { deliver: deliveries.deliver }),
      },
      hop,
      close() {
        deliveries?.close();
        return store.close();
      },
    };
  }
  const folder = options.journal ?? config.journal;
  const { segmentBytes } = config.limits;
  const journal = folder === undefined ? null : await openJournalIn({ folder, segmentBytes, thrown }, log);
  const named = node === undefined ? {} : { node, elsewhere: byName(node, config.nodes) };
  return { ports: { ...journal, ...named }, hop, close: async () => closeStore(journal?.store) };
}

const closeStore = (store: SessionStore | undefined): Promise<void> | undefined => store?.close();

function secretIn(env: Readonly<Record<string, string | undefined>>): string {
  const secret = env.PATCHBAY_NODE_SECRET ?? '';
  if (secret.length < shortestSecret)
    throw new GatewayError(
      'invalid',
      `gateways that forward to each other need the same PATCHBAY_NODE_SECRET, of at least ${shortestSecret} characters`,
    );
  return secret;
}

/** The level without a store: the id of a session begins with the name of its gateway. */
function byName(node: string, nodes: Config['nodes']): Elsewhere {
  if (!Object.hasOwn(nodes, node)) throw new GatewayError('invalid', `the node ${node} is not among the nodes`);
  return (session) => {
    const [name = '', rest] = session.split('-');
    return rest === undefined || name === node || !Object.hasOwn(nodes, name) ? null : (nodes[name] ?? null);
  };
}
