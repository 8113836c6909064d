// The check set for agents that speak the protocol of pi 0.12.7 to 0.13.2 (docs/protocols/pi-legacy.md).
import { type AgentSet, rulesOver, withContext } from '../check/sets.ts';
import { framingChecks } from './checks-framing.ts';
import { createContext } from './context.ts';
import { agentHistory } from './history.ts';
import { inputRules } from './rules/input.ts';
import { lineRules } from './rules/lines.ts';
import { runRules } from './rules/run.ts';
import { streamRules } from './rules/stream.ts';
import { toolRules } from './rules/tools.ts';
import { typeRules } from './rules/types.ts';
import { scenarios } from './scenarios.ts';
import { shapeRulesOfAgents } from './shapes/agents.ts';
import { readView } from './view/view.ts';

/** Checks of agents of pi-legacy. */
export const piLegacyAgent: AgentSet = {
  protocol: 'pi-legacy',
  side: 'agent',
  version: '2',
  history: agentHistory,
  measuredOn: 'pi 0.13.2',
  usual: {},
  ...withContext(createContext, { checks: framingChecks, scenarios }),
  rules: rulesOver(readView, [
    ...shapeRulesOfAgents,
    ...lineRules,
    ...inputRules,
    ...runRules,
    ...streamRules,
    ...toolRules,
    ...typeRules,
  ]),
};
