// The registry: one line per protocol, with its facts and with functions that load the code of its sides.
import type { Adapter, Protocol } from '../core/contract/adapter/adapter.ts';
import { GatewayError } from '../core/model/errors.ts';
import { didYouMean } from '../core/model/similar-names.ts';
import { protocol as acp } from './acp/protocol.ts';
import { protocol as anthropic } from './anthropic/protocol.ts';
import { protocol as canonical } from './canonical/protocol.ts';
import { protocol as claude, rpcMessageProtocol as rpcMessage } from './claude/protocol.ts';
import { protocol as demo } from './demo/protocol.ts';
import { protocol as eca } from './eca/protocol.ts';
import { protocol as pi } from './pi/protocol.ts';
import { protocol as piLegacy } from './pi-legacy/protocol.ts';
import { protocol as piServer } from './pi-server/protocol.ts';

/** A side of a protocol: its agents or its clients. */
export type Side = 'agent' | 'client';

/** A protocol of the registry. A side that nobody speaks has no function. */
export interface ProtocolEntry {
  readonly protocol: Protocol;
  readonly client?: () => Promise<Pick<Adapter, 'client' | 'envelope'>>;
  readonly agent?: () => Promise<Pick<Adapter, 'agent' | 'envelope'>>;
}

const entries: readonly ProtocolEntry[] = [
  { protocol: pi, client: () => import('./pi/client-side.ts'), agent: () => import('./pi/agent-side.ts') },
  {
    protocol: piLegacy,
    client: () => import('./pi-legacy/client-side.ts'),
    agent: () => import('./pi-legacy/agent-side.ts'),
  },
  {
    protocol: piServer,
    client: () => import('./pi-server/client-side.ts'),
    agent: () => import('./pi-server/agent-side.ts'),
  },
  { protocol: claude, client: () => import('./claude/client-side.ts'), agent: () => import('./claude/agent-side.ts') },
  { protocol: rpcMessage, client: () => import('./claude/rpc-message-side.ts') },
  { protocol: anthropic, agent: () => import('./anthropic/agent-side.ts') },
  { protocol: eca, client: () => import('./eca/client-side.ts'), agent: () => import('./eca/agent-side.ts') },
  { protocol: acp, client: () => import('./acp/client-side.ts'), agent: () => import('./acp/agent-side.ts') },
  { protocol: canonical, client: () => import('./canonical/client-side.ts') },
  { protocol: demo, agent: () => import('./demo/agent-side.ts') },
];

/** All protocols of the gateway, by id. */
export const protocols: ReadonlyMap<string, ProtocolEntry> = new Map(
  entries.map((entry) => [entry.protocol.id, entry]),
);

/** Ids of the protocols that have this side; without a side, of all. */
export function protocolsOf(side?: Side): string[] {
  const spoken = [...protocols.values()].filter((entry) => side === undefined || entry[side] !== undefined);
  return spoken.map(({ protocol }) => protocol.id);
}

/** The error message for an unknown protocol id. Suggests protocols that have this side. */
export function noProtocol(id: string, side?: Side): string {
  return `no protocol named ${JSON.stringify(id.slice(0, 64))}; ${didYouMean(id, protocolsOf(side))}`;
}

/** The facts about the protocol of that id. Throws `not-found` and suggests protocols that have this side. */
export function protocolOf(id: string, side?: Side): Protocol {
  const entry = protocols.get(id);
  if (entry !== undefined) return entry.protocol;
  throw new GatewayError('not-found', noProtocol(id, side));
}

/** The adapter of an id. Throws `not-found` and suggests protocols that have this side. */
export type AdapterOf = (id: string, side?: Side) => Adapter;

/** Looks among these adapters. */
export function finderIn(adapters: ReadonlyMap<string, Adapter>): AdapterOf {
  return (id, side) => {
    const adapter = adapters.get(id);
    if (adapter !== undefined) return adapter;
    throw new GatewayError('not-found', noProtocol(id, side));
  };
}

/** The sides to load, as ids of protocols. Ids of unknown protocols have no effect. */
export type WantedSides = Readonly<Record<Side, readonly string[]>>;

/** All protocols, by id, each with the wanted sides only. */
export async function loadAdapters(wanted: WantedSides): Promise<ReadonlyMap<string, Adapter>> {
  const all = [...protocols].map(async ([id, entry]): Promise<[string, Adapter]> => {
    const { client: _, agent: __, ...facts } = entry.protocol;
    const [client, agent] = await Promise.all([
      wanted.client.includes(id) ? entry.client?.() : undefined,
      wanted.agent.includes(id) ? entry.agent?.() : undefined,
    ]);
    return [id, { ...facts, ...client, ...agent }];
  });
  return new Map(await Promise.all(all));
}

/** The protocol of that id with one side only. Throws `not-found` and suggests protocols that have this side. */
export async function loadAdapter(id: string, side: Side): Promise<Adapter> {
  return finderIn(await loadAdapters({ client: [], agent: [], [side]: [id] }))(id, side);
}
