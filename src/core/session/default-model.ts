// The way back to the model that an agent began with, for agents that know no default. Knows no protocol.
import type { CommandOf } from '../model/command.ts';
import type { Model } from '../model/content.ts';
import { isUnsupported, type Settle } from '../model/errors.ts';
import type { Event } from '../model/event.ts';
import type { AgentPort } from './session-agent.ts';

type SetModel = CommandOf<'set-model'>;

/** What one agent began with. */
export interface DefaultModel {
  /** Hears each event of the log. */
  event(event: Event): void;
  /** Another agent begins. */
  forget(): void;
  /** Sets a model; without a name the agent's default, or else the one that it began with. */
  set(command: SetModel, settle: Settle): void;
}

/** Nothing is known of the agent yet. */
export function createDefaultModel({ forward }: AgentPort): DefaultModel {
  let first: Model | null = null;
  /** A client chose a model before the agent told its own. */
  let isLost = false;

  return {
    event(event) {
      if (event.type !== 'session-changed' || isLost) return;
      first ??= event.changes.model ?? null;
    },
    forget() {
      first = null;
      isLost = false;
    },
    set(command, settle) {
      forward(command, (outcome) => {
        const back = command.model === undefined ? first : null;
        if (back !== null && isUnsupported(outcome))
          return forward({ ...command, model: back.id, provider: back.provider }, settle);
        if (outcome.ok && first === null) isLost = true;
        settle(outcome);
      });
    },
  };
}
