// The checks of an ECA server.
import { type AgentSet, rulesOver, withContext } from '../check/sets.ts';
import { exitChecks } from './checks-exit.ts';
import { framingChecks } from './checks-framing.ts';
import { createContext } from './context.ts';
import { agentHistory } from './history.ts';
import { approvalRules } from './rules/approvals.ts';
import { configRules } from './rules/config.ts';
import { orderRules } from './rules/content-order.ts';
import { jsonRpcRules } from './rules/json-rpc.ts';
import { lifecycleRules } from './rules/lifecycle.ts';
import { promptRules } from './rules/prompt.ts';
import { requestRules } from './rules/requests.ts';
import { runRules } from './rules/runs.ts';
import { toolCallRules } from './rules/tool-calls.ts';
import { scenarios } from './scenarios.ts';
import { shapeRulesOfServers } from './shapes/agents.ts';
import { viewOf } from './view/view.ts';

const rules = [
  ...jsonRpcRules,
  ...shapeRulesOfServers,
  ...lifecycleRules,
  ...promptRules,
  ...runRules,
  ...orderRules,
  ...toolCallRules,
  ...approvalRules,
  ...requestRules,
  ...configRules,
];

/** All checks, in the order of the document. */
export const ecaAgent: AgentSet = {
  protocol: 'eca',
  version: '2',
  history: agentHistory,
  measuredOn: 'the ECA server of the specification and 0.155.1',
  side: 'agent',
  rules: rulesOver(viewOf, rules),
  usual: {},
  ...withContext(createContext, { checks: [...framingChecks, ...exitChecks], scenarios }),
};
