// The check set for pi-servers: checks that act on the server, and rules that read scenarios or recordings.
import { type AgentSet, rulesOver, withContext } from '../check/sets.ts';
import { piServerChecks } from './checks/index.ts';
import { createContext } from './context.ts';
import { agentHistory } from './history.ts';
import { eventRules } from './rules/events.ts';
import { frameRules } from './rules/frames.ts';
import { lifecycleRules } from './rules/lifecycle.ts';
import { piEventRules } from './rules/pi-events.ts';
import { dataRules } from './rules/response-data.ts';
import { sessionRules } from './rules/sessions.ts';
import { ticketRules } from './rules/tickets.ts';
import { versionRules } from './rules/versions.ts';
import { scenarios } from './scenarios.ts';
import { shapeRulesOfServers } from './shapes/agents.ts';
import { viewOf } from './view/view.ts';

/** Checks of pi-servers of protocol 1.0.0. */
export const piServerAgent: AgentSet = {
  ...piServerChecks,
  version: '3',
  history: agentHistory,
  measuredOn: 'pi-server 2.0.1 and 2.2.1',
  scenarios: withContext(createContext, { scenarios }).scenarios,
  rules: rulesOver(viewOf, [
    ...frameRules,
    ...shapeRulesOfServers,
    ...lifecycleRules,
    ...ticketRules,
    ...versionRules,
    ...eventRules,
    ...piEventRules,
    ...sessionRules,
    ...dataRules,
  ]),
};
