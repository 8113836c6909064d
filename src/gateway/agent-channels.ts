// Opens channels to agents: starts a program, connects to an address, or calls a library.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AgentConfig } from '../config/agent-config.ts';
import type { Config } from '../config/config.ts';
import type { Adapter, Multiplexing } from '../core/contract/adapter/adapter.ts';
import type { Channel } from '../core/contract/channel.ts';
import type { PacedWork } from '../core/contract/paced-work.ts';
import { GatewayError } from '../core/model/errors.ts';
import { parseFault } from '../faults/grammar.ts';
import type { LoadedTape } from '../tape/loaded.ts';
import type { ProcessRegister } from '../transports/child/child-process.ts';
import { programChannel } from '../transports/child/program-channel.ts';
import { createFrame } from '../transports/framing/frame.ts';
import { streamFraming } from '../transports/framing/framings.ts';
import { nullChannel } from '../transports/memory.ts';
import { createMultiplexer, type MultiplexedConnection } from '../transports/multiplexer.ts';
import type { ChannelFaults } from './faults/faulty-channel.ts';
import type { UploadedTapes } from './inspector/uploaded-tapes.ts';
import type { Meter } from './metering/meter.ts';
import type { RemoteTransports } from './remote-transports.ts';
import type { TapeFolder } from './tapes/tape-folder.ts';
import { tapeIn } from './tapes/tape-input.ts';
import type { TapePlay, TapePlayer } from './tapes/tape-player.ts';

/** The agent that a channel leads to. */
export interface AgentTarget {
  readonly name: string;
  readonly agent: AgentConfig;
  readonly adapter: Adapter;
  /** Working directory. Default: as configured. */
  readonly cwd: string | undefined;
}

/** The channels to all agents. */
export class AgentChannels {
  readonly #maxFrameBytes: number;
  readonly #remote: RemoteTransports | null;
  readonly #player: TapePlayer | null;
  readonly #work: Pick<PacedWork, 'queue'>;
  readonly #meter: Meter;
  /** Tokens for remote agents, removed from the environment of every program (docs/threats.md T7). */
  readonly #hiddenVariables: Readonly<Record<string, undefined>>;
  readonly #failed: (thrown: unknown) => void;
  readonly #tapes: TapeFolder | null;
  readonly #register: ProcessRegister | undefined;
  readonly #uploaded: Pick<UploadedTapes, 'of'> | undefined;
  /** How often each tape with faults was opened: chance depends on it. */
  readonly #played = new Map<string, number>();
  /** Open connections that carry many sessions. */
  readonly #multiplexers = new Map<string, MultiplexedConnection>();

  /**
   * `failed` counts faults of connections that carry many sessions. `tapes`
   * records all channels; default nobody. `register` hears of each program.
   * `uploaded`: agents that are tapes which a page has brought; default none.
   */
  constructor(
    { agents, limits }: Pick<Config, 'agents' | 'limits'>,
    { remote, player }: { readonly remote: RemoteTransports | null; readonly player: TapePlayer | null },
    work: Pick<PacedWork, 'queue'>,
    meter: Meter,
    failed: (thrown: unknown) => void,
    tapes: TapeFolder | null = null,
    register?: ProcessRegister,
    uploaded?: Pick<UploadedTapes, 'of'>,
  ) {
    this.#uploaded = uploaded;
    this.#tapes = tapes;
    this.#failed = failed;
    this.#register = register;
    this.#meter = meter;
    this.#maxFrameBytes = limits.agentFrameBytes;
    this.#remote = remote;
    this.#player = player;
    this.#work = work;
    this.#hiddenVariables = Object.fromEntries(
      Object.values(agents).flatMap(({ tokenVariable }) =>
        tokenVariable === undefined ? [] : [[tokenVariable, undefined]],
      ),
    );
  }

  /** Opens a channel for one session alone. Throws `invalid` for a configuration that leads nowhere. */
  open(target: AgentTarget): Channel {
    const channel = this.#openUnrecorded(target);
    const { name, agent, adapter, cwd = agent.cwd } = target;
    if (this.#tapes === null || (agent.command === undefined && agent.url === undefined)) return channel;
    const framing = agent.command === undefined ? 'text' : adapter.framing.stdio;
    const frame = framing === 'jsonl' ? undefined : framing === 'content-length' ? framing : 'text';
    return this.#tapes.record(channel, { name, protocol: agent.protocol, argv: agent.command, cwd, frame });
  }

  #openUnrecorded(target: AgentTarget): Channel {
    const { name, agent } = target;
    const brought = this.#uploaded?.of(name);
    if (brought !== undefined) return this.#play(name, brought.tape, { ...this.#playOf(target), isAlone: true });
    if (agent.file !== undefined) return this.#openTape(target, agent.file);
    if (agent.url !== undefined) return this.#openRemote(target, agent.url);
    if (agent.command !== undefined) return this.#openProgram(target, agent.command);
    return this.#openLibrary(target);
  }

  /**
   * The connection that all sessions of the agent share. A program works in one directory, so there is one connection
   * for each working directory.
   */
  multiplexer(target: AgentTarget, { route, seemsFor }: Multiplexing): MultiplexedConnection {
    const { name, agent, cwd } = target;
    const key = JSON.stringify([name, agent.command === undefined ? undefined : (cwd ?? agent.cwd)]);
    const known = this.#multiplexers.get(key);
    if (known !== undefined) return known;
    const over = () => void this.#multiplexers.delete(key);
    const channel = this.open(target);
    const multiplexer = createMultiplexer({
      label: `agent ${name}`,
      channel,
      route,
      seemsFor,
      over,
      work: this.#work.queue(),
      failed: this.#failed,
    });
    this.#multiplexers.set(key, multiplexer);
    return multiplexer;
  }

  #openTape(target: AgentTarget, file: string): Channel {
    const { name, agent } = target;
    return this.#play(name, tapeIn(file, { protocol: agent.protocol }), this.#playOf(target));
  }

  #playOf(target: AgentTarget): TapePlay {
    const { speed = 1 } = target.agent;
    return { speed: speed === 'max' ? Number.POSITIVE_INFINITY : speed, faults: this.#faultsOf(target) };
  }

  #faultsOf({ name, agent, adapter }: AgentTarget): ChannelFaults | undefined {
    const rules = (agent.faults ?? []).map(parseFault);
    if (rules.length === 0) return undefined;
    const connection = this.#played.get(name) ?? 0;
    this.#played.set(name, connection + 1);
    return {
      ...{ rules, connection, seed: agent.seed ?? 0 },
      ...{ framing: streamFraming(adapter.framing.stdio), maxFrameBytes: this.#maxFrameBytes },
    };
  }

  #play(name: string, tape: LoadedTape, play: TapePlay): Channel {
    if (this.#player === null) throw new Error('the player of tapes is not loaded');
    return this.#player(`agent ${name}`, tape, play);
  }

  #openRemote({ name, agent, adapter }: AgentTarget, url: string): Channel {
    const maxFrameBytes = this.#maxFrameBytes;
    const token = tokenOf(name, agent);
    const { sendUrl } = agent;
    const traffic = this.#meter.ofAgents(agent.protocol);
    if (this.#remote === null) throw new Error('the transports for remote agents are not loaded');
    if (sendUrl === undefined) {
      return this.#remote.connectWebSocket(url, { token, maxFrameBytes, framing: adapter.framing.websocket, traffic });
    }
    const envelope = adapter.envelope?.(agent.options ?? {});
    const label = `agent ${name}`;
    return this.#remote.connectEventSource({ streamUrl: url, sendUrl, token, maxFrameBytes, envelope, label, traffic });
  }

  #openProgram({ name, agent, adapter, cwd = agent.cwd }: AgentTarget, command: readonly [string, ...string[]]) {
    checkGate(name, command, cwd);
    return programChannel({
      command,
      cwd,
      env: { ...agent.env, ...this.#hiddenVariables },
      label: `agent ${name}`,
      framing: streamFraming(adapter.framing.stdio),
      maxFrameBytes: this.#maxFrameBytes,
      traffic: this.#meter.ofAgents(agent.protocol),
      register: this.#register,
    });
  }

  #openLibrary({ name, agent, adapter }: AgentTarget): Channel {
    const ports = { frameOf: createFrame, maxFrameBytes: this.#maxFrameBytes };
    const channel = adapter.agent?.connect?.(agent.options ?? {}, ports);
    if (channel !== undefined) return channel;
    if (adapter.agent?.isBuiltIn === true) return nullChannel(`agent ${name}`);
    throw new GatewayError('invalid', `agent ${name} needs a command or a url`);
  }
}

/** The extension of ours that asks before tools run. */
const gate = /(?:^|[\\/])pi-approvals\.js$/u;

/** An agent that cannot find the extension starts without asking for approvals. Refuses a missing file instead. */
function checkGate(name: string, command: readonly string[], cwd = process.cwd()): void {
  const missing = command.find((word) => gate.test(word) && !existsSync(path.resolve(cwd, word)));
  if (missing === undefined) return;
  throw new GatewayError(
    'invalid',
    `agent ${name}: there is no ${missing}, and without it the agent would not ask before it runs tools`,
  );
}

/** Without its token a remote agent would refuse the connection for a reason that no user sees. */
function tokenOf(name: string, { tokenVariable }: AgentConfig): string | undefined {
  if (tokenVariable === undefined) return undefined;
  const token = process.env[tokenVariable];
  if (token !== undefined && token !== '') return token;
  throw new GatewayError(
    'invalid',
    `agent ${name}: the environment variable ${tokenVariable} (its tokenVariable) is not set`,
  );
}
