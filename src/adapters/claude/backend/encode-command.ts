// The commands that are sent as one control request, and the meaning of the answers (docs/protocols/claude.md 3.4).
// backend.ts handles commands that need more.
import type { Command, CommandOf } from '../../../core/model/command.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import type { Problem } from '../../../core/model/errors.ts';
import type { SessionInfo } from '../../../core/model/session-info.ts';
import type { ControlRequest } from './requests.ts';

/** A request, and what it sets if the agent accepts it. */
export interface Encoded {
  readonly request: ControlRequest;
  /** The new settings. */
  learned?(response: Dictionary): SessionInfo;
  readonly loss?: string;
}

/** The thinking budgets, in tokens, for the levels that other agents have. */
const budgets: ReadonlyMap<string, number> = new Map([
  ['off', 0],
  ['minimal', 1_024],
  ['low', 2_048],
  ['medium', 8_192],
  ['high', 16_384],
  ['xhigh', 32_768],
  ['max', 63_999],
]);

/** The request of a setting, or why there is none. */
export function encodeSetting(command: CommandOf<'set-model' | 'set-mode' | 'set-thinking'>): Encoded | Problem {
  switch (command.type) {
    case 'set-model': {
      const { model } = command;
      return {
        request: { subtype: 'set_model', ...(model === undefined ? {} : { model }) },
        learned: (response) => {
          const now = typeof response.model === 'string' ? response.model : model;
          return now === undefined ? {} : { model: { id: now } };
        },
      };
    }
    case 'set-mode':
      return {
        request: { subtype: 'set_permission_mode', mode: command.mode },
        learned: (response) => ({ mode: typeof response.mode === 'string' ? response.mode : command.mode }),
      };
    case 'set-thinking':
      return encodeThinking(command);
    default:
      return command satisfies never;
  }
}

function encodeThinking({ level, budgetTokens }: CommandOf<'set-thinking'>): Encoded | Problem {
  const request = (tokens: number | null) => ({ subtype: 'set_max_thinking_tokens', max_thinking_tokens: tokens });
  if (budgetTokens !== undefined) return { request: request(budgetTokens) };
  if (level === undefined) return { code: 'invalid', message: 'set-thinking needs a level or a budget' };
  const tokens = budgets.get(level);
  if (tokens === undefined) return { code: 'invalid', message: `there is no thinking level ${level.slice(0, 64)}` };
  return {
    request: request(tokens),
    learned: () => ({ thinkingLevel: level }),
    loss: `the thinking level ${level} became a budget of ${tokens} tokens`,
  };
}

/** The levels that have a budget. */
export const thinkingLevels: readonly string[] = [...budgets.keys()];

/** The refusal of a command without a request. */
export function refusalOf(command: Command): Problem {
  return { code: 'unsupported', message: `a Claude agent has nothing for ${command.type}` };
}
