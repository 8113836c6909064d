// The check set for agents that speak pi's RPC mode.
import { type AgentSet, rulesOver, withContext } from '../check/sets.ts';
import { dialogChecks } from './checks-dialogs.ts';
import { framingChecks } from './checks-framing.ts';
import { createContext, goingOn } from './context.ts';
import { agentHistory } from './history.ts';
import { orderRules, streamRules, toolRules } from './rules/event-order.ts';
import { extensionRules } from './rules/extension.ts';
import { messageRules } from './rules/messages.ts';
import { compactionRules, newerRules, retryRules, toolEventRules } from './rules/non-message-events.ts';
import { promptRules } from './rules/prompts.ts';
import { abortRules, joinRules } from './rules/queues.ts';
import { lineRules, responseRules } from './rules/responses.ts';
import { sessionDataRules } from './rules/session-data.ts';
import { sessionRules } from './rules/sessions.ts';
import { settingRules, switchRules } from './rules/settings.ts';
import { scenarios } from './scenarios.ts';
import { shapeRulesOfAgents } from './shapes/agents.ts';
import { guess, programs } from './versions.ts';
import { readPi } from './view/view.ts';

/** Checks of agents of pi. */
export const piAgent: AgentSet = {
  protocol: 'pi',
  version: '2',
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
  rules: rulesOver(readPi, [
    ...shapeRulesOfAgents,
    ...lineRules,
    ...responseRules,
    ...settingRules,
    ...switchRules,
    ...sessionDataRules,
    ...sessionRules,
    ...promptRules,
    ...joinRules,
    ...abortRules,
    ...orderRules,
    ...streamRules,
    ...messageRules,
    ...toolRules,
    ...toolEventRules,
    ...compactionRules,
    ...retryRules,
    ...newerRules,
    ...extensionRules,
  ]),
};
