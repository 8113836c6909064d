// The check set for agents that speak the protocol of pi 0.12.7 to 0.13.2 (docs/protocols/pi-legacy.md).
import { rulesIn } from '../check/rule-rows.ts';
import { type AgentSet, rulesOver, withContext } from '../check/sets.ts';
import { framingChecks } from './checks-framing.ts';
import { createContext } from './context.ts';
import { agentHistory } from './history.ts';
import { inputRows } from './rules/input.ts';
import { lineRows } from './rules/lines.ts';
import { runRows } from './rules/run.ts';
import { streamRows } from './rules/stream.ts';
import { toolRows } from './rules/tools.ts';
import { typeRows } from './rules/types.ts';
import { scenarios } from './scenarios.ts';
import { shapeRulesOfAgents } from './shapes/agents.ts';
import { readView } from './view/view.ts';

const rows = { ...lineRows, ...inputRows, ...runRows, ...streamRows, ...toolRows, ...typeRows };

/** Checks of agents of pi-legacy. */
export const piLegacyAgent: AgentSet = {
  protocol: 'pi-legacy',
  side: 'agent',
  version: '2',
  history: agentHistory,
  measuredOn: 'pi 0.13.2',
  usual: {},
  ...withContext(createContext, { checks: framingChecks, scenarios }),
  rules: rulesOver(readView, [...shapeRulesOfAgents, ...rulesIn('pi-legacy', rows)]),
};
