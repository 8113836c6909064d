// Carries out `set-model` without a model name: the client wants the default model of the agent. Some agents have no
// such command, so this file remembers the model that the agent started with and sets that model again.
import type { CommandOf } from '../../model/command.ts';
import type { Model } from '../../model/content.ts';
import { isUnsupported, type Settle } from '../../model/errors.ts';
import type { Event } from '../../model/event.ts';
import type { AgentPort } from './session-agent.ts';

type SetModel = CommandOf<'set-model'>;

/** The model that one agent started with. */
export interface DefaultModel {
  /** Must be called with each logged event. */
  event(event: Event): void;
  /** Forgets the model: another agent starts. */
  forget(): void;
  /** Sets a model. Without a model name: the agent's default model, or else the model that the agent started with. */
  set(command: SetModel, settle: Settle): void;
}

/** Creates the tracker of one session, before its agent has reported a model. */
export function createDefaultModel({ forward }: AgentPort): DefaultModel {
  let first: Model | null = null;
  /** True if a client set a model before the agent reported its first model. */
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
