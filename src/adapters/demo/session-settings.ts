// The settings of a demo session and the commands that change them.
import type { CommandOf } from '../../core/model/command.ts';
import type { Model } from '../../core/model/content.ts';
import { type Outcome, refused } from '../../core/model/errors.ts';
import type { SessionInfo } from '../../core/model/session-info.ts';
import { defaultModel, models } from './models.ts';

/** Levels that `set-thinking` accepts. The demo agent thinks when the script says so, at any level. */
export const thinkingLevels: readonly string[] = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'];
/** Permission modes. Only `bypassPermissions` has an effect: the verb `ask` then requests no approval. */
export const modes: readonly string[] = ['default', 'acceptEdits', 'plan', 'bypassPermissions'];

/** The settings that can change during the session. */
export interface Settings {
  model: Model;
  thinkingLevel: string;
  mode: string;
  /** Whether waiting messages join one by one, each in a turn of its own, or all at once. */
  steeringMode: 'all' | 'one-at-a-time';
  followUpMode: 'all' | 'one-at-a-time';
  /** If off, the verb `compact` does not compact. */
  autoCompaction: boolean;
  /** If off, the first refusal of the verb `retry` is final. */
  autoRetry: boolean;
  name?: string;
}

/** The settings of a new session. */
export function newSettings(): Settings {
  return {
    model: defaultModel,
    thinkingLevel: 'off',
    mode: 'default',
    steeringMode: 'one-at-a-time',
    followUpMode: 'one-at-a-time',
    autoCompaction: true,
    autoRetry: true,
  };
}

/** The commands that only change settings. */
export type SettingCommand = CommandOf<
  | 'set-model'
  | 'cycle-model'
  | 'set-thinking'
  | 'cycle-thinking'
  | 'set-mode'
  | 'set-queue-mode'
  | 'set-auto'
  | 'set-name'
>;

/** The result of such a command: its outcome and the changes to report, or null for no change. */
export interface Change {
  readonly outcome: Outcome;
  readonly changes: SessionInfo | null;
}

/** Executes a command on the settings. */
export function change(settings: Settings, command: SettingCommand): Change {
  switch (command.type) {
    case 'set-model': {
      const id = command.model ?? defaultModel.id;
      const model = models.find((known) => known.id === id && (command.provider ?? known.provider) === known.provider);
      if (model === undefined) return refusal(`there is no model ${id}`);
      settings.model = model;
      return { outcome: { ok: true, data: { model } }, changes: { model } };
    }
    case 'cycle-model': {
      const step = command.direction === 'backward' ? -1 : 1;
      const at = models.findIndex(({ id }) => id === settings.model.id);
      const model = models.at((at + step) % models.length) ?? settings.model;
      settings.model = model;
      return { outcome: { ok: true, data: { model, thinkingLevel: settings.thinkingLevel } }, changes: { model } };
    }
    case 'set-thinking': {
      const thinkingLevel = command.level ?? levelOf(command.budgetTokens ?? null);
      if (!thinkingLevels.includes(thinkingLevel)) return refusal(`there is no thinking level ${thinkingLevel}`);
      settings.thinkingLevel = thinkingLevel;
      return { outcome: { ok: true }, changes: { thinkingLevel } };
    }
    case 'cycle-thinking': {
      // As with real agents, a model that does not think has no levels to cycle through.
      if (settings.model.reasoning !== true) return { outcome: { ok: true, data: {} }, changes: null };
      const level = after(thinkingLevels, settings.thinkingLevel);
      settings.thinkingLevel = level;
      return { outcome: { ok: true, data: { level } }, changes: { thinkingLevel: level } };
    }
    case 'set-mode': {
      const { mode } = command;
      if (!modes.includes(mode)) return refusal(`there is no mode ${mode}`);
      settings.mode = mode;
      return { outcome: { ok: true }, changes: { mode } };
    }
    case 'set-queue-mode': {
      const { queue, mode } = command;
      const isSteering = queue === 'steering';
      settings[isSteering ? 'steeringMode' : 'followUpMode'] = mode;
      return { outcome: { ok: true }, changes: isSteering ? { steeringMode: mode } : { followUpMode: mode } };
    }
    case 'set-auto': {
      const { what, enabled } = command;
      const isRetry = what === 'retry';
      settings[isRetry ? 'autoRetry' : 'autoCompaction'] = enabled;
      return { outcome: { ok: true }, changes: isRetry ? { autoRetry: enabled } : { autoCompaction: enabled } };
    }
    case 'set-name':
      settings.name = command.name;
      return { outcome: { ok: true }, changes: { name: command.name } };
    default:
      return command satisfies never;
  }
}

/** The next item of a list, and the first after the last. */
function after(list: readonly string[], item: string): string {
  return list[(list.indexOf(item) + 1) % list.length] ?? item;
}

function refusal(message: string): Change {
  return { outcome: refused('invalid', message), changes: null };
}

/** The smallest level that covers a budget in tokens. */
function levelOf(budgetTokens: number | null): string {
  if (budgetTokens === null || budgetTokens <= 0) return 'off';
  if (budgetTokens <= 4_096) return 'low';
  return budgetTokens <= 16_384 ? 'medium' : 'high';
}
