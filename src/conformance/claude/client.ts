// The check set for clients of Claude Code.
import { type ClientSet, rulesOver } from '../check/sets.ts';
import { behaviours } from './fake-agent/behaviours.ts';
import { serveClaude } from './fake-agent/fake-agent.ts';
import { clientHistory } from './history.ts';
import { answerRules } from './rules/client-answers.ts';
import { messageRules } from './rules/client-messages.ts';
import { shapeRulesOfClients } from './shapes/clients.ts';
import { readUnpacked, unpackMessages } from './view/unpack-messages.ts';

/** Checks of clients that speak the native format of the Claude Agent SDK. */
export const claudeClient: ClientSet = {
  protocol: 'claude',
  side: 'client',
  version: '3',
  history: clientHistory,
  measuredOn: 'Agent SDK 0.3.329',
  behaviours,
  serve: serveClaude,
  rules: rulesOver(readUnpacked, [...shapeRulesOfClients.map(unpackMessages), ...messageRules, ...answerRules]),
};
