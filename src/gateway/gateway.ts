// The gateway and its composition root: builds every part once and wires the parts by explicit ports.
import { randomUUID } from 'node:crypto';
import { finderIn } from '../adapters/protocols.ts';
import type { Config } from '../config/config.ts';
import type { Env } from '../core/contract/adapter/action.ts';
import type { Adapter } from '../core/contract/adapter/adapter.ts';
import type { Channel } from '../core/contract/channel.ts';
import type { Clock } from '../core/contract/clock.ts';
import type { Deliver } from '../core/contract/delivery.ts';
import type { Elsewhere, GatewayApi } from '../core/contract/gateway/gateway-api.ts';
import type { InspectorApi } from '../core/contract/gateway/inspector-api.ts';
import { faultText, guardedClock } from '../core/contract/guarded.ts';
import { createPacedWork, type PacedWork } from '../core/contract/paced-work.ts';
import type { FollowableStore } from '../core/contract/store/followed-log.ts';
import type { SessionStore } from '../core/contract/store/session-store.ts';
import { createHub, type Hub } from '../core/session/hub.ts';
import type { Session } from '../core/session/session.ts';
import { createExportPlaces } from '../stores/export.ts';
import type { ProcessRegister } from '../transports/child/child-process.ts';
import { AgentChannels } from './agent-channels.ts';
import { Agents } from './agents.ts';
import { ClientSinks } from './clients/client-sinks.ts';
import { ConnectionSessions } from './clients/connection-sessions.ts';
import { Connections } from './clients/connections.ts';
import { type ServeRequest, type StartOptions, serveClient } from './clients/serve-client.ts';
import { CommandIntakes } from './commands/command-intakes.ts';
import { KeptLedger } from './commands/kept-ledger.ts';
import { SessionDeletion } from './commands/session-deletion.ts';
import { SessionlessCommands } from './commands/sessionless-commands.ts';
import { Frontends } from './frontends.ts';
import { createBoard } from './gateway-board.ts';
import { createInspectorApi } from './inspector/inspector.ts';
import { Taps } from './inspector/taps.ts';
import { UploadedTapes } from './inspector/uploaded-tapes.ts';
import type { Log } from './log.ts';
import { gatherFigures } from './metering/figures.ts';
import type { LoopDelay } from './metering/loop-delay.ts';
import { Meter } from './metering/meter.ts';
import { SessionTally } from './metering/session-tally.ts';
import { Notes } from './notes.ts';
import type { RemoteTransports } from './remote-transports.ts';
import { IdleSessions } from './sessions/idle-sessions.ts';
import { SessionOpener } from './sessions/session-opener.ts';
import { type RouterRequest, SessionRouter } from './sessions/session-router.ts';
import { sinkFor } from './sessions/session-sinks.ts';
import { Sessions } from './sessions/sessions.ts';
import { dialectsOf, SharedStreams } from './sessions/shared-streams.ts';
import { Shutdown } from './shutdown.ts';
import type { Conversations } from './stored/conversations.ts';
import { SessionFiles } from './stored/session-files.ts';
import { SessionPersistence } from './stored/session-persistence.ts';
import { StoredFolders } from './stored/stored-folders.ts';
import { StoredSessions } from './stored/stored-sessions.ts';
import { StoredSummaries } from './stored/stored-summaries.ts';
import { UnkeptSessions } from './stored/unkept-sessions.ts';
import { UnwrittenExports } from './stored/unwritten-exports.ts';
import { systemClock, systemLoop } from './system-clock.ts';
import { createTapeFolder } from './tapes/tape-folder.ts';
import type { TapePlayer } from './tapes/tape-player.ts';
import type { Tracer } from './tracing/tracer.ts';

export type { ServeRequest, StartOptions } from './clients/serve-client.ts';

/** A running gateway. */
export interface Gateway {
  /** The gateway as the HTTP routes see it. */
  readonly board: GatewayApi;
  /** The gateway as the inspector's routes see it; null: no inspector. */
  readonly inspector: InspectorApi | null;
  /**
   * Serves one client on a channel of its own, with sessions of its own. Resolves when the client is gone and its
   * sessions are closed. Throws `not-found` or `invalid` for an unknown frontend or agent.
   */
  serveClient(channel: Channel, request: ServeRequest, options?: StartOptions): Promise<void>;
  /**
   * Refuses new work, waits for the open runs, then closes. Waits at most `graceMs`, or {@link Gateway.drainMs} if that
   * is longer; connected clients are told this time if their protocol can say so.
   */
  drain(reason: string, graceMs: number): Promise<void>;
  /** The grace period that connected clients of a protocol with its own setting expect, ms; 0 without such clients. */
  readonly drainMs: number;
  /** Ends every session and agent at once. */
  close(reason: string): void;
  /** Counts and logs a fault of the gateway that no guard has caught (decision 0023). Never throws. */
  fault(thrown: unknown): void;
}

/** The dependencies of the gateway. */
export interface GatewayPorts {
  readonly log: Log;
  /** Default: the real clock. */
  readonly clock?: Clock;
  /** Default: paced by the real event loop. */
  readonly work?: PacedWork;
  /** Measures the event loop; default nobody. */
  readonly loopDelay?: LoopDelay;
  /** Tapes of all agents are written into this folder; default none. */
  readonly recordTo?: string;
  /** Shows everything to the page of the inspector, with this version; default nobody. */
  readonly inspectedAs?: string;
  /** Makes a trace of each run; default nobody. */
  readonly tracer?: Tracer;
  /** Where sessions are kept; default nowhere. Its owner closes it after the gateway. */
  readonly store?: SessionStore;
  /** The same, if other gateways have sessions in it. */
  readonly shared?: FollowableStore;
  /** Brings commands to the gateways that have their sessions; default they are refused. */
  readonly deliver?: Deliver;
  /** Ids of new sessions begin with this name and a hyphen; default with nothing. */
  readonly node?: string;
  /** Which gateway of several on one store this is; default the only one. Stays the same after a restart. */
  readonly place?: string;
  /**
   * Finds out where another gateway is reached that has the session (decision 0033); default nobody. Null: no other one has
   * it.
   */
  readonly elsewhere?: Elsewhere;
  /** Notes which conversations agents keep for which sessions; default nobody. */
  readonly conversations?: Conversations;
  /** Hears which programs of agents run; default nobody. */
  readonly register?: ProcessRegister;
}

/** The code of a gateway that depends on its configuration. */
export interface GatewayParts {
  /** All protocols, with the sides that the clients and agents of this gateway speak. */
  readonly adapters: ReadonlyMap<string, Adapter>;
  /** Null if no agent has an address. */
  readonly remote: RemoteTransports | null;
  /** Null if no agent is a tape. */
  readonly player: TapePlayer | null;
}

/** The parts that the routers of all connections share. */
interface RouterParts {
  readonly agents: Agents;
  readonly clock: Clock;
  readonly hub: Hub;
  readonly idle: IdleSessions;
  readonly notes: Notes;
  readonly sessions: Sessions;
  readonly stored: StoredSessions;
  readonly conversations: Conversations | undefined;
  readonly carriedOut: CommandIntakes['carriedOut'];
  sinkOf(session: Session, isOurs: boolean): ReturnType<typeof sinkFor>;
}

/**
 * Builds a gateway from its configuration. Throws `invalid` for settings that no protocol reads. `parts`: a program with
 * one client loads no other protocols.
 */
export function createGatewayOf(
  { adapters, ...reached }: GatewayParts,
  config: Config,
  {
    log,
    clock: outerClock = systemClock,
    work: givenWork,
    loopDelay,
    tracer,
    store,
    shared,
    deliver,
    recordTo,
    register,
    place,
    elsewhere,
    node,
    inspectedAs,
    conversations,
  }: GatewayPorts,
): Gateway {
  const meter = new Meter();
  const notes = new Notes(log, outerClock.now, meter.limited);
  // The parts guard their own timers; what has no guard of its own ends here and not the process (decision 0023).
  const failed = (thrown: unknown) => notes.fault(thrown);
  const clock = guardedClock(outerClock, failed);
  const work = givenWork ?? createPacedWork({ ...systemLoop, failed });
  const adapterOf = finderIn(adapters);
  const env: Env = { now: clock.now, id: () => randomUUID() };
  const timeOrigin = Math.round(Date.now() - clock.now());
  const tally = new SessionTally();
  const hub = createHub({ sessions: config.limits.sessions });
  const idle = new IdleSessions(hub, clock, config.limits.idleSessionMs, { limited: meter.limited, failed });

  const { tapeBytes: mostBytes } = config.limits;
  const tapes =
    recordTo === undefined ? null : createTapeFolder({ folder: recordTo, mostBytes, log, limited: meter.limited });
  const uploaded = new UploadedTapes();
  const taps = inspectedAs === undefined ? null : new Taps(clock, config.limits.wireBytes, meter.limited);
  const channels = new AgentChannels(config, reached, work, meter, failed, tapes, register, uploaded);
  const agents = new Agents(config, env, adapterOf, channels, uploaded);
  const frontends = new Frontends({ config, env, adapterOf, ids: () => adapters.keys() });

  const folders = new StoredFolders(config, adapterOf);
  const summaries = new StoredSummaries(folders);
  const stored = new StoredSessions({ config, agents, folders, summaries });
  const unkept = new UnkeptSessions();
  const unwritten = new UnwrittenExports(clock.now);
  const files = new SessionFiles({
    folders,
    agents,
    log,
    read: (file) => stored.own(file),
    unkept(session) {
      unkept.add(session);
      sessions.warn(session, 'This session is not kept any more: its file cannot be written.');
    },
    released: (session) => unkept.clear(session),
  });

  const intakes = new CommandIntakes({
    clock,
    timeOrigin,
    storeObstacles: () => store?.obstacles() ?? [],
    agentOf: (session, principal) => sessions.agentOf(session, principal),
    openSession: (session) => sessions.ifOpen(session),
    ...(store === undefined
      ? {}
      : {
          keeperOf: (name) =>
            new KeptLedger(place === undefined ? name : `${name}@${place}`, { store, log, clock, timeOrigin }),
        }),
  });
  const sessions: Sessions = new Sessions({
    config,
    hub,
    agents,
    persistenceOf: (origin) => new SessionPersistence(origin, { files, stored }),
    exportsOf: createExportPlaces(config.exportDirectory, (code) => unwritten.ended(code)),
    notes,
    meter,
    tally,
    tracer,
    taps,
    log,
    clock,
    work,
    timeOrigin,
    store,
    shared,
    deliver,
    failed,
    conversations,
    node,
    dialectOf: dialectsOf(frontends),
    broadcast(broadcast, about) {
      // On shutdown, skip the per-session close notices.
      if (!shutdown.isClosed) intakes.broadcast(broadcast, about);
    },
    ended(session, staysKept) {
      notes.forget(session);
      // A session that is opened again still knows the keys of its commands.
      if (!staysKept) intakes.forget(session);
      streams.forget(session);
      taps?.forget(session);
      uploaded.forget(session);
    },
  });

  const carriedOut: CommandIntakes['carriedOut'] = (command, session, outcome) => {
    if (command.type === 'delete-session' && outcome.ok) forgetNote(session);
    intakes.carriedOut(command, session, outcome);
  };
  const forgetNote = (session: string) => {
    try {
      conversations?.remove(session);
    } catch (thrown) {
      log('error', 'the deleted session stays in the list', { session, reason: faultText(thrown) });
    }
  };
  const sinkOf = (session: Session, isOurs: boolean) =>
    sinkFor({ adapterOf, roots: config.roots, stored, notes }, session, isOurs);
  const routerParts: RouterParts = {
    sessions,
    hub,
    stored,
    conversations,
    idle,
    notes,
    agents,
    clock,
    carriedOut,
    sinkOf,
  };
  const routerFor = (request: RouterRequest) => createRouter(routerParts, request);
  const sinks = new ClientSinks({ intakes, meter, sinkOf, routerFor });
  const streams = new SharedStreams({ sessions, frontends, sinks, clock, meter });
  const connections = new Connections({ sessions, frontends, sinks, clock, work, meter, routerFor });
  const shutdown = new Shutdown({ hub, idle, sessions, intakes, connections, clock, work });

  const obstacleSources = [sessions, unkept, unwritten, ...(store === undefined ? [] : [store])];
  const figures = () => gatherFigures({ hub, intakes, meter, notes, tally, loopDelay });

  const inspector =
    taps === null || inspectedAs === undefined
      ? null
      : createInspectorApi({
          adapterOf,
          ids: [...adapters.keys()],
          agents,
          frontends,
          hub,
          sessions,
          store: store ?? null,
          stored,
          taps,
          tapes: uploaded,
          version: inspectedAs,
        });

  frontends.checkSettings();
  return {
    inspector,
    board: createBoard({
      adapterOf,
      agents,
      carriedOut,
      clock,
      connections,
      elsewhere,
      figures,
      frontends,
      hub,
      meter,
      obstacleSources,
      sessions,
      sinkOf,
      store: store ?? null,
      stored,
      streams,
      work,
    }),
    serveClient: (channel, request, options) =>
      serveClient(channel, request, options, { agents, connections, frontends, sessions }),
    drain: (reason, graceMs) => shutdown.drain(reason, graceMs),
    get drainMs() {
      return intakes.drainMs;
    },
    close: (reason) => shutdown.close(reason),
    fault: failed,
  };
}

/** Builds the parts of one connection that opens sessions. */
function createRouter(parts: RouterParts, request: RouterRequest): SessionRouter {
  const { frontend, principal, side, agent, isOurs, intake, bound, lost } = request;
  const own = new ConnectionSessions({ ...parts, isOurs, opened: (session) => request.opened?.(session) });
  const questionMs = intake?.limits.questionMs;
  const opener = new SessionOpener({ ...parts, own, agent, principal, isOurs, questionMs, lost });
  const sinkOf = (session: Session) => parts.sinkOf(session, isOurs);
  const sessionless = new SessionlessCommands({ ...parts, principal, opener, own, intake });
  const deletion = new SessionDeletion({ ...parts, opener, principal, list: () => sessionless.listStored() });
  const of = { ...parts, sessionless, deletion, own, sinkOf };
  return new SessionRouter({ ...of, frontend, principal, side, isOurs, intake, bound });
}
