// What agents behind pi-acp refuse, by row, in which words and why.
import type { AgentName } from './agents.ts';
import type { Declared } from './cell.ts';

type Rule = Declared & { readonly row: string; readonly agents: readonly AgentName[] };

const rules: readonly Rule[] = [
  {
    row: '/autocompact',
    agents: ['claude'],
    is: 'refused',
    words: /a Claude agent has nothing for set-auto/u,
    why: 'Claude Code has no such command on its wire',
  },
  {
    row: '/steering, /follow-up',
    agents: ['claude'],
    is: 'refused',
    words: /a Claude agent has nothing for set-queue-mode/u,
    why: 'Claude Code has no such command on its wire',
  },
  {
    row: '/export',
    agents: ['demo', 'claude'],
    is: 'refused',
    words: /Nothing to export yet/u,
    why: 'pi-acp exports sessions that are files of pi',
  },
  {
    row: 'resume: session/load after a restart',
    agents: ['demo', 'claude'],
    is: 'refused',
    words: /Unknown sessionId/u,
    why: 'pi-acp resumes sessions that are files of pi',
  },
];

/** What is declared of that row. */
export const acpDeclared = (agent: AgentName, row: string): Declared | undefined =>
  rules.find((rule) => rule.row === row && rule.agents.includes(agent));
