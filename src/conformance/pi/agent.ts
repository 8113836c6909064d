// The check set for agents that speak pi's RPC mode.
import { rulesIn } from '../check/rule-rows.ts';
import { type AgentSet, rulesOver, withContext } from '../check/sets.ts';
import { dialogChecks } from './checks-dialogs.ts';
import { framingChecks } from './checks-framing.ts';
import { createContext, goingOn } from './context.ts';
import { agentHistory } from './history.ts';
import { orderRows, streamRows, toolRows } from './rules/event-order.ts';
import { extensionRows } from './rules/extension.ts';
import { messageRows } from './rules/messages.ts';
import { compactionRows, newerRows, retryRows, toolEventRows } from './rules/non-message-events.ts';
import { promptRows } from './rules/prompts.ts';
import { abortRows, joinRows } from './rules/queues.ts';
import { lineRows, responseRows } from './rules/responses.ts';
import { sessionDataRows } from './rules/session-data.ts';
import { sessionRows } from './rules/sessions.ts';
import { settingRows, switchRows } from './rules/settings.ts';
import { scenarios } from './scenarios.ts';
import { shapeRulesOfAgents } from './shapes/agents.ts';
import { guess, programs } from './versions.ts';
import { readPi } from './view/view.ts';

const rows = {
  ...lineRows,
  ...responseRows,
  ...settingRows,
  ...switchRows,
  ...sessionDataRows,
  ...sessionRows,
  ...promptRows,
  ...joinRows,
  ...abortRows,
  ...orderRows,
  ...streamRows,
  ...messageRows,
  ...toolRows,
  ...toolEventRows,
  ...compactionRows,
  ...retryRows,
  ...newerRows,
  ...extensionRows,
};

/** Checks of agents of pi. */
export const piAgent: AgentSet = {
  protocol: 'pi',
  version: '3',
  history: agentHistory,
  programs,
  guess,
  measuredOn: 'pi 0.54.2, 0.73.1, 0.87.1 and 1.5.2',
  side: 'agent',
  usual: {},
  ...withContext(createContext, {
    checks: [...framingChecks, ...dialogChecks].map(goingOn),
    scenarios: scenarios.map(goingOn),
  }),
  rules: rulesOver(readPi, [...shapeRulesOfAgents, ...rulesIn('pi', rows)]),
};
