// The gateway as the HTTP routes see it.
import type { AdapterOf } from '../adapters/protocols.ts';
import type { Clock } from '../core/contract/clock.ts';
import type { Delivery } from '../core/contract/delivery.ts';
import type { ClientRequest, Elsewhere, GatewayApi, OpenSession } from '../core/contract/gateway/gateway-api.ts';
import type { ObstacleSource } from '../core/contract/gateway/obstacles.ts';
import type { PacedWork } from '../core/contract/paced-work.ts';
import { owner, type Principal } from '../core/contract/principal.ts';
import type { SessionStore } from '../core/contract/store/session-store.ts';
import type { CommandSink } from '../core/link/frontend-driver.ts';
import { type Figures, metricsText } from '../core/metrics/metrics.ts';
import { GatewayError, type Outcome, type Problem } from '../core/model/errors.ts';
import type { Hub } from '../core/session/hub.ts';
import type { Session } from '../core/session/session.ts';
import type { Agents } from './agents.ts';
import type { Connections } from './clients/connections.ts';
import { carryOut, type SettleWithAfter } from './commands/after-answer.ts';
import type { CommandIntakes } from './commands/command-intakes.ts';
import { createPosts, textOf } from './commands/posted-frames.ts';
import type { Frontends } from './frontends.ts';
import type { Meter } from './metering/meter.ts';
import { refusalFor } from './rights.ts';
import { SessionOpener } from './sessions/session-opener.ts';
import { sessionPage } from './sessions/session-pages.ts';
import { restSummaryOf } from './sessions/session-summary.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { SharedStreams } from './sessions/shared-streams.ts';
import type { StoredSessions } from './stored/stored-sessions.ts';

/** The parts of the gateway that HTTP reaches. */
export interface BoardPorts {
  readonly adapterOf: AdapterOf;
  readonly agents: Agents;
  readonly carriedOut: CommandIntakes['carriedOut'];
  readonly clock: Clock;
  readonly connections: Connections;
  readonly elsewhere: Elsewhere | undefined;
  /** The sink for the commands of one session. */
  sinkOf(session: Session, isOurs: boolean): Pick<CommandSink, 'submit'>;
  readonly frontends: Frontends;
  readonly hub: Hub;
  readonly meter: Meter;
  readonly obstacleSources: readonly ObstacleSource[];
  readonly sessions: Sessions;
  /** Where sessions are kept that are not open; null: nowhere. */
  readonly store: Pick<SessionStore, 'list'> | null;
  readonly stored: StoredSessions;
  readonly streams: SharedStreams;
  readonly work: Pick<PacedWork, 'queue'>;
  figures(): Figures;
}

/** The API over these parts. */
export function createBoard(ports: BoardPorts): GatewayApi {
  const { adapterOf, agents, frontends, hub, sessions, streams } = ports;
  const takePosted = createPosts(ports.work);
  return {
    agents: (principal) => agents.summaries(principal),
    sessions: (principal) => hub.list(principal).map(restSummaryOf),
    sessionPage: (request, principal) => sessionPage(request, principal, { hub, store: ports.store }),
    wake: (session, cursor) => sessions.wake(session, cursor),
    elsewhere(session, use) {
      if (hub.has(session) && !sessions.isFollowed(session)) return null;
      // Answers go where somebody hears them.
      const isHeard = () => sessions.isFollowed(session) && sessions.find(session, owner).session.readers > 0;
      if (sessions.follows && (use === 'read' || (use === 'say' && isHeard()))) return null;
      return ports.elsewhere?.(session, use) ?? null;
    },
    whenKept: (id, principal) => kept(sessions.find(id, principal).session),
    deliver: (session, items, settled) => deliver(session, items, settled, ports),
    session: (id, principal) => restSummaryOf(sessions.find(id, principal)),
    createSession: (request, principal) => restSummaryOf(sessions.open(request, { principal, isOurs: false })),
    resumeSession: (request, principal) => resumeSession(request, principal, ports),
    closeSession(id, principal) {
      const { session } = sessions.find(id, principal);
      return new Promise((resolve, reject) =>
        session.delete({ type: 'delete-session' }, (outcome, close) => {
          close();
          if (outcome.ok) resolve();
          else reject(new GatewayError(outcome.error.code, outcome.error.message));
        }),
      );
    },
    check(request) {
      const { frontend, options, principal, session, agent } = request;
      const side = frontends.sideOf(frontend, options);
      // A client that is let in during a shutdown would be sent away at once (docs/faults.md F22).
      if (sessions.isShut) throw new GatewayError('shutting-down', 'the gateway is shutting down');
      if (session !== undefined) sessions.find(session, principal);
      else if (principal.role === 'observer' && side.isMultiplexed !== true)
        throw new GatewayError('unauthorized', 'this token may only read: name a session');
      else if (principal.role !== 'observer') agents.named(agent, principal);
      return adapterOf(request.frontend).framing.websocket;
    },
    checkResumable({ frontend, options, principal, session, agent }) {
      const side = frontends.sideOf(frontend, options);
      if (sessions.isShut) throw new GatewayError('shutting-down', 'the gateway is shutting down');
      if (agent !== undefined) throw new GatewayError('invalid', 'a WebSocket that resumes starts no agent');
      if (session !== undefined) sessions.find(session, principal);
      return side.isMultiplexed === true;
    },
    maxFrameBytes: (frontend) => frontends.maxFrameBytes(frontend),
    connectionHeader: (frontend) => adapterOf(frontend).client?.connectionHeader,
    envelope: (request) => adapterOf(request.frontend).envelope?.(request.options),
    connect: (channel, request) => connect(channel, request, ports),
    stream: (request, cursor) => streams.read(request, cursor),
    post(request, frames) {
      const link = streams.postLink(request);
      const { session } = sessions.find(request.session, request.principal);
      const taken = takePosted(link, frames);
      // A client that was told of a post does not post it again.
      return taken.then((result) => kept(session).then(() => result));
    },
    refuse: (request, fault) => streams.postLink(request).fault(fault).map(textOf),
    metrics: () => metricsText(ports.figures()),
    refused: (reason) => ports.meter.refusedRequests.add(reason),
    limited: ports.meter.limited,
    obstacles: () => ports.obstacleSources.flatMap((source) => source.obstacles()),
  };
}

const moved: Problem = { code: 'timeout', message: 'another gateway has the session now, and may not know this' };

/** Rejects with `timeout` if another gateway has the session and may not know what was said here. */
function kept(session: Session): Promise<void> {
  return new Promise((resolve, reject) =>
    session.whenKept((isThere) => {
      if (isThere) resolve();
      else reject(new GatewayError(moved.code, moved.message));
    }),
  );
}

/** Carries out what clients of another gateway have said there. */
async function deliver(
  id: string,
  items: readonly unknown[],
  settled: Delivery['settled'],
  { carriedOut, sessions, sinkOf }: BoardPorts,
): Promise<void> {
  // Loaded on demand: most gateways are alone, and need none of the schemas.
  const { LineItems } = await import('./stored/line-items.ts');
  if (sessions.isFollowed(id)) throw new GatewayError('conflict', 'another gateway has the session');
  const { session } = sessions.find(id, owner);
  const { data } = LineItems.safeParse(items);
  if (data === undefined) throw new GatewayError('invalid', 'this gateway does not know what another one says');
  const sink = sinkOf(session, false);
  const settle = (at: number, outcome: Outcome) => settled(at, { outcome, version: session.version.version });
  for (const [at, item] of data.entries()) {
    if ('command' in item) {
      const { command } = item;
      sink.submit(command, (outcome) => {
        carriedOut(command, session.id, outcome);
        settle(at, outcome);
      });
    } else if ('sync' in item)
      session.whenKept((isThere) => settle(at, isThere ? { ok: true } : { ok: false, error: moved }));
    else {
      if ('stream' in item) session.readElsewhere(item.stream.key, item.stream.source);
      else session.postedIds(item.posted.key).add(item.posted.id, item.posted.digest);
      settle(at, { ok: true });
    }
  }
}

/** A session that belongs to no connection, as those of createSession. */
function resumeSession(
  request: Parameters<GatewayApi['resumeSession']>[0],
  principal: Principal,
  { agents, clock, sessions, stored }: BoardPorts,
): Promise<OpenSession> {
  const refusal = refusalFor(principal, { type: 'load-session', path: request.resume });
  const unowned = { own: { add: () => {} }, agent: undefined, isOurs: false, questionMs: undefined, lost: undefined };
  const opener = new SessionOpener({ agents, clock, sessions, stored, principal, ...unowned });
  return new Promise((resolve, reject) => {
    const settle: SettleWithAfter = ({ outcome, after }) => {
      if (!outcome.ok) return reject(new GatewayError(outcome.error.code, outcome.error.message));
      if (after?.do !== 'announce') return reject(new GatewayError('internal', 'the session was not opened'));
      resolve(restSummaryOf(after.entry));
      carryOut(after, sessions);
    };
    if (refusal === null) opener.resume(request, settle);
    else settle({ outcome: refusal });
  });
}

function connect(
  channel: Parameters<GatewayApi['connect']>[0],
  request: ClientRequest,
  { connections, frontends, sessions }: BoardPorts,
): void {
  const side = frontends.sideOf(request.frontend, request.options);
  const listener = { end: () => {}, isStrict: true };
  if (side.isMultiplexed === true && request.session === undefined) {
    connections.attachMany(channel, request, { isOurs: false }, () => listener);
  } else {
    const session =
      request.session ?? sessions.open(request, { principal: request.principal, isOurs: false }).session.id;
    connections.attach(channel, { ...request, session }, false, listener);
  }
}
