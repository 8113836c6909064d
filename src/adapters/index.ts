// The registry: one line per protocol. Everything that lists protocols reads it here.
import type { Adapter } from '../core/adapter.ts';
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
