// Tapes that a page has brought: each is the agent of one session, and goes with it (docs/limits.md 12.2).
import { randomUUID } from 'node:crypto';
import type { AgentConfig } from '../../config/agent-config.ts';
import type { TapeOptions } from '../../core/contract/gateway/inspector-api.ts';
import { GatewayError, messageOf } from '../../core/model/errors.ts';
import { parseFault } from '../../faults/grammar.ts';
import type { LoadedTape } from '../../tape/loaded.ts';
import { loadedTape } from '../tapes/tape-input.ts';

/** Most tapes at a time. */
const mostTapes = 4;

/** A tape as an agent. */
export interface TapeAgent {
  readonly config: AgentConfig;
  readonly tape: LoadedTape;
}

/** The tapes by the name of their agent and session. */
export class UploadedTapes {
  readonly #tapes = new Map<string, TapeAgent>();

  /** Takes a tape and gives the name of its agent. Throws `invalid` or `limit`. */
  add(bytes: Uint8Array, { faults, ...options }: TapeOptions, speaks: (protocol: string) => boolean): string {
    if (this.#tapes.size >= mostTapes) {
      throw new GatewayError('limit', `${mostTapes} tapes are open: close one of their sessions first`);
    }
    faults.forEach(check);
    const tape = read(bytes);
    const { protocol } = tape;
    if (protocol === null || !speaks(protocol))
      throw new GatewayError('invalid', 'nobody knows the protocol of the tape');
    const name = `tape-${randomUUID().slice(0, 8)}`;
    this.#tapes.set(name, { config: { protocol, title: 'a tape', faults: [...faults], ...options }, tape });
    return name;
  }

  of(name: string): TapeAgent | undefined {
    return this.#tapes.get(name);
  }

  forget(name: string): void {
    this.#tapes.delete(name);
  }
}

function check(fault: string): void {
  try {
    parseFault(fault);
  } catch (thrown) {
    throw new GatewayError('invalid', messageOf(thrown), { cause: thrown });
  }
}

function read(bytes: Uint8Array): LoadedTape {
  try {
    return loadedTape(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (thrown) {
    throw new GatewayError('invalid', `this is no tape: ${messageOf(thrown)}`, { cause: thrown });
  }
}
