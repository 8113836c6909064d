// What agents behind an ECA editor refuse, by row, in which words and why.
import type { AgentName } from './agents.ts';
import type { Declared } from './cell.ts';

type Rule = Declared & { readonly row: string; readonly agents: readonly AgentName[] };

const rules: readonly Rule[] = [
  {
    row: 'steer: chat/promptSteer',
    agents: ['claude'],
    is: 'refused',
    words: /^not heard in the run$/u,
    why: 'Claude Code takes no steering; by the protocol an editor then sends the words as a prompt',
  },
];

/** What is declared of that row. */
export const ecaDeclared = (agent: AgentName, row: string): Declared | undefined =>
  rules.find((rule) => rule.row === row && rule.agents.includes(agent));
