// The checks of an ECA server.
import { rulesIn } from '../check/rule-rows.ts';
import { type AgentSet, rulesOver, withContext } from '../check/sets.ts';
import { exitChecks } from './checks-exit.ts';
import { framingChecks } from './checks-framing.ts';
import { createContext } from './context.ts';
import { agentHistory } from './history.ts';
import { approvalRows } from './rules/approvals.ts';
import { configRows } from './rules/config.ts';
import { orderRows } from './rules/content-order.ts';
import { jsonRpcRows } from './rules/json-rpc.ts';
import { lifecycleRows } from './rules/lifecycle.ts';
import { promptRows } from './rules/prompt.ts';
import { requestRows } from './rules/requests.ts';
import { runRows } from './rules/runs.ts';
import { toolCallRows } from './rules/tool-calls.ts';
import { scenarios } from './scenarios.ts';
import { shapeRulesOfServers } from './shapes/agents.ts';
import { viewOf } from './view/view.ts';

const rows = {
  ...jsonRpcRows,
  ...lifecycleRows,
  ...promptRows,
  ...runRows,
  ...orderRows,
  ...toolCallRows,
  ...approvalRows,
  ...requestRows,
  ...configRows,
};

/** All checks, in the order of the document. */
export const ecaAgent: AgentSet = {
  protocol: 'eca',
  version: '2',
  history: agentHistory,
  measuredOn: 'the ECA server of the specification and 0.155.1',
  side: 'agent',
  rules: rulesOver(viewOf, [...shapeRulesOfServers, ...rulesIn('eca', rows)]),
  usual: {},
  ...withContext(createContext, { checks: [...framingChecks, ...exitChecks], scenarios }),
};
