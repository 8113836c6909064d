// What agents behind an Agent SDK refuse, by row, in which words and why.
import { type AgentName, piNames } from './agents.ts';
import type { Declared } from './cell.ts';

type Rule = Declared & { readonly row: string; readonly agents: readonly AgentName[] };

const rules: readonly Rule[] = [
  {
    row: 'resume, continue, resume of what was continued',
    agents: ['demo'],
    is: 'refused',
    words: /No conversation found/u,
    why: 'the demo agent keeps no conversations',
  },
  {
    row: 'setPermissionMode',
    agents: piNames,
    is: 'refused',
    words: /^pi has no modes$/u,
    why: 'pi has no permission modes',
  },
  {
    row: 'systemPrompt',
    agents: ['demo'],
    is: 'refused',
    words: /cannot use what this client offers: a system prompt/u,
    why: 'the demo agent takes no instructions; a notice says so',
  },
];

/** What is declared of that row. */
export const sdkDeclared = (agent: AgentName, row: string): Declared | undefined =>
  rules.find((rule) => rule.row === row && rule.agents.includes(agent));
