// Builds what the demo agent reports about itself: at its start and in answers to queries.
import type { CommandOf } from '../../core/model/command.ts';
import { type Outcome, refused } from '../../core/model/errors.ts';
import type { CommandInfo, SessionInfo } from '../../core/model/session-info.ts';
import { models } from './models.ts';
import { usageOf, verbs } from './script-verbs.ts';
import { modes, type Settings, thinkingLevels } from './session-settings.ts';
import { tools } from './tool-calls.ts';

/** The verbs as slash commands: `/think` in a prompt is the verb `think`. */
const commands: readonly CommandInfo[] = verbs.map((verb) => ({
  name: verb.name,
  description: `${usageOf(verb)}: ${verb.help}`,
  kind: 'verb',
}));

/** The constant session info. There is no working directory. */
export const fixedInfo: SessionInfo = {
  models: [...models],
  modes: modes.map((id) => ({ id })),
  thinkingLevels: [...thinkingLevels],
  commands: [...commands],
  tools: [...tools],
  welcome: 'I am the demo agent: I do what the words of your prompt say. Send "help" for the list.',
};

/** The session info that may change. */
export function currentInfo(agentSessionId: string, settings: Settings): SessionInfo {
  return { agentSessionId, ...settings };
}

/** The values that queries are answered from. */
export interface Now {
  readonly info: SessionInfo;
  readonly running: boolean;
  readonly compacting: boolean;
  /** Tokens that the next message would read. */
  readonly context: number;
}

/** The answer to a query. */
export function answerQuery(subject: CommandOf<'query'>['subject'], now: Now): Outcome {
  switch (subject) {
    case 'models':
      return { ok: true, data: { models } };
    case 'commands':
      return { ok: true, data: { commands } };
    case 'tools':
      return { ok: true, data: { tools } };
    case 'thinking-levels':
      return { ok: true, data: { levels: thinkingLevels } };
    case 'context-usage':
      return { ok: true, data: { tokens: now.context, window: now.info.model?.contextWindow ?? null } };
    case 'state':
      return { ok: true, data: { changes: now.info, running: now.running, compacting: now.compacting } };
    default:
      return refused('unsupported', `the demo agent cannot tell its ${subject}`);
  }
}
