// The check set for agents that speak the rpc-message dialect to a front end of RpcMessage
// (docs/protocols/rpc-message.md 2 to 7).

import { type AgentSet, rulesOver, withContext } from '../check/sets.ts';
import { toolResultRules } from '../claude/rules/tool-results.ts';
import { createContext } from './context.ts';
import { agentHistory } from './history.ts';
import { messageRules } from './rules/messages.ts';
import { methodRules } from './rules/methods.ts';
import { requestRules } from './rules/requests.ts';
import { rpcStreamRules, turnRules } from './rules/turns.ts';
import { scenarios } from './scenarios.ts';
import { shapeRulesOfAgents } from './shapes/agents.ts';
import { readView, type View } from './view.ts';

/** Checks of agents of the dialect. */
export const rpcMessageAgent: AgentSet = {
  protocol: 'rpc-message',
  side: 'agent',
  version: '2',
  history: agentHistory,
  measuredOn: 'the front end of the specification',
  usual: {},
  ...withContext(createContext, { scenarios }),
  rules: rulesOver(readView, [
    ...shapeRulesOfAgents,
    ...messageRules,
    ...rpcStreamRules,
    ...toolResultRules<View>('rpc-message'),
    ...turnRules,
    ...requestRules,
    ...methodRules,
  ]),
};
