// The registry: one line per protocol. Everything that lists protocols reads it here.
import type { Adapter } from '../core/contract/adapter.ts';
import { didYouMean } from '../core/model/similar-names.ts';
import { anthropic } from './anthropic/index.ts';
import { claude, rpcMessage } from './claude/index.ts';
import { demo } from './demo/index.ts';
import { eca } from './eca/index.ts';
import { pi } from './pi/index.ts';
import { piLegacy } from './pi-legacy/index.ts';
import { piServer } from './pi-server/index.ts';

/** Every protocol that the gateway speaks, by id. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(
  [pi, piLegacy, piServer, claude, rpcMessage, anthropic, eca, demo].map((adapter) => [adapter.id, adapter]),
);

/** Who speaks a protocol. */
export type Side = 'agent' | 'client';

/** The protocols that this side speaks; without a side, all. */
export function protocolsOf(side?: Side): string[] {
  const spoken = [...adapters.values()].filter(({ backend, frontend }) => {
    if (side === undefined) return true;
    return (side === 'agent' ? backend : frontend) !== undefined;
  });
  return spoken.map(({ id }) => id);
}

/** What is said of a protocol that does not exist, with those that this side speaks. */
export function noProtocol(id: string, side?: Side): string {
  return `no protocol named ${JSON.stringify(id.slice(0, 64))}; ${didYouMean(id, protocolsOf(side))}`;
}
