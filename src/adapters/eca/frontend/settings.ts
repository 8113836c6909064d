// Settings that come with a prompt: model, behaviour, variant, trust. Each one that differs is set before the prompt.
// The user is told about a refused setting; the prompt goes on without it.
import type { Command } from '../../../core/model/command.ts';
import type { Model } from '../../../core/model/content.ts';
import type { Problem } from '../../../core/model/errors.ts';
import { QueryData } from '../../../core/model/outcome-data.ts';
import type { SessionInfo } from '../../../core/model/session-info.ts';
import { type Actions, type ConnectionPorts, note, showMessage } from '../connection.ts';
import { isNamed, modelInUse, modelName, setModel } from '../model-names.ts';
import type { Chat } from './chats.ts';
import { behaviorsOf, type Knowledge, onlyBehavior } from './config.ts';

/** The settings of a prompt. An empty string sets nothing. */
export interface PromptSettings {
  readonly model?: string | null | undefined;
  readonly behavior?: string | null | undefined;
  readonly variant?: string | null | undefined;
  /** Absent: unchanged. */
  readonly trust?: boolean | null | undefined;
}

/** The settings of one connection's chats. */
export interface Settings {
  /** Sets what differs, then calls `then`: with a problem if the agent cannot be asked at all. */
  apply(chat: Chat, wishes: PromptSettings, then: (problem: Problem | null) => Actions): Actions;
  /** The name of the model in use, as far as known; else the requested one. */
  shownModel(chat: Chat, wished: string): string;
}

/** A model that was set, and the model that the session reported at that time. */
interface Chosen {
  readonly name: string;
  readonly seen: Model | undefined;
}

/** Warnings that are remembered per chat. Limited, because a client may make up any number of names. */
const mostSeen = 64;

/** Creates the settings of one connection. `known`: facts that the agent reported at its start. */
export function createSettings(ports: ConnectionPorts, known: () => Knowledge): Settings {
  const chosen = new WeakMap<Chat, Chosen>();
  /** Warnings that the user has seen, by chat. */
  const warned = new WeakMap<Chat, Set<string>>();
  const listed = new WeakMap<Chat, readonly Model[]>();

  const infoOf = ({ view, info }: Chat): SessionInfo => ({ ...info, ...view?.transcript.info });

  /** The models that are known without a query. */
  function offeredIn(chat: Chat): readonly Model[] {
    const own = infoOf(chat).models ?? listed.get(chat) ?? [];
    return own.length > 0 ? own : known().models;
  }

  const inUse = (chat: Chat) => modelInUse(infoOf(chat).model, offeredIn(chat));

  function modelOf(chat: Chat): string | undefined {
    const model = inUse(chat);
    const choice = chosen.get(chat);
    // Some agents do not report a change that was requested.
    if (choice !== undefined && choice.seen === chat.view?.transcript.info.model) return choice.name;
    return model === undefined ? undefined : modelName(model);
  }

  function warn(chat: Chat, text: string): Actions {
    const seen = warned.get(chat) ?? new Set();
    warned.set(chat, seen);
    if (seen.has(text)) return [];
    if (seen.size >= mostSeen) seen.clear();
    seen.add(text);
    return showMessage(ports, 'warning', text, chat.id);
  }

  function set(chat: Chat, command: Command, words: string, then: (isSet: boolean) => Actions): Actions {
    if (chat.target === undefined) return then(false);
    return ports.ask(chat.target, command, (outcome) => {
      if (outcome.ok) return then(true);
      return [...warn(chat, `${words}: ${outcome.error.message}`), ...then(false)];
    });
  }

  function applyModel(chat: Chat, name: string | null | undefined, then: () => Actions): Actions {
    if (!name || name === modelOf(chat)) return then();
    const current = chosen.has(chat) ? undefined : inUse(chat);
    if (current !== undefined && isNamed(current, name)) return then();
    return withModels(chat, (models) =>
      set(chat, setModel(name, models), `The model ${name} was not chosen`, (isSet) => {
        if (isSet) chosen.set(chat, { name, seen: chat.view?.transcript.info.model });
        return then();
      }),
    );
  }

  /** A name can be read only with the list of models that it comes from. */
  function withModels(chat: Chat, then: (models: readonly Model[]) => Actions): Actions {
    const models = offeredIn(chat);
    if (models.length > 0 || listed.has(chat) || chat.target === undefined) return then(models);
    return ports.ask(chat.target, { type: 'query', subject: 'models' }, (outcome) => {
      const read = outcome.ok ? QueryData.models.safeParse(outcome.data).data : undefined;
      listed.set(chat, read?.models ?? []);
      return then(read?.models ?? []);
    });
  }

  function applyBehavior(chat: Chat, mode: string | null | undefined, then: () => Actions): Actions {
    if (!mode) return then();
    const info: SessionInfo = { ...known().info, ...infoOf(chat) };
    const { behaviors, selected } = behaviorsOf(info);
    if (mode === selected) return then();
    // Clients that are used to another server send `agent` or `code`, which mean nothing to this agent.
    if (info.modes !== undefined && !behaviors.includes(mode)) {
      // `agent` is also the gateway's placeholder, shown while the agent's modes were unknown. Ignoring it loses
      // nothing.
      const isOurs = mode === onlyBehavior;
      return [...(isOurs ? [] : note('loss', 'chat/prompt: a behaviour that the agent does not have')), ...then()];
    }
    if (info.modes === undefined && info.mode === undefined) return then();
    return set(chat, { type: 'set-mode', mode }, `The behaviour ${mode} was not chosen`, then);
  }

  function applyVariant(chat: Chat, level: string | null | undefined, then: () => Actions): Actions {
    if (!level || level === infoOf(chat).thinkingLevel) return then();
    return set(chat, { type: 'set-thinking', level }, `The variant ${level} was not chosen`, then);
  }

  /** Newer clients repeat `trust` with each prompt while it is on, and omit it while it is off. */
  function applyTrust(chat: Chat, enabled: boolean | null | undefined, then: () => Actions): Actions {
    const { trusted = false } = chat.view?.transcript.info ?? {};
    if (typeof enabled !== 'boolean' || enabled === trusted) return then();
    return set(chat, { type: 'set-trust', enabled }, 'The chat was not trusted', then);
  }

  /** Asks for the state: a new session has reported nothing yet. */
  function withInfo(chat: Chat, then: (problem: Problem | null) => Actions): Actions {
    if (chat.info !== undefined || chat.target === undefined) return then(null);
    return ports.ask(chat.target, { type: 'query', subject: 'state' }, (outcome) => {
      if (outcome.ok) chat.info = QueryData.state.safeParse(outcome.data).data?.changes;
      const isHopeless = !outcome.ok && outcome.error.code === 'agent-down';
      return then(isHopeless ? outcome.error : null);
    });
  }

  return {
    shownModel(chat, wished) {
      const { model } = known().info;
      return modelOf(chat) ?? (wished === '' && model !== undefined ? modelName(model) : wished);
    },
    apply(chat, { model, behavior, variant, trust }, then) {
      return applyTrust(chat, trust, () => {
        if (!model && !behavior && !variant) return then(null);
        return withInfo(chat, (problem) => {
          if (problem !== null) return then(problem);
          return applyModel(chat, model, () =>
            applyBehavior(chat, behavior, () => applyVariant(chat, variant, () => then(null))),
          );
        });
      });
    },
  };
}
