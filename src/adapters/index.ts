// All adapters with both sides, for the library and for tests. Programs load the sides that they need: protocols.ts.
import type { Adapter } from '../core/contract/adapter/adapter.ts';
import { acp } from './acp/index.ts';
import { anthropic } from './anthropic/index.ts';
import { canonical } from './canonical/index.ts';
import { claude, rpcMessage } from './claude/index.ts';
import { demo } from './demo/index.ts';
import { eca } from './eca/index.ts';
import { pi } from './pi/index.ts';
import { piLegacy } from './pi-legacy/index.ts';
import { piServer } from './pi-server/index.ts';
import { finderIn } from './protocols.ts';

/** All protocols of the gateway, by id. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(
  [pi, piLegacy, piServer, claude, rpcMessage, anthropic, eca, acp, canonical, demo].map((adapter) => [
    adapter.id,
    adapter,
  ]),
);

/** The adapter of that id. Throws `not-found` and suggests protocols that have this side. */
export const adapterOf = finderIn(adapters);
