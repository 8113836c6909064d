// Keeps what an ECA server has reported about itself: in its answer to `initialize` (docs/protocols/eca.md 8.1), in
// `config/updated` (since 0.42), and about its tools; and the choices of the user. Delivers the changes.

import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Dictionary, Model } from '../../../core/model/content.ts';
import type { Mode, SessionInfo, Tool, ToolServer } from '../../../core/model/session-info.ts';
import { modelName } from '../model-names.ts';
import type { ConfigParams, InitializeResult, ServerUpdated } from '../wire/server.ts';
import { ecaExtra, restOfServer, serverOf } from './decode/values.ts';

/** Known facts about one server. */
export interface AgentInfo {
  readonly known: SessionInfo;
  /** Whether the server lists its models in the answer to `initialize`, as up to 0.41; null before that answer. */
  readonly isFirstEra: boolean | null;
  readonly servers: readonly ToolServer[];
  /** Names of presets of the model in use. */
  readonly variants: readonly string[];
  /** The user's choices, which prompts repeat. */
  readonly chosen: { readonly model?: string | undefined; readonly mode?: string; readonly variant?: string };
  /** Whether the mode may be chosen. */
  hasMode(mode: string): boolean;
  learn(changes: SessionInfo): void;
  /** `resume`: under which name the server will find the chat again. */
  initialized(result: InitializeResult, resume?: string): void;
  configured(chat: NonNullable<ConfigParams['chat']>): void;
  server(update: ServerUpdated): void;
  removed(name: string): void;
  /** Sets the model of later prompts. Undefined restores the default. */
  chooseModel(model: Model | undefined): void;
  chooseMode(mode: string): void;
  chooseVariant(variant: string): void;
  modelOf(name: string): Model;
}

/** Creates the info of an agent that has reported nothing. */
export function createInfo(out: Outbox): AgentInfo {
  let known: SessionInfo = {};
  let isFirstEra: boolean | null = null;
  let variants: readonly string[] = [];
  /** Modes that may be chosen but are not listed. */
  let otherModes: readonly string[] = [];
  let chosen: AgentInfo['chosen'] = {};
  let defaultModel: string | undefined;
  const servers = new Map<string, ToolServer>();
  /** The server's own tools. */
  let tools: Tool[] = [];

  function learn(now: SessionInfo): void {
    const before = new Map<string, unknown>(Object.entries(known));
    const isNew = ([name, value]: [string, unknown]) =>
      value !== undefined && JSON.stringify(value) !== JSON.stringify(before.get(name));
    const changes: SessionInfo = Object.fromEntries(Object.entries(now).filter(isNew));
    if (Object.keys(changes).length === 0) return;
    known = { ...known, ...changes };
    out.deliverChanges(changes);
  }

  const listed = (name: string) => known.models?.find((model) => modelName(model) === name);
  const modelOf = (name: string): Model => listed(name) ?? namedModel(name);

  /** The model that the server selects becomes the model in use. */
  function selectModel(name: string | null | undefined, fallback: string | null | undefined): SessionInfo {
    if (typeof fallback === 'string') defaultModel = fallback;
    if (typeof name === 'string') {
      if (chosen.model !== undefined) chosen = { ...chosen, model: name };
      return { model: modelOf(name) };
    }
    return known.model === undefined && typeof fallback === 'string' ? { model: modelOf(fallback) } : {};
  }

  function selectMode(name: string | null | undefined, fallback: string | null | undefined): SessionInfo {
    if (typeof name === 'string') {
      if (chosen.mode !== undefined) chosen = { ...chosen, mode: name };
      return { mode: name };
    }
    return known.mode === undefined && typeof fallback === 'string' ? { mode: fallback } : {};
  }

  return {
    get known() {
      return known;
    },
    get isFirstEra() {
      return isFirstEra;
    },
    get servers() {
      return [...servers.values()].filter(({ status }) => status !== 'removed');
    },
    get variants() {
      return variants;
    },
    get chosen() {
      return chosen;
    },
    hasMode(mode) {
      const { modes = [] } = known;
      return modes.length === 0 || modes.some(({ id }) => id === mode) || otherModes.includes(mode);
    },
    learn,
    initialized({ models, chatDefaultModel, chatBehaviors, chatDefaultBehavior, chatWelcomeMessage }, resume) {
      isFirstEra = Array.isArray(models);
      learn({
        ...(isFirstEra && models ? { models: models.map(namedModel) } : {}),
        ...(chatBehaviors ? { modes: chatBehaviors.map(modeOf) } : {}),
        ...(typeof chatWelcomeMessage === 'string' ? { welcome: chatWelcomeMessage } : {}),
        // Servers of the first era cannot open a chat.
        ...(isFirstEra || resume === undefined ? {} : { resume }),
      });
      learn({ ...selectModel(undefined, chatDefaultModel), ...selectMode(undefined, chatDefaultBehavior) });
    },
    configured(chat) {
      const { models, agents, behaviors, welcomeMessage, variants: reportedVariants, selectVariant } = chat;
      otherModes = behaviors ?? otherModes;
      variants = reportedVariants ?? variants;
      learn({
        ...(models && (models.length > 0 || known.models !== undefined) ? { models: models.map(namedModel) } : {}),
        ...(agents ? { modes: agents.map(modeOf) } : behaviors ? { modes: behaviors.map(modeOf) } : {}),
        ...(typeof welcomeMessage === 'string' ? { welcome: welcomeMessage } : {}),
        ...(reportedVariants ? { thinkingLevels: reportedVariants } : {}),
        ...(typeof selectVariant === 'string' ? { thinkingLevel: selectVariant } : {}),
      });
      learn({
        ...selectModel(chat.selectModel, chat.defaultModel),
        ...selectMode(chat.selectAgent ?? chat.selectBehavior, chat.defaultAgent ?? chat.defaultBehavior),
      });
    },
    server(update) {
      const server = serverOf(update);
      servers.set(server.name, server);
      out.deliver({ type: 'tool-server-changed', ...server, ...ecaExtra(restOfServer(update)) });
      if (server.kind !== 'native' || server.tools === undefined) return;
      tools = server.tools;
      learn({ tools });
    },
    removed(name) {
      const server: ToolServer = { name, kind: servers.get(name)?.kind ?? 'mcp', status: 'removed' };
      servers.set(name, server);
      out.deliver({ type: 'tool-server-changed', ...server });
    },
    chooseModel(model) {
      const name = model === undefined ? undefined : modelName(model);
      chosen = { ...chosen, model: name };
      const now = name ?? defaultModel;
      if (now !== undefined) learn({ model: modelOf(now) });
    },
    chooseMode(mode) {
      chosen = { ...chosen, mode };
      learn({ mode });
    },
    chooseVariant(variant) {
      chosen = { ...chosen, variant };
      learn({ thinkingLevel: variant });
    },
    modelOf,
  };
}

/** Newer servers name a model `provider/id`. */
function namedModel(name: string): Model {
  const at = name.indexOf('/');
  const [provider, id] = [name.slice(0, Math.max(at, 0)), name.slice(at + 1)];
  // Keep a name whole if its parts would not join to the same name again.
  return provider === '' || id === '' || id.startsWith(`${provider}/`) ? { id: name } : { id, provider };
}

/**
 * The choices that a prompt carries; the mode under both names, for servers of both eras (docs/protocols/eca.md 6.4).
 */
export function choicesIn({ chosen, known }: Pick<AgentInfo, 'chosen' | 'known'>): Dictionary {
  const mode = chosen.mode ?? known.mode;
  return {
    ...(chosen.model === undefined ? {} : { model: chosen.model }),
    ...(mode === undefined ? {} : { agent: mode, behavior: mode }),
    ...(chosen.variant === undefined ? {} : { variant: chosen.variant }),
  };
}

/** ECA servers name their modes and say no more of them. */
function modeOf(id: string): Mode {
  return { id };
}
