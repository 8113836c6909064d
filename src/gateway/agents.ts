// The agents of a configuration: which there are, and how one is started. Part of the composition root.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { adapters, noProtocol, type Side } from '../adapters/index.ts';
import type { AgentConfig, Config } from '../config/config.ts';
import type { Adapter, AgentKind, Env, Multiplexing } from '../core/contract/adapter.ts';
import type { AgentConnection } from '../core/link/agent-link.ts';
import type { Channel } from '../core/contract/channel.ts';
import type { Command } from '../core/model/command.ts';
import { GatewayError } from '../core/model/errors.ts';
import { forkCommands } from '../core/session/forks.ts';
import type { Instructions } from '../core/contract/instructions.ts';
import { spawnChannel } from '../transports/child-process.ts';
import { createFrame } from '../transports/framing/frame.ts';
import { streamFraming } from '../transports/framing/framings.ts';
import type { AgentSummary } from '../core/contract/gateway-api.ts';
import { nullChannel } from '../transports/memory.ts';
import { connectEventSource } from '../transports/sse-client.ts';
import { createMultiplexer, type MultiplexedConnection } from '../transports/multiplexer.ts';
import { connectWebSocket } from '../transports/websocket.ts';

/** Where an agent is to work. */
export interface AgentPlace {
  /** Default: as its configuration says. */
  readonly cwd?: string | undefined;
  /** What its user has open, if that is known. */
  readonly folders?: readonly string[];
  /** For its model; where {@link Agents.takesInstructions} says so. */
  readonly instructions?: Instructions | undefined;
}

/** The agents of one gateway. */
export interface Agents {
  /** That agent, or the default one. Throws `not-found`. */
  named(name: string | undefined): [string, AgentConfig];
  /** Starts a fresh one. Throws `invalid` or `unsupported` for what cannot be an agent. */
  connect(name: string, agent: AgentConfig, place: AgentPlace): AgentConnection;
  /** Whether that agent keeps no sessions itself, and can be told what was said. */
  isForgetful(name: string): boolean;
  /** What is known of that agent before it is started. */
  kindOf(name: string): AgentKind;
  /** Whether such an agent can be started with instructions: it is started by us, and for one session alone. */
  takesInstructions(agent: AgentConfig): boolean;
  /** As lists show them: never a command, directory or environment. */
  summaries(): AgentSummary[];
}

/** Reads the tokens of remote agents from our environment, which no program gets to see. */
export function createAgents(config: Config, env: Env): Agents {
  /** What is ours to show to remote agents alone: taken out of every program's environment (docs/threats.md T7). */
  const secrets = Object.fromEntries(
    Object.values(config.agents).flatMap(({ tokenVariable }) =>
      tokenVariable === undefined ? [] : [[tokenVariable, undefined]],
    ),
  );

  /** Those that are not over. */
  const trunks = new Map<string, MultiplexedConnection>();

  function named(name: string | undefined): [string, AgentConfig] {
    const chosen = name ?? config.defaultAgent ?? 'demo';
    const agent = Object.hasOwn(config.agents, chosen) ? config.agents[chosen] : undefined;
    if (agent === undefined)
      throw new GatewayError('not-found', `no agent named ${JSON.stringify(chosen.slice(0, 64))}`);
    return [chosen, agent];
  }

  function connect(name: string, wanted: AgentConfig, { cwd, folders, instructions }: AgentPlace): AgentConnection {
    const adapter = adapterOf(wanted.protocol);
    const agent = instructions === undefined ? wanted : withInstructions(wanted, adapter, instructions);
    if (adapter.agent === undefined) throw new GatewayError('invalid', `${agent.protocol} has no agent side`);
    const { multiplexing } = adapter.agent;
    const session = randomUUID();
    // Who carries sessions for many and is reached by an address works where its own directories are.
    const isElsewhere = multiplexing !== undefined && agent.url !== undefined;
    const places = isElsewhere ? (agent.cwd === undefined ? [] : [agent.cwd]) : folders;
    const backend = adapter.agent.backend(env, agent.options ?? {}, places, session);
    if (multiplexing === undefined) return { backend, channel: openAgent(name, agent, adapter, cwd) };
    return { backend, channel: trunkTo(name, agent, adapter, multiplexing, cwd).join(session) };
  }

  /** The one connection that carries all sessions of that agent; a program has one for each directory that it works in. */
  function trunkTo(
    name: string,
    agent: AgentConfig,
    adapter: Adapter,
    { route }: Multiplexing,
    cwd?: string,
  ): MultiplexedConnection {
    const key = JSON.stringify([name, agent.command === undefined ? undefined : (cwd ?? agent.cwd)]);
    const known = trunks.get(key);
    if (known !== undefined) return known;
    const over = () => void trunks.delete(key);
    const channel = openAgent(name, agent, adapter, cwd);
    const trunk = createMultiplexer({ label: `agent ${name}`, channel, route, over });
    trunks.set(key, trunk);
    return trunk;
  }

  function takesInstructions({ protocol, url }: AgentConfig): boolean {
    const { agent } = adapterOf(protocol);
    return agent?.withInstructions !== undefined && agent.multiplexing === undefined && url === undefined;
  }

  function isForgetful(name: string): boolean {
    const [, { protocol, options = {} }] = named(name);
    const { agent } = adapterOf(protocol);
    try {
      return agent?.stored === undefined && agent?.backend(env, options).restoreHistory !== undefined;
    } catch {
      // Whoever wants to speak to it will be told why it cannot be.
      return false;
    }
  }

  const kinds = new Map<string, AgentKind>();

  function kindOf(name: string): AgentKind {
    const known = kinds.get(name);
    if (known !== undefined) return known;
    const [, { protocol }] = named(name);
    const { commands } = adapterOf(protocol).can;
    const kind = { protocol, commands: new Set(isForgetful(name) ? [...commands, ...forkCommands] : commands) };
    kinds.set(name, kind);
    return kind;
  }

  function openAgent(name: string, agent: AgentConfig, adapter: Adapter, cwd: string | undefined): Channel {
    const maxFrameBytes = config.limits.agentFrameBytes;
    if (agent.url !== undefined) {
      const token = tokenOf(name, agent);
      const { url, sendUrl } = agent;
      if (sendUrl === undefined) {
        return connectWebSocket(url, { token, maxFrameBytes, framing: adapter.framing.websocket });
      }
      const envelope = adapter.envelope?.(agent.options ?? {});
      return connectEventSource({ streamUrl: url, sendUrl, token, maxFrameBytes, envelope, label: `agent ${name}` });
    }
    if (agent.command === undefined) {
      // A protocol that clients speak too has a wire, and without either nobody would be at its other end.
      const isRemote = adapter.client !== undefined && adapter.agent?.connect === undefined;
      if (isRemote) throw new GatewayError('invalid', `agent ${name} needs a command or a url`);
      const ports = { frameOf: createFrame, maxFrameBytes };
      return adapter.agent?.connect?.(agent.options ?? {}, ports) ?? nullChannel(`agent ${name}`);
    }
    checkGate(name, agent.command, cwd ?? agent.cwd);
    return spawnChannel({
      command: agent.command,
      cwd: cwd ?? agent.cwd,
      env: { ...agent.env, ...secrets },
      label: `agent ${name}`,
      framing: streamFraming(adapter.framing.stdio),
      maxFrameBytes,
    });
  }

  return {
    named,
    connect,
    isForgetful,
    kindOf,
    takesInstructions,
    summaries: () => Object.entries(config.agents).map(([name, agent]) => agentSummary(name, agent)),
  };
}

/** Throws `not-found`, naming what was meant, or those that this side speaks. */
export function adapterOf(id: string, side?: Side): Adapter {
  const adapter = adapters.get(id);
  if (adapter !== undefined) return adapter;
  throw new GatewayError('not-found', noProtocol(id, side));
}

/**
 * The command, for a client on the network: what an agent is to hear word for word must not say what no such client may
 * say (docs/threats.md T8). Throws `unsupported`.
 */
export function passable(command: Command): Command {
  if (command.type !== 'unknown' || adapterOf(command.protocol).agent?.allowsPassthrough?.(command.payload) !== false)
    return command;
  throw new GatewayError('unsupported', 'no client on the network may ask that of an agent');
}

/** Our extension that asks before tools run. An agent that is started without it, or with a path that is wrong, asks nothing. */
const gate = /(?:^|[\\/])pi-approvals\.js$/u;

/** Some agents say nothing of an extension that is not there: what was meant to be asked must not go unasked. */
function checkGate(name: string, command: readonly string[], cwd = process.cwd()): void {
  const missing = command.find((word) => gate.test(word) && !existsSync(path.resolve(cwd, word)));
  if (missing === undefined) return;
  throw new GatewayError('invalid', `agent ${name}: there is no ${missing}, and without it nothing would be asked`);
}

/** A remote agent that wants a token would refuse us for a reason that nobody sees. */
function tokenOf(name: string, { tokenVariable }: AgentConfig): string | undefined {
  if (tokenVariable === undefined) return undefined;
  const token = process.env[tokenVariable];
  if (token !== undefined && token !== '') return token;
  throw new GatewayError('invalid', `agent ${name}: the environment has no ${tokenVariable}, its tokenVariable`);
}

/** The words go last, because for programs the last one counts. */
function withInstructions(agent: AgentConfig, adapter: Adapter, instructions: Instructions): AgentConfig {
  const { command, options = {} } = agent;
  const start = adapter.agent?.withInstructions?.({ argv: [], options }, instructions);
  if (start === undefined) return agent;
  return { ...agent, options: { ...start.options }, ...(command && { command: [...command, ...start.argv] }) };
}

function agentSummary(name: string, agent: AgentConfig): AgentSummary {
  return { name, protocol: agent.protocol, title: agent.title ?? adapterOf(agent.protocol).title };
}
