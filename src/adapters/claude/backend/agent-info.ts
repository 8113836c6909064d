// Keeps what the agent has reported about itself: in its answer to `initialize`, in each `init`, and after a changed
// setting (docs/protocols/claude.md 3.2, 6.1). Delivers the changes.

import type { z } from 'zod';
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Dictionary, Model } from '../../../core/model/content.ts';
import { without } from '../../../core/model/dictionary.ts';
import type { CommandInfo, SessionInfo, ToolServer } from '../../../core/model/session-info.ts';
import type { AgentServer, InitializeAnswer, systemFrames } from '../wire/agent.ts';
import { claudeExtra, claudeExtraParts, otherFields } from './decode/values.ts';

/** Known facts about one agent. */
export interface AgentInfo {
  readonly known: SessionInfo;
  readonly servers: readonly ToolServer[];
  /** Delivers the changed facts. `fields`: extra fields for clients of this protocol. */
  learn(now: SessionInfo, fields?: Dictionary): void;
  initialized(answer: InitializeAnswer): void;
  init(frame: z.infer<typeof systemFrames.init>): void;
  learnServers(servers: readonly z.infer<typeof AgentServer>[]): void;
  /** The model with this name. */
  modelOf(name: string): Model;
}

/** Claude Code's own permission modes; there may be others. */
const modes = ['default', 'acceptEdits', 'plan', 'bypassPermissions'].map((id) => ({ id }));

const statuses: ReadonlyMap<string, ToolServer['status']> = new Map([
  ['connected', 'running'],
  ['pending', 'starting'],
  ['failed', 'failed'],
  ['needs-auth', 'needs-auth'],
  ['disabled', 'disabled'],
]);

export function createInfo(out: Outbox): AgentInfo {
  let known: SessionInfo = {};
  let lastSaid = '';
  const servers = new Map<string, ToolServer>();
  /** The last delivered facts about each server. */
  const serversSaid = new Map<string, string>();

  function learn(now: SessionInfo, fields: Dictionary = {}): void {
    const isNew = ([name, value]: [string, unknown]) =>
      value !== undefined &&
      JSON.stringify(value) !== JSON.stringify(Object.entries(known).find(([key]) => key === name)?.[1]);
    const changes: SessionInfo = Object.fromEntries(Object.entries(now).filter(isNew));
    known = { ...known, ...changes };
    // Extra fields that equal those of the last `init` are not repeated. A whole frame is always delivered.
    const words = JSON.stringify(fields);
    const isNewFields = Object.keys(fields).length > 0 && words !== lastSaid;
    if (isNewFields && fields.type === undefined) lastSaid = words;
    if (Object.keys(changes).length === 0 && !isNewFields) return;
    out.deliver({ type: 'session-changed', changes, ...claudeExtra(fields) });
  }

  const modelOf = (name: string): Model =>
    known.models?.find(({ id }) => id === name) ?? { id: name, name, provider: 'anthropic' };

  const commandOf = (name: string): CommandInfo => known.commands?.find((one) => one.name === name) ?? { name };

  function learnServer(server: ToolServer, parts: Dictionary): void {
    const words = JSON.stringify([server.status, parts]);
    if (serversSaid.get(server.name) === words) return;
    serversSaid.set(server.name, words);
    servers.set(server.name, server);
    out.deliver({ type: 'tool-server-changed', ...server, ...claudeExtraParts(parts) });
  }

  /** `isInit`: the list is complete, and its extra fields are for clients of this protocol. */
  function learnServers(listed: readonly z.infer<typeof AgentServer>[], isInit = false): void {
    for (const { name, status, ...rest } of listed) {
      const known = statuses.get(status ?? '');
      const word = known === undefined && typeof status === 'string' ? { status } : {};
      const fields = isInit ? { ...rest, ...word } : word;
      if (!isInit && servers.get(name)?.status === (known ?? 'stopped')) continue;
      learnServer({ name, kind: 'mcp', status: known ?? 'stopped' }, { server: fields });
    }
    const names = new Set(listed.map(({ name }) => name));
    for (const server of isInit ? servers.values() : []) {
      if (!names.has(server.name)) learnServer({ ...server, status: 'removed' }, { gone: true });
    }
  }

  return {
    get known() {
      return known;
    },
    get servers() {
      return [...servers.values()].filter(({ status }) => status !== 'removed');
    },
    learn,
    initialized({ commands, models, current_permission_mode: mode }) {
      learn({
        modes,
        ...(mode === null || mode === undefined ? {} : { mode }),
        ...(models === null || models === undefined ? {} : { models: models.map(listedModel) }),
        ...(commands === null || commands === undefined ? {} : { commands: commands.map(listedCommand) }),
      });
    },
    init(frame) {
      const { session_id: session, cwd, model, permissionMode: mode, tools, slash_commands: commands } = frame;
      if (frame.mcp_servers !== null && frame.mcp_servers !== undefined) learnServers(frame.mcp_servers, true);
      learn(
        {
          // A turn that failed before its conversation was opened has no `init`, and its id leads nowhere.
          ...(typeof session === 'string' ? { agentSessionId: session, resume: session } : {}),
          ...(typeof cwd === 'string' ? { cwd } : {}),
          ...(typeof model === 'string' ? { model: modelOf(model) } : {}),
          ...(typeof mode === 'string' ? { mode } : {}),
          ...(tools === null || tools === undefined ? {} : { tools: tools.map((name) => ({ name })) }),
          ...(commands === null || commands === undefined ? {} : { commands: commands.map(commandOf) }),
        },
        otherFields(frame, 'subtype', 'cwd', 'model', 'permissionMode', 'tools', 'mcp_servers', 'slash_commands'),
      );
    },
    learnServers: (listed) => learnServers(listed),
    modelOf,
  };
}

function listedModel(model: NonNullable<InitializeAnswer['models']>[number]): Model {
  const { value, displayName } = model;
  return {
    id: value,
    name: displayName ?? value,
    provider: 'anthropic',
    ...claudeExtra(without(model, 'value', 'displayName')),
  };
}

function listedCommand(command: NonNullable<InitializeAnswer['commands']>[number]): CommandInfo {
  const { name, description } = command;
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...claudeExtra(without(command, 'name', 'description')),
  };
}
