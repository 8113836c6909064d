// What agents behind pi-acp refuse, by row, in which words and why.
import type { AgentName } from './agents.ts';
import type { Declared } from './cell.ts';

type Rule = Declared & { readonly row: string; readonly agents: readonly AgentName[] };

const rules: readonly Rule[] = [];

/** What is declared of that row. */
export const acpDeclared = (agent: AgentName, row: string): Declared | undefined =>
  rules.find((rule) => rule.row === row && rule.agents.includes(agent));
