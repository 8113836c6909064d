// How the user of an agent logs in: said in words, for the gateway never does it (docs/protocols/acp.md 2.13).
import type { AuthMethod } from '../wire/agent.ts';

/** The ways to log in that an agent has told. */
export interface AgentLogin {
  learn(methods: readonly AuthMethod[]): void;
  /** What the user can do; null if the agent has told no way. */
  hint(): string | null;
}

export function createLogin(): AgentLogin {
  let methods: readonly AuthMethod[] = [];
  return {
    learn(told) {
      methods = told;
    },
    hint() {
      if (methods.length === 0) return null;
      return `Log in to the agent first: ${methods.slice(0, 8).map(wordsOf).join('; ')}.`;
    },
  };
}

function wordsOf({ id, name, type, args, description, _meta }: AuthMethod): string {
  const title = name ?? id;
  const inMeta = typeof _meta === 'object' && _meta !== null && 'type' in _meta && _meta.type === 'terminal';
  if (type === 'terminal') return `${title} (in a terminal, the agent's program with ${(args ?? []).join(' ')})`;
  return inMeta || !description ? title : `${title} (${description})`;
}
