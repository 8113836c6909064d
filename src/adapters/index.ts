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

/** All protocols of the gateway, by id. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(
  [pi, piLegacy, piServer, claude, rpcMessage, anthropic, eca, demo].map((adapter) => [adapter.id, adapter]),
);

/** A side of a protocol: its agents or its clients. */
export type Side = 'agent' | 'client';

/** Ids of the protocols that have this side; without a side, of all. */
export function protocolsOf(side?: Side): string[] {
  const spoken = [...adapters.values()].filter((adapter) => side === undefined || adapter[side] !== undefined);
  return spoken.map(({ id }) => id);
}

/** The error message for an unknown protocol id. Suggests protocols that have this side. */
export function noProtocol(id: string, side?: Side): string {
  return `no protocol named ${JSON.stringify(id.slice(0, 64))}; ${didYouMean(id, protocolsOf(side))}`;
}
