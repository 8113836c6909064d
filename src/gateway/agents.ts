// The agents of a configuration: looks them up, describes them, and connects one to a session.
import { randomUUID } from 'node:crypto';
import type { AdapterOf } from '../adapters/protocols.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import type { Config } from '../config/config.ts';
import type { Env } from '../core/contract/adapter/action.ts';
import type { Adapter } from '../core/contract/adapter/adapter.ts';
import type { Instructions } from '../core/contract/adapter/instructions.ts';
import type { AgentLaunch } from '../core/contract/adapter/launch.ts';
import type { AgentKind } from '../core/contract/adapter/projection.ts';
import type { Resumption } from '../core/contract/adapter/stored-conversations.ts';
import type { AgentSummary } from '../core/contract/gateway/gateway-api.ts';
import { mayUse, owner, type Principal } from '../core/contract/principal.ts';
import type { AgentConnection } from '../core/link/agent-link.ts';
import { GatewayError } from '../core/model/errors.ts';
import type { BroughtServer } from '../core/model/session-info.ts';
import { forkCommands } from '../core/session/forks.ts';
import type { AgentChannels } from './agent-channels.ts';
import type { UploadedTapes } from './inspector/uploaded-tapes.ts';

/** How an agent is started for one session. */
export interface AgentConnectOptions {
  /** Working directory. Default: as configured. */
  readonly cwd?: string | undefined;
  /** Folders that the user has open, if known. */
  readonly folders?: readonly string[];
  /** Instructions for the model, if {@link Agents.takesInstructions}. */
  readonly instructions?: Instructions | undefined;
  /** The agent's own conversation to go on with, if it can. */
  readonly resume?: Resumption | undefined;
  /** Tool servers of the client, if {@link Agents.takesToolServers}. */
  readonly toolServers?: readonly BroughtServer[];
}

/** The agents of one gateway. */
export class Agents {
  readonly #config: Config;
  readonly #env: Env;
  readonly #adapterOf: AdapterOf;
  readonly #channels: AgentChannels;
  readonly #uploaded: Pick<UploadedTapes, 'of'> | undefined;
  readonly #kinds = new Map<string, AgentKind>();

  constructor(
    config: Config,
    env: Env,
    adapterOf: AdapterOf,
    channels: AgentChannels,
    uploaded?: Pick<UploadedTapes, 'of'>,
  ) {
    this.#uploaded = uploaded;
    this.#config = config;
    this.#env = env;
    this.#adapterOf = adapterOf;
    this.#channels = channels;
  }

  /**
   * The agent of that name, or the default agent; for a principal without the default agent, the first of its agents.
   * Throws `not-found`, also for an agent that the principal may not use.
   */
  named(name: string | undefined, principal: Principal): [string, AgentConfig] {
    const { agents, defaultAgent = 'demo' } = this.#config;
    const [fallback = ''] = principal.agents ?? [];
    const chosen = name ?? (mayUse(principal, defaultAgent) ? defaultAgent : fallback);
    const isKnown = Object.hasOwn(agents, chosen) && mayUse(principal, chosen);
    const agent = isKnown ? agents[chosen] : principal.agents === null ? this.#uploaded?.of(chosen)?.config : undefined;
    if (agent === undefined)
      throw new GatewayError('not-found', `no agent named ${JSON.stringify(chosen.slice(0, 64))}`);
    return [chosen, agent];
  }

  /** Connects a fresh agent. Throws `invalid` or `unsupported` for a configuration that cannot be an agent. */
  connect(name: string, configured: AgentConfig, options: AgentConnectOptions): AgentConnection {
    const { cwd, folders, instructions, toolServers, resume: wanted } = options;
    const adapter = this.#adapterOf(configured.protocol);
    if (adapter.agent === undefined) throw new GatewayError('invalid', `${configured.protocol} has no agent side`);
    const resume = this.resumes(configured) ? wanted : undefined;
    const agent = launched(configured, adapter, { instructions, resume });
    const { multiplexing } = adapter.agent;
    const session = randomUUID();
    // A remote agent with many sessions works in directories of its own machine.
    const isElsewhere = multiplexing !== undefined && agent.url !== undefined;
    const places = isElsewhere ? (agent.cwd === undefined ? [] : [agent.cwd]) : folders;
    const backend = adapter.agent.backend(this.#env, agent.options ?? {}, places, session, resume, toolServers);
    const target = { name, agent, adapter, cwd };
    const isResumed = resume !== undefined;
    // A library asks somebody else, and has limits of its own. A tape has the pauses that it has.
    const startMs = agent.command === undefined && agent.url === undefined ? null : this.#config.limits.startMs;
    const channel =
      multiplexing === undefined
        ? this.#channels.open(target)
        : this.#channels.multiplexer(target, multiplexing).join(session);
    return { backend, channel, isResumed, startMs };
  }

  /** Whether the agent can go on with a conversation of its own. */
  resumes({ protocol, command }: AgentConfig): boolean {
    const resumes = this.#adapterOf(protocol).agent?.resumes;
    return resumes !== undefined && (resumes.launch === undefined || command !== undefined);
  }

  /** Why a client may not name that conversation of the agent; undefined if the agent keeps none. */
  resumptionFault(agent: AgentConfig, name: string): string | null | undefined {
    return this.resumes(agent) ? this.#adapterOf(agent.protocol).agent?.resumes?.fault(name) : undefined;
  }

  /** Whether the agent keeps no sessions itself and accepts a restored history. */
  acceptsHistory(name: string): boolean {
    const [, { protocol, options = {} }] = this.named(name, owner);
    const { agent } = this.#adapterOf(protocol);
    try {
      return agent?.stored === undefined && agent?.backend(this.#env, options).restoreHistory !== undefined;
    } catch {
      // Bad options: connecting the agent reports them.
      return false;
    }
  }

  /** Facts about the agent that are known before it is started. */
  kindOf(name: string): AgentKind {
    const known = this.#kinds.get(name);
    if (known !== undefined) return known;
    const [, { protocol }] = this.named(name, owner);
    const { commands } = this.#adapterOf(protocol).can;
    const all = this.acceptsHistory(name) ? [...commands, ...forkCommands] : commands;
    const kind = { protocol, commands: new Set(all) };
    this.#kinds.set(name, kind);
    return kind;
  }

  /** Whether the agent may have a word for the deletion of a conversation. An agent that is not configured has none. */
  canDelete(name: string): boolean {
    try {
      return this.kindOf(name).commands.has('delete-session');
    } catch {
      return false;
    }
  }

  /** Whether the agent can be started with instructions: the gateway starts it, and for one session only. */
  takesInstructions({ protocol, url }: AgentConfig): boolean {
    const { agent } = this.#adapterOf(protocol);
    return agent?.withInstructions !== undefined && agent.multiplexing === undefined && url === undefined;
  }

  /** Whether the agent takes tool servers of a client: the gateway starts it. Their secrets stay on this machine. */
  takesToolServers({ protocol, url }: AgentConfig): boolean {
    return this.#adapterOf(protocol).agent?.takesToolServers === true && url === undefined;
  }

  /** The agents that the principal may use, as lists show them: never a command, directory or environment (docs/threats.md T8). */
  summaries(principal: Principal): AgentSummary[] {
    const agents = Object.entries(this.#config.agents).filter(([name]) => mayUse(principal, name));
    return agents.map(([name, { protocol, title }]) => ({
      name,
      protocol,
      title: title ?? this.#adapterOf(protocol).title,
    }));
  }
}

/** The agent with what is added to its launch. */
function launched(
  agent: AgentConfig,
  { agent: side }: Adapter,
  { instructions, resume }: Pick<AgentConnectOptions, 'instructions' | 'resume'>,
): AgentConfig {
  const { command, options = {} } = agent;
  let launch: AgentLaunch = { argv: [], options };
  if (instructions !== undefined) launch = side?.withInstructions?.(launch, instructions) ?? launch;
  if (resume !== undefined) launch = side?.resumes?.launch?.(launch, resume.name) ?? launch;
  if (launch.argv.length === 0 && launch.options === options) return agent;
  // The added arguments go last, because programs give the last one precedence.
  return { ...agent, options: { ...launch.options }, ...(command && { command: [...command, ...launch.argv] }) };
}
