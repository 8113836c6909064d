// The gateway as the HTTP routes see it.
import type { AdapterOf } from '../adapters/protocols.ts';
import type { ClientRequest, GatewayApi } from '../core/contract/gateway-api.ts';
import type { ObstacleSource } from '../core/contract/obstacles.ts';
import type { PacedWork } from '../core/contract/paced-work.ts';
import { type Figures, metricsText } from '../core/metrics/metrics.ts';
import { GatewayError } from '../core/model/errors.ts';
import type { Hub } from '../core/session/hub.ts';
import type { Agents } from './agents.ts';
import { createPosts, textOf } from './commands/posted-frames.ts';
import type { Connections } from './connections.ts';
import type { Frontends } from './frontends.ts';
import type { Meter } from './metering/meter.ts';
import { restSummaryOf } from './session-summary.ts';
import type { Sessions } from './sessions.ts';
import type { SharedStreams } from './shared-streams.ts';

/** The parts of the gateway that HTTP reaches. */
export interface BoardPorts {
  readonly adapterOf: AdapterOf;
  readonly agents: Agents;
  readonly connections: Connections;
  readonly frontends: Frontends;
  readonly hub: Hub;
  readonly meter: Meter;
  readonly obstacleSources: readonly ObstacleSource[];
  readonly sessions: Sessions;
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
    wake: (session) => sessions.wake(session),
    session: (id, principal) => restSummaryOf(sessions.find(id, principal)),
    createSession: (request, principal) => restSummaryOf(sessions.open(request, { principal, isOurs: false })),
    closeSession: (id, principal) =>
      sessions.remove(sessions.find(id, principal).session.id, 'the session was deleted'),
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
    maxFrameBytes: (frontend) => frontends.maxFrameBytes(frontend),
    envelope: (request) => adapterOf(request.frontend).envelope?.(request.options),
    connect: (channel, request) => connect(channel, request, ports),
    stream: (request, cursor) => streams.read(request, cursor),
    post(request, frames) {
      const link = streams.postLink(request);
      const { session } = sessions.find(request.session, request.principal);
      const taken = takePosted(link, frames);
      if (frames.every(({ id }) => id === undefined)) return taken;
      // A client that was told of a post does not post it again.
      return taken.then((result) => new Promise((told) => session.whenKept(() => told(result))));
    },
    refuse: (request, fault) => streams.postLink(request).fault(fault).map(textOf),
    metrics: () => metricsText(ports.figures()),
    refused: (reason) => ports.meter.refusedRequests.add(reason),
    limited: ports.meter.limited,
    obstacles: () => ports.obstacleSources.flatMap((source) => source.obstacles()),
  };
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
