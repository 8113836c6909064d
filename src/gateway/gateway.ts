// The composition root: with its neighbours in this folder the one place that knows adapters, transports and
// core at once.
import { randomUUID } from 'node:crypto';
import { adapters } from '../adapters/index.ts';
import { adapterOf, createAgents } from './agents.ts';
import type { Config } from '../config/config.ts';
import { createConnections } from './connections.ts';
import type { Env } from '../core/contract/adapter.ts';
import type { Channel, Out } from '../core/contract/channel.ts';
import type { Clock } from '../core/contract/clock.ts';
import type { Command } from '../core/model/command.ts';
import { GatewayError, type Outcome } from '../core/model/errors.ts';
import type { HubEntry } from '../core/session/hub.ts';
import { type Figures, metricsText } from '../core/metrics/metrics.ts';
import type { Session } from '../core/session/session.ts';
import { createCommandIntakes } from './command-intake.ts';
import type { Log } from './log.ts';
import { createSessions } from './sessions.ts';
import { bytesOf, createFrame } from '../transports/framing/frame.ts';
import type { GatewayApi, ClientRequest, OpenSession } from '../core/contract/gateway-api.ts';

/** What a session is told before its client says anything. */
export interface StartOptions {
  readonly commands: readonly Command[];
  settled(command: Command, outcome: Outcome): void;
  /**
   * An agent is gone that nobody sent away, for the reason in that sentence; without this the log tells of it.
   * `wasSilent`: nothing was ever said in this session.
   */
  lost?(sentence: string, wasSilent: boolean): void;
  /** This client cannot be asked: the agent's questions are denied at once. */
  readonly isUnattended?: boolean;
  /** Who sends nothing more wants no answer either, as an editor that has ended: what runs is stopped. */
  readonly stopsWithInput?: boolean;
}

/** Who is to be served, and by which agent. `id`: of its session; a connection that could carry many has that one then. */
export type ServeRequest = Pick<ClientRequest, 'frontend' | 'agent' | 'options'> & { readonly id?: string };

/** A running gateway. */
export interface Gateway {
  /** The gateway, as the HTTP routes see it. */
  readonly board: GatewayApi;
  /**
   * Serves one client on a channel of its own, with a session of its own. The returned promise resolves when the
   * client has gone and the session is closed. `id`: of that session. Throws `invalid` for an unknown frontend or agent.
   */
  serveClient(channel: Channel, request: ServeRequest, opening?: StartOptions): Promise<void>;
  /**
   * Takes nothing new and lets runs end for at most `graceMs`; where clients have been told how long that is
   * ({@link Gateway.drainMs}), so long. Then {@link Gateway.close}.
   */
  drain(reason: string, graceMs: number): Promise<void>;
  /** How long clients that are here now are told that they may go on when the gateway is to stop, ms. */
  readonly drainMs: number;
  /** Ends every session and agent at once. */
  close(reason: string): void;
}

/** What the gateway needs from outside. */
export interface GatewayPorts {
  readonly log: Log;
  readonly clock?: Clock;
}

/** Why a client is let go that sends nothing more. */
const answered = 'everything has been answered';

/** Node fires longer timers at once, ms. */
const longestTimeout = 2 ** 31 - 1;

/** Monotonic time and real timers. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, callback) {
    let immediate: NodeJS.Immediate | undefined;
    // On a busy machine a timer and the bytes that it waits for are due together: what has arrived is heard first.
    const timer = setTimeout(
      () => {
        immediate = setImmediate(callback);
      },
      Math.min(ms, longestTimeout),
    );
    return () => {
      clearTimeout(timer);
      clearImmediate(immediate);
    };
  },
};

/** Builds a gateway from its configuration. */
export function createGateway(config: Config, ports: GatewayPorts): Gateway {
  const { log, clock = systemClock } = ports;
  const env: Env = { now: clock.now, id: () => randomUUID() };
  const agents = createAgents(config, env);
  const timeOrigin = Math.round(Date.now() - clock.now());
  const intakes = createCommandIntakes(clock, timeOrigin, (id) => agentOf(id));
  let isClosed = false;
  const sessions = createSessions(config, agents, {
    clock,
    log,
    timeOrigin,
    tell(broadcast) {
      // Who hears that all is over need not hear it of each session.
      if (!isClosed) intakes.broadcast(broadcast);
    },
    ended(session) {
      intakes.forget(session);
      clients.forget(session);
    },
  });
  const { hub } = sessions;
  const clients = createConnections({ config, env, clock, sessions, intakes });
  const { sideOf } = clients;
  checkSettings();

  function agentOf(id: string): string | undefined {
    try {
      return sessions.find(id).agent;
    } catch {
      return undefined;
    }
  }

  /** A setting that nobody reads is a mistake that nobody sees. */
  function checkSettings(): void {
    for (const id of Object.keys(config.frontends)) {
      sideOf(id, {});
      if (adapterOf(id).client?.hasSettings !== true)
        throw new GatewayError('invalid', `frontends.${id}: it has no settings`);
    }
  }

  /** A client that owns the process and opens its sessions itself: they end with it. */
  function serveMany(channel: Channel, request: ServeRequest, opening?: StartOptions): Promise<void> {
    return new Promise((resolve) => {
      const wishes = {
        isOurs: true,
        lost: opening?.lost,
        opened: (session: Session) => begin(session, opening),
      };
      clients.attachMany(channel, request, wishes, (router) => {
        if (opening?.isUnattended === true) router.setUnattended();
        return {
          end: resolve,
          half() {
            router.setUnattended();
            const stop = opening?.stopsWithInput === true ? router.abort : () => {};
            // Now, for prompts that wait are not answered before; and again, for what has begun since.
            stop();
            return {
              reason: answered,
              whenIdle(callback) {
                stop();
                router.whenIdle(callback);
              },
            };
          },
        };
      });
    });
  }

  function serveOne(channel: Channel, request: ServeRequest, opening?: StartOptions): Promise<void> {
    return new Promise((resolve) => {
      const { session } = sessions.open(request, true, opening?.lost);
      if (opening?.isUnattended === true) session.setUnattended();
      begin(session, opening);
      clients.attach(channel, { ...request, session: session.id }, true, {
        end: () => {
          hub.remove(session.id, 'the client is gone');
          resolve();
        },
        // `echo '…' | patchbay stdio`: the answer is still wanted when the question has been asked.
        half() {
          session.setUnattended();
          return { reason: answered, whenIdle: (callback) => session.whenIdle(callback) };
        },
      });
    });
  }

  /** Only those that have settings have a limit of their own: no side is made for all others. */
  function frameLimit(frontend?: string): number | undefined {
    const ids = frontend === undefined ? [...adapters.keys()] : [frontend];
    const limits = ids
      .filter((id) => adapterOf(id).client?.hasSettings === true)
      .map((id) => sideOf(id, {}).limits?.maxFrameBytes ?? 0);
    return limits.length === 0 ? undefined : Math.max(...limits);
  }

  function figures(): Figures {
    const open = hub.list().map((entry) => entry.session);
    return {
      sessions: open.length,
      runs: open.filter((session) => session.state === 'running').length,
      clients: open.reduce((sum, session) => sum + session.readers, 0),
      notes: sessions.notes,
    };
  }

  function close(reason: string): void {
    isClosed = true;
    sessions.shut();
    hub.closeAll(reason);
    clients.leaveAll(reason);
  }

  const board: GatewayApi = {
    agents: agents.summaries,
    sessions: () => hub.list().map(sessionSummary),
    session: (id) => sessionSummary(sessions.find(id)),
    createSession: (request) => sessionSummary(sessions.open(request, false)),
    closeSession(id) {
      hub.remove(sessions.find(id).session.id, 'the session was deleted');
    },
    check(request) {
      sideOf(request.frontend, request.options);
      if (request.session === undefined) agents.named(request.agent);
      else sessions.find(request.session);
      return adapterOf(request.frontend).framing.websocket;
    },
    maxFrameBytes: frameLimit,
    envelope: (request) => adapterOf(request.frontend).envelope?.(request.options),
    connect(channel, request) {
      const side = sideOf(request.frontend, request.options);
      const gone = { end: () => {} };
      if (side.isMultiplexed === true && request.session === undefined) {
        clients.attachMany(channel, request, { isOurs: false }, () => gone);
      } else {
        const session = request.session ?? sessions.open(request, false).session.id;
        clients.attach(channel, { ...request, session }, false, gone);
      }
    },
    stream: clients.stream,
    post(request, frames) {
      const link = clients.postLink(request);
      const refusals = frames.flatMap(({ bytes, id, digest }) =>
        link.frame(createFrame(bytes), id, digest).map(textOf),
      );
      return refusals.length === 0 ? { ok: true } : { ok: false, frames: refusals };
    },
    refuse: (request, fault) => clients.postLink(request).fault(fault).map(textOf),
    metrics: () => metricsText(figures()),
    ready: () => !sessions.isShut,
  };

  return {
    board,
    async serveClient(channel, request, opening) {
      // First what may be refused: a session must not be left behind.
      const side = sideOf(request.frontend, request.options);
      agents.named(request.agent);
      await (side.isMultiplexed === true && request.id === undefined
        ? serveMany(channel, request, opening)
        : serveOne(channel, request, opening));
    },
    async drain(reason, graceMs) {
      sessions.shut();
      const grace = new Promise<void>((resolve) =>
        clock.after(intakes.drainMs > 0 ? intakes.drainMs : graceMs, resolve),
      );
      // What has been taken in is carried out, prompts that wait as well.
      await Promise.race([intakes.drain(), grace]);
      const open = hub.list().map((entry) => entry.session);
      for (const session of open) session.retire(reason);
      const idle = open.map((session) => new Promise<void>((resolve) => session.whenIdle(resolve)));
      const rest = new Promise<void>((resolve) => clock.after(graceMs, resolve));
      await Promise.race([Promise.all(idle), rest, grace]);
      close(reason);
    },
    get drainMs() {
      return intakes.drainMs;
    },
    close,
  };
}

/** What a session is told before its client says anything. */
function begin(session: Session, opening: StartOptions | undefined): void {
  for (const command of opening?.commands ?? []) {
    session.submit(command, (outcome) => opening?.settled(command, outcome));
  }
}

function textOf(out: Out): string {
  return bytesOf(out).toString();
}

function sessionSummary({ session, agent, createdAt }: HubEntry): OpenSession {
  return { id: session.id, agent, state: session.state, createdAt, clients: session.readers };
}
