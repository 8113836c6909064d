// The composition root: with agents.ts the one place that knows adapters, transports and core at once.
import { randomBytes, randomUUID } from 'node:crypto';
import { adapterOf, createAgents, passable } from './agents.ts';
import { type Config, insideRoots } from './config.ts';
import type { Env, FrontendSide, NoteLevel, Options } from './core/adapter.ts';
import type { Channel, Out } from './core/channel.ts';
import { type ClientListener, linkClient } from './core/client-link.ts';
import type { Clock } from './core/clock.ts';
import type { Command } from './core/command.ts';
import { GatewayError, messageOf, type Outcome, refused } from './core/errors.ts';
import { createHub, type HubEntry } from './core/hub.ts';
import { type Figures, metricsText } from './core/metrics.ts';
import { linkPosts, type PostLink } from './core/post-link.ts';
import { createSession, type Session } from './core/session.ts';
import { defaultSessionLimits } from './core/session-ports.ts';
import type { Stream } from './core/stream.ts';
import { withSuggested } from './core/suggested.ts';
import type { Log } from './log.ts';
import { createExportPlaces } from './stores/export.ts';
import { withPathsInside } from './stores/stored-sessions.ts';
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
}

/** A running gateway. */
export interface Gateway {
  /** The gateway, as the HTTP routes see it. */
  readonly board: Board;
  /**
   * Serves one client on a channel of its own, with a session of its own. The returned promise resolves when the
   * client has gone and the session is closed. `id`: of that session. Throws `invalid` for an unknown frontend or agent.
   */
  serveClient(
    channel: Channel,
    request: Pick<ClientRequest, 'frontend' | 'agent' | 'options'> & { readonly id?: string },
    opening?: Opening,
  ): Promise<void>;
  /** Takes nothing new and lets runs end for at most `graceMs`; then {@link Gateway.close}. */
  drain(reason: string, graceMs: number): Promise<void>;
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
  const timeOrigin = Math.round(Date.now() - clock.now());
  const env: Env = { now: clock.now, id: () => randomUUID() };
  const hub = createHub({ sessions: config.limits.sessions });
  const counts = new Map<NoteLevel, number>();
  /** One per SSE stream: those who post to it and those who read it share it. */
  const posting = new WeakMap<Stream, PostLink>();
  const idleSince = new WeakMap<Session, number>();
  const sweeper = setInterval(sweep, Math.min(60_000, config.limits.idleSessionMs));
  sweeper.unref();
  const exportsOf = createExportPlaces(config.exportDirectory);
  const agents = createAgents(config, env);
  let closing = false;

  function note(session: string, level: NoteLevel, text: string): void {
    counts.set(level, (counts.get(level) ?? 0) + 1);
    log(level === 'violation' ? 'warn' : 'debug', text, { session, level });
  }

  function openSession(
    request: { agent?: string; id?: string; cwd?: string },
    isOurs: boolean,
    lost?: Opening['lost'],
  ): HubEntry {
    if (closing) throw new GatewayError('shutting-down', 'the gateway is shutting down');
    const [name, agent] = agents.named(request.agent);
    const cwd = request.cwd === undefined ? undefined : insideRoots(request.cwd, config.roots);
    const place = cwd ?? agent.cwd ?? process.cwd();
    const id = request.id ?? randomUUID();
    return hub.add(id, () => ({
      session: createSession({
        id,
        epoch: randomBytes(6).toString('hex'),
        timeOrigin,
        clock,
        limits: {
          ...defaultSessionLimits,
          questionMs: config.limits.questionMs,
          abortMs: config.limits.abortMs,
          silenceMs: config.limits.silenceMs,
        },
        connect: () => agents.connect(name, agent, cwd),
        exports: exportsOf({ session: id, cwd: place, isOurs }),
        // A client on the network does not learn where we are (threat T8).
        info: isOurs ? { cwd: place } : undefined,
        note: (level, text) => note(id, level, text),
        lost: lost ?? ((sentence) => log('error', 'the agent is gone', { session: id, agent: name, reason: sentence })),
      }),
      agent: name,
      createdAt: new Date().toISOString(),
      principal: owner,
    }));
  }

  function entryFor(request: Pick<ClientRequest, 'session' | 'agent'>): HubEntry {
    return request.session === undefined ? openSession(request, false) : hub.get(request.session, owner);
  }

  function sideOf(frontend: string, options: Options): FrontendSide {
    const side = adapterOf(frontend).frontend?.(env, options);
    if (side === undefined) throw new GatewayError('not-found', `${frontend} has no client side`);
    return side;
  }

  /** A client that owns the process could do anything itself; others name only what the configuration allows. */
  function sinkOf(session: Session, isOurs: boolean) {
    const dropped = () => note(session.id, 'loss', 'answer-approval: a permission that was not suggested is not kept');
    const admit = (command: Command) =>
      withPathsInside(withSuggested(passable(command), session.transcript, dropped), config.roots);
    return {
      submit(command: Command, settle: (outcome: Outcome) => void) {
        let admitted: Command;
        try {
          admitted = isOurs ? command : admit(command);
        } catch (thrown) {
          return settle(refused(thrown instanceof GatewayError ? thrown.code : 'internal', messageOf(thrown)));
        }
        session.submit(admitted, settle);
      },
      note: (level: NoteLevel, text: string) => note(session.id, level, text),
    };
  }

  /** The shared stream of a dialect, and for SSE also the connection behind all posts to it. */
  function streamFor(session: Session, request: ClientRequest): { stream: Stream; side: FrontendSide } {
    const side = sideOf(request.frontend, request.options);
    const stream = session.stream(`${request.frontend} ${side.key} sse`, side.projection);
    return { stream, side };
  }

  function postLink(request: ClientRequest & { session: string }): PostLink {
    const { session } = hub.get(request.session, owner);
    const { stream, side } = streamFor(session, request);
    const link = posting.get(stream) ?? linkPosts(side.connection(session), stream, clock, sinkOf(session, false));
    posting.set(stream, link);
    return link;
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
    linkClient(channel, side.connection(session), reader, clock, sinkOf(session, isOurs), listener);
  }

  function sweep(): void {
    const now = clock.now();
    for (const { session } of hub.list()) {
      if (session.readers > 0 || session.state === 'running') {
        idleSince.delete(session);
        continue;
      }
      const since = idleSince.get(session) ?? now;
      idleSince.set(session, since);
      if (now - since >= config.limits.idleSessionMs) hub.remove(session.id, 'the session was idle for too long');
    }
  }

  function figures(): Figures {
    const sessions = hub.list().map((entry) => entry.session);
    return {
      sessions: sessions.length,
      runs: sessions.filter((session) => session.state === 'running').length,
      clients: sessions.reduce((sum, session) => sum + session.readers, 0),
      notes: counts,
    };
  }

  function close(reason: string): void {
    closing = true;
    clearInterval(sweeper);
    hub.closeAll(reason);
  }

  const board: Board = {
    agents: agents.summaries,
    sessions: () => hub.list().map(sessionSummary),
    session: (id) => sessionSummary(hub.get(id, owner)),
    createSession: (request) => sessionSummary(openSession(request, false)),
    closeSession(id) {
      hub.get(id, owner);
      hub.remove(id, 'the session was deleted');
    },
    check(request) {
      sideOf(request.frontend, request.options);
      if (request.session === undefined) agents.named(request.agent);
      else hub.get(request.session, owner);
      return adapterOf(request.frontend).framing.websocket;
    },
    envelope: (request) => adapterOf(request.frontend).envelope?.(request.options),
    connect: (channel, request) => attach(channel, request, false, { end: () => {} }),
    stream(request, cursor) {
      const { session } = hub.get(request.session, owner);
      return streamFor(session, request).stream.attach(cursor);
    },
    post,
    refuse: (request, fault) => postLink(request).fault(fault).map(textOf),
    metrics: () => metricsText(figures()),
    ready: () => !closing,
  };

  return {
    board,
    serveClient: (channel, request, opening) =>
      new Promise((resolve) => {
        // First what may be refused: a session must not be left behind.
        sideOf(request.frontend, request.options);
        const { session } = openSession(request, true, opening?.lost);
        if (opening?.isUnattended === true) session.unattend();
        for (const command of opening?.commands ?? []) {
          session.submit(command, (outcome) => opening?.settled(command, outcome));
        }
        attach(channel, { ...request, session: session.id, principal: owner }, true, {
          end: () => {
            hub.remove(session.id, 'the client is gone');
            resolve();
          },
          // `echo '…' | patchbay stdio`: the answer is still wanted when the question has been asked.
          half(finish) {
            session.unattend();
            session.whenIdle(() => finish('everything has been answered'));
          },
        });
      }),
    async drain(reason, graceMs) {
      closing = true;
      const sessions = hub.list().map((entry) => entry.session);
      for (const session of sessions) session.retire(reason);
      const idle = sessions.map((session) => new Promise<void>((resolve) => session.whenIdle(resolve)));
      const grace = new Promise<void>((resolve) => clock.after(graceMs, resolve));
      await Promise.race([Promise.all(idle), grace]);
      close(reason);
    },
    close,
  };
}

function textOf(out: Out): string {
  return bytesOf(out).toString();
}

function sessionSummary({ session, agent, createdAt }: HubEntry): SessionSummary {
  return { id: session.id, agent, state: session.state, createdAt, clients: session.readers };
}
