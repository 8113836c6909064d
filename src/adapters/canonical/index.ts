// The adapter for clients that speak the model itself.
import type { Adapter } from '../../core/contract/adapter/adapter.ts';
import { client } from './client-side.ts';
import { protocol } from './protocol.ts';

/** The model's events and commands as JSON (docs/protocols/canonical.md). */
export const canonical: Adapter = { ...protocol, client };
