// The check set for agents that speak the native wire format of the Claude Agent SDK (docs/protocols/rpc-message.md 1).
import { type AgentSet, rulesOver, withContext } from '../check/sets.ts';
import { createContext } from './context.ts';
import { agentHistory } from './history.ts';
import { askRules } from './rules/asks.ts';
import { controlRules } from './rules/control.ts';
import { figureRules } from './rules/figures.ts';
import { frameRules } from './rules/frames.ts';
import { inputRules } from './rules/input.ts';
import { resultRules } from './rules/result.ts';
import { signatureRules } from './rules/signatures.ts';
import { streamRules } from './rules/stream-grammar.ts';
import { toolResultRules } from './rules/tool-results.ts';
import { toolRules } from './rules/tools.ts';
import { scenarios } from './scenarios.ts';
import { shapeRulesOfAgents } from './shapes/agents.ts';
import { readUnpacked, unpackMessages } from './view/unpack-messages.ts';
import type { View } from './view/view.ts';

/** Checks of agents of the native dialect. */
export const claudeAgent: AgentSet = {
  protocol: 'claude',
  side: 'agent',
  version: '3',
  history: agentHistory,
  measuredOn: 'Claude Code 2.1.329 and 2.1.330',
  usual: {},
  ...withContext(createContext, { scenarios }),
  rules: rulesOver(
    readUnpacked,
    [
      ...shapeRulesOfAgents,
      ...frameRules,
      ...streamRules<View>('claude'),
      ...signatureRules,
      ...toolResultRules<View>('claude'),
      ...toolRules,
      ...resultRules,
      ...figureRules,
      ...controlRules,
      ...askRules,
      ...inputRules,
    ].map(unpackMessages),
  ),
};
