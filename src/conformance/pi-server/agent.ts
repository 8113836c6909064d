// The check set for pi-servers: checks that act on the server, and rules that read scenarios or recordings.
import { rulesIn } from '../check/rule-rows.ts';
import { type AgentSet, rulesOver, withContext } from '../check/sets.ts';
import { piServerChecks } from './checks/index.ts';
import { createContext } from './context.ts';
import { agentHistory } from './history.ts';
import { eventRows } from './rules/events.ts';
import { frameRows } from './rules/frames.ts';
import { lifecycleRows } from './rules/lifecycle.ts';
import { piEventRows } from './rules/pi-events.ts';
import { dataRows } from './rules/response-data.ts';
import { sessionRows } from './rules/sessions.ts';
import { ticketRows } from './rules/tickets.ts';
import { versionRows } from './rules/versions.ts';
import { scenarios } from './scenarios.ts';
import { shapeRulesOfServers } from './shapes/agents.ts';
import { viewOf } from './view/view.ts';

const rows = {
  ...frameRows,
  ...lifecycleRows,
  ...ticketRows,
  ...versionRows,
  ...eventRows,
  ...piEventRows,
  ...sessionRows,
  ...dataRows,
};

/** Checks of pi-servers of protocol 1.0.0. */
export const piServerAgent: AgentSet = {
  ...piServerChecks,
  version: '4',
  history: agentHistory,
  measuredOn: 'pi-server 2.0.1 and 2.2.1',
  scenarios: withContext(createContext, { scenarios }).scenarios,
  rules: rulesOver(viewOf, [...shapeRulesOfServers, ...rulesIn('pi-server', rows)]),
};
