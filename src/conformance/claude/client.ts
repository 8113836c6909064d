// All checks of clients of Claude Code, and the agent that they are judged by.
import { type ClientSet, rulesOver } from '../check/sets.ts';
import { behaviours } from './fake-agent/behaviours.ts';
import { readCarried } from './view/carried.ts';
import { serveClaude } from './fake-agent/fake-agent.ts';
import { answerRules } from './rules/client-answers.ts';
import { messageRules } from './rules/client-messages.ts';

/** Clients that speak the native format of the Claude Agent SDK. */
export const claudeClient: ClientSet = {
  protocol: 'claude',
  side: 'client',
  version: '1',
  behaviours,
  serve: serveClaude,
  rules: rulesOver(readCarried, [...messageRules, ...answerRules]),
};
