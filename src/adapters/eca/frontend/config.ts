// Builds the description of the agent for clients: models, behaviours, variants, tools; in the fields of both eras
// (docs/protocols/eca.md 3.1, 3.2). Unknown values are left out, never null.
import type { Model } from '../../../core/model/content.ts';
import type { SessionInfo, Tool, ToolServer } from '../../../core/model/session-info.ts';
import { modelInUse, modelName } from '../model-names.ts';

/** Known facts about the agent so far. */
export interface Knowledge {
  readonly models: readonly Model[];
  readonly info: SessionInfo;
  readonly levels: readonly string[];
  readonly tools: readonly Tool[];
  readonly servers: readonly ToolServer[];
}

/** The state before the first query. */
export const nothingKnown: Knowledge = { models: [], info: {}, levels: [], tools: [], servers: [] };

/**
 * The behaviour of agents without modes. Newer clients send no prompt before a behaviour is selected
 * (docs/protocols/eca.md 2.4).
 */
export const onlyBehavior = 'agent';

/** The behaviours to choose from, and the one in use, as far as known. */
export function behaviorsOf({ modes = [], mode }: SessionInfo): {
  readonly behaviors: readonly string[];
  readonly selected: string;
} {
  const listed = modes.map(({ id }) => id);
  const known = mode === undefined || listed.includes(mode) ? listed : [...listed, mode];
  const [first = onlyBehavior] = known;
  return { behaviors: known.length === 0 ? [first] : known, selected: mode ?? first };
}

/** The names of the models to choose from, including the one in use. */
export function modelNames({ models, info }: Knowledge): string[] {
  const names = models.map(modelName);
  return [...new Set(info.model === undefined ? names : [...names, modelName(info.model)])];
}

/** The result of `initialize`. */
export function initializeResult(knowledge: Knowledge): object {
  const { welcome = '' } = knowledge.info;
  const model = modelInUse(knowledge.info.model, knowledge.models);
  const { behaviors, selected } = behaviorsOf(knowledge.info);
  return {
    models: modelNames(knowledge),
    chatDefaultModel: model === undefined ? undefined : modelName(model),
    chatBehaviors: behaviors,
    chatDefaultBehavior: selected,
    chatWelcomeMessage: welcome,
  };
}

/** The params of `config/updated`. */
export function configParams(knowledge: Knowledge): object {
  const { welcome = '', thinkingLevel } = knowledge.info;
  const model = modelInUse(knowledge.info.model, knowledge.models);
  const { behaviors, selected } = behaviorsOf(knowledge.info);
  const name = model === undefined ? undefined : modelName(model);
  const { levels } = knowledge;
  return {
    chat: {
      models: modelNames(knowledge),
      agents: behaviors,
      selectModel: name,
      selectAgent: selected,
      variants: levels,
      selectVariant: thinkingLevel !== undefined && levels.includes(thinkingLevel) ? thinkingLevel : undefined,
      welcomeMessage: welcome,
      defaultModel: name,
      defaultAgent: selected,
      behaviors,
      selectBehavior: selected,
      defaultBehavior: selected,
    },
  };
}

/** The tools as a client lists them. */
export function wireTools(tools: readonly Tool[]): object[] {
  return tools.map(({ name, description = '', parameters = {}, disabled }) => ({
    name,
    description,
    parameters,
    disabled,
  }));
}

/** The params of `tool/serverUpdated`: one for the agent's own tools, and one for each of its tool servers. */
export function serverParams({ tools, servers }: Knowledge): object[] {
  const others = servers.flatMap(({ kind, name, status, command = [], tools: offered }) => {
    if (kind === 'native' || status === 'removed') return [];
    const [program = '', ...args] = command;
    return {
      type: 'mcp',
      name,
      command: program,
      args,
      status: status === 'needs-auth' ? 'requires-auth' : status,
      disabled: status === 'disabled',
      tools: offered === undefined ? undefined : wireTools(offered),
    };
  });
  const native = servers.flatMap(({ kind, tools: offered = [] }) => (kind === 'native' ? offered : []));
  const own = tools.length > 0 ? tools : native;
  return [{ type: 'native', name: 'ECA', status: 'running', tools: wireTools(own) }, ...others];
}
