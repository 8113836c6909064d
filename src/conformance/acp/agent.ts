// The checks of an ACP agent.
import { rulesIn } from '../check/rule-rows.ts';
import { type AgentSet, rulesOver, withContext } from '../check/sets.ts';
import { checks } from './checks.ts';
import { createContext } from './context.ts';
import { agentHistory } from './history.ts';
import { callRows } from './rules/calls.ts';
import { jsonRpcRows } from './rules/json-rpc.ts';
import { questionRows } from './rules/questions.ts';
import { sessionRows } from './rules/sessions.ts';
import { settingRows } from './rules/settings.ts';
import { startRows } from './rules/start.ts';
import { turnRows } from './rules/turns.ts';
import { updateRows } from './rules/updates.ts';
import { scenarios } from './scenarios.ts';
import { shapeRulesOfAgents } from './shapes/agents.ts';
import { viewOf } from './view/view.ts';

const rows = {
  ...jsonRpcRows,
  ...startRows,
  ...sessionRows,
  ...settingRows,
  ...turnRows,
  ...callRows,
  ...questionRows,
  ...updateRows,
};

/** All checks, in the order of docs/protocols/acp.md. */
export const acpAgent: AgentSet = {
  protocol: 'acp',
  version: '2',
  history: agentHistory,
  measuredOn:
    'claude-agent-acp 0.101.0, codex-acp 2.6.0, pi-acp 0.0.34, qwen-code 0.24.4, gemini-cli 0.61.0 and opencode 1.18.33',
  side: 'agent',
  rules: rulesOver(viewOf, [...shapeRulesOfAgents, ...rulesIn('acp', rows)]),
  usual: {},
  ...withContext(createContext, { checks, scenarios }),
};
