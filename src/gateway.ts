// The composition root: with agents.ts, sessions.ts and switchboard.ts the one place that knows adapters, transports and
// core at once.
import { randomUUID } from 'node:crypto';
import { adapters } from './adapters/index.ts';
import { adapterOf, createAgents } from './agents.ts';
import type { Config } from './config.ts';
import type { Env, FrontendSide, Options } from './core/adapter.ts';
import type { Channel, Out } from './core/channel.ts';
import { type ClientLink, type ClientListener, linkClient } from './core/client-link.ts';
import type { Clock } from './core/clock.ts';
import type { Command } from './core/command.ts';
import { GatewayError, type Outcome } from './core/errors.ts';
import type { HubEntry } from './core/hub.ts';
import { type Figures, metricsText } from './core/metrics.ts';
import { linkPosts, type PostLink } from './core/post-link.ts';
import type { Reader } from './core/reader.ts';
import type { Session } from './core/session.ts';
import type { Stream } from './core/stream.ts';
import type { Log } from './log.ts';
import { createSessions } from './sessions.ts';
import { createDesks, type Desk } from './desks.ts';
import { createSwitchboard, type Switchboard } from './switchboard.ts';
import { bytesOf, createFrame } from './transports/framing/frame.ts';
import type { Board, ClientRequest, PostedFrame, PostResult, SessionSummary } from './transports/http/board.ts';

/** What a session is told before its client says anything. */
export interface Opening {
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
  readonly board: Board;
  /**
   * Serves one client on a channel of its own, with a session of its own. The returned promise resolves when the
   * client has gone and the session is closed. `id`: of that session. Throws `invalid` for an unknown frontend or agent.
   */
  serveClient(channel: Channel, request: ServeRequest, opening?: Opening): Promise<void>;
  /**
   * Takes nothing new and lets runs end for at most `graceMs`, or as long as clients have been told that they may
   * ({@link Gateway.drainMs}); then {@link Gateway.close}.
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

/** Only one principal exists: whoever holds the token, or owns the process on stdio. */
const owner = 'owner';

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
  /** One per SSE stream: those who post to it and those who read it share it. */
  const posting = new WeakMap<Stream, PostLink>();
  /** Connections that carry many sessions, and do not end with any. */
  const carriers = new Set<ClientLink>();
  const agents = createAgents(config, env);
  const timeOrigin = Math.round(Date.now() - clock.now());
  const desks = createDesks(clock, timeOrigin, (id) => agentOf(id));
  let isClosed = false;
  /** What leaves the news with a session: those who hear of it by a stream. */
  const leavers = new Map<string, (() => void)[]>();
  const sessions = createSessions(config, agents, {
    clock,
    log,
    timeOrigin,
    tell(news) {
      // Who hears that all is over need not hear it of each session.
      if (!isClosed) desks.tell(news);
      if (news.news !== 'session-closed') return;
      for (const leave of leavers.get(news.session) ?? []) leave();
      leavers.delete(news.session);
    },
  });
  const { hub, sinkOf } = sessions;
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
      if (sideOf(id, {}).limits === undefined) throw new GatewayError('invalid', `frontends.${id}: it has no settings`);
    }
  }

  function deskOf({ frontend }: Pick<ClientRequest, 'frontend'>, { limits }: FrontendSide): Desk | undefined {
    return limits === undefined ? undefined : desks.of(frontend, limits);
  }

  function entryFor(request: Pick<ClientRequest, 'session' | 'agent'>): HubEntry {
    return request.session === undefined ? sessions.open(request, false) : sessions.find(request.session);
  }

  function sideOf(frontend: string, options: Options): FrontendSide {
    const side = adapterOf(frontend).frontend?.(env, options, config.frontends[frontend]);
    if (side === undefined) throw new GatewayError('not-found', `${frontend} has no client side`);
    return side;
  }

  /** The shared stream of a dialect, and for SSE also the connection behind all posts to it. */
  function streamFor(session: Session, request: ClientRequest): { stream: Stream; side: FrontendSide } {
    const side = sideOf(request.frontend, request.options);
    const stream = session.stream(`${request.frontend} ${side.key} sse`, side.projection);
    return { stream, side };
  }

  function postLink(request: ClientRequest & { session: string }): PostLink {
    const { session } = sessions.find(request.session);
    const { stream, side } = streamFor(session, request);
    const known = posting.get(stream);
    if (known !== undefined) return known;
    const desk = deskOf(request, side);
    const link = linkPosts(side.connection(session), stream, clock, sinkFor(session, request, side, false));
    posting.set(stream, link);
    if (desk !== undefined) {
      leavers.set(session.id, [...(leavers.get(session.id) ?? []), desk.join(link.hear)]);
    }
    return link;
  }

  /** Commands with tickets may be about any session, also where a connection hears but one. */
  function sinkFor(bound: Session, request: Omit<ClientRequest, 'principal'>, side: FrontendSide, isOurs: boolean) {
    const desk = deskOf(request, side);
    if (desk === undefined) return sinkOf(bound, isOurs);
    return createSwitchboard({ ...request, sessions, side, desk, bound, isOurs, hold: desks.hold });
  }

  function post(request: ClientRequest & { session: string }, frames: readonly PostedFrame[]): PostResult {
    const link = postLink(request);
    const refusals = frames.flatMap(({ bytes, id }) => link.frame(createFrame(bytes), id).map(textOf));
    return refusals.length === 0 ? { ok: true } : { ok: false, frames: refusals };
  }

  /** A client that owns the process also holds its agent back when it cannot keep up. */
  function attach(channel: Channel, request: ClientRequest, isOurs: boolean, listener: ClientListener) {
    const { session } = entryFor(request);
    const side = sideOf(request.frontend, request.options);
    const stream = session.stream(`${request.frontend} ${side.key}`, side.projection);
    const reader = stream.attach(null, isOurs);
    const sink = sinkFor(session, request, side, isOurs);
    linkHearing(deskOf(request, side), listener, (heard) =>
      linkClient(channel, side.connection(session), reader, clock, sink, heard),
    );
  }

  /** From the first to the last of a client it hears the news of its desk. */
  function linkHearing(
    desk: Desk | undefined,
    listener: ClientListener,
    make: (listener: ClientListener) => ClientLink,
  ): ClientLink {
    let leave = () => {};
    let isGone = false;
    const link = make({
      ...listener,
      end() {
        isGone = true;
        leave();
        listener.end();
      },
    });
    if (desk !== undefined && !isGone) leave = desk.join(link.hear);
    return link;
  }

  /** A client that opens its sessions itself, and those that it opens. On the network they outlive it. */
  function attachMany(channel: Channel, request: Omit<ClientRequest, 'principal'>, side: FrontendSide): void {
    if (sessions.isShut) throw new GatewayError('shutting-down', 'the gateway is shutting down');
    const desk = deskOf(request, side);
    const switchboard = createSwitchboard({ ...request, sessions, side, desk, isOurs: false, hold: desks.hold });
    linkMany(channel, side, { switchboard, desk }, { end: () => {} });
  }

  /** No end of a session ends it. */
  function linkMany(
    channel: Channel,
    side: FrontendSide,
    { switchboard, desk }: { readonly switchboard: Switchboard; readonly desk: Desk | undefined },
    listener: ClientListener,
  ): void {
    const ending: ClientListener = {
      ...listener,
      end() {
        carriers.delete(link);
        switchboard.end();
        listener.end();
      },
    };
    const link = linkHearing(desk, ending, (heard) =>
      linkClient(channel, side.connection(), null, clock, switchboard, heard),
    );
    carriers.add(link);
  }

  /** The same for a client that owns the process: they end with it. */
  function serveMany(channel: Channel, request: ServeRequest, side: FrontendSide, opening?: Opening): Promise<void> {
    return new Promise((resolve) => {
      const desk = deskOf(request, side);
      const switchboard = createSwitchboard({
        ...request,
        sessions,
        side,
        desk,
        isOurs: true,
        hold: desks.hold,
        lost: opening?.lost,
        opened: (session) => begin(session, opening),
      });
      if (opening?.isUnattended === true) switchboard.unattend();
      linkMany(
        channel,
        side,
        { switchboard, desk },
        {
          end: resolve,
          half() {
            switchboard.unattend();
            const stop = opening?.stopsWithInput === true ? switchboard.abort : () => {};
            // Now, for prompts that wait are not answered before; and again, for what has begun since.
            stop();
            return {
              reason: answered,
              whenIdle(callback) {
                stop();
                switchboard.whenIdle(callback);
              },
            };
          },
        },
      );
    });
  }

  function serveOne(channel: Channel, request: ServeRequest, opening?: Opening): Promise<void> {
    return new Promise((resolve) => {
      const { session } = sessions.open(request, true, opening?.lost);
      if (opening?.isUnattended === true) session.unattend();
      begin(session, opening);
      attach(channel, { ...request, session: session.id, principal: owner }, true, {
        end: () => {
          hub.remove(session.id, 'the client is gone');
          resolve();
        },
        // `echo '…' | patchbay stdio`: the answer is still wanted when the question has been asked.
        half() {
          session.unattend();
          return { reason: answered, whenIdle: (callback) => session.whenIdle(callback) };
        },
      });
    });
  }

  function frameLimit(frontend?: string): number | undefined {
    if (frontend !== undefined) return sideOf(frontend, {}).limits?.maxFrameBytes;
    const all = [...adapters.values()].map(({ id, frontend: own }) =>
      own === undefined ? undefined : sideOf(id, {}).limits?.maxFrameBytes,
    );
    return Math.max(...all.map((limit) => limit ?? 0));
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
    for (const link of carriers) link.leave('going-away', reason);
  }

  const board: Board = {
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
      if (side.carries === 'many' && request.session === undefined) attachMany(channel, request, side);
      else attach(channel, request, false, { end: () => {} });
    },
    stream(request, cursor) {
      const { session } = sessions.find(request.session);
      const { stream, side } = streamFor(session, request);
      // News come by what takes the posts.
      if (side.limits !== undefined) postLink(request);
      const reader = stream.attach(cursor);
      return side.greeting === undefined || cursor !== null ? reader : greeted(reader, side.greeting());
    },
    post,
    refuse: (request, fault) => postLink(request).fault(fault).map(textOf),
    metrics: () => metricsText(figures()),
    ready: () => !sessions.isShut,
  };

  return {
    board,
    async serveClient(channel, request, opening) {
      // First what may be refused: a session must not be left behind.
      const side = sideOf(request.frontend, request.options);
      agents.named(request.agent);
      await (side.carries === 'many' && request.id === undefined
        ? serveMany(channel, request, side, opening)
        : serveOne(channel, request, opening));
    },
    async drain(reason, graceMs) {
      sessions.shut();
      const grace = new Promise<void>((resolve) => clock.after(Math.max(graceMs, desks.drainMs), resolve));
      // What has been taken in is carried out, prompts that wait as well.
      await Promise.race([desks.drain(), grace]);
      const open = hub.list().map((entry) => entry.session);
      for (const session of open) session.retire(reason);
      const idle = open.map((session) => new Promise<void>((resolve) => session.whenIdle(resolve)));
      const rest = new Promise<void>((resolve) => clock.after(graceMs, resolve));
      await Promise.race([Promise.all(idle), rest, grace]);
      close(reason);
    },
    get drainMs() {
      return desks.drainMs;
    },
    close,
  };
}

/** What a session is told before its client says anything. */
function begin(session: Session, opening: Opening | undefined): void {
  for (const command of opening?.commands ?? []) {
    session.submit(command, (outcome) => opening?.settled(command, outcome));
  }
}

/** The stream of a client that is greeted first. */
function greeted(reader: Reader, greeting: readonly Out[]): Reader {
  let waiting = greeting;
  return {
    read(maxBytes, until) {
      if (waiting.length === 0) return reader.read(maxBytes, until);
      const frames = waiting.map((out) => ({ kind: 'frame' as const, out, cursor: null, number: null, at: null }));
      waiting = [];
      return frames;
    },
    mark: () => reader.mark(),
    set onReadable(callback: () => void) {
      reader.onReadable = callback;
    },
    get onReadable() {
      return reader.onReadable;
    },
    close: () => reader.close(),
  };
}

function textOf(out: Out): string {
  return bytesOf(out).toString();
}

function sessionSummary({ session, agent, createdAt }: HubEntry): SessionSummary {
  return { id: session.id, agent, state: session.state, createdAt, clients: session.readers };
}
