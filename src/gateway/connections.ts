// How clients are connected: to one session, to many, or behind posts; and to the intake of their protocol. Part of the
// composition root; knows no protocol.
import { adapterOf } from './agents.ts';
import type { Config } from '../config/config.ts';
import type { Env, FrontendSide, Options } from '../core/contract/adapter.ts';
import type { Channel, Out } from '../core/contract/channel.ts';
import { type ClientLink, type ClientListener, linkClient } from '../core/link/client-link.ts';
import type { Clock } from '../core/contract/clock.ts';
import { GatewayError } from '../core/model/errors.ts';
import type { CommandSink } from '../core/link/frontend-driver.ts';
import { linkPosts, type PostLink } from '../core/link/post-link.ts';
import type { Reader } from '../core/contract/reader.ts';
import type { Session } from '../core/session/session.ts';
import type { Stream } from '../core/stream/stream.ts';
import type { CommandIntake, CommandIntakes } from './command-intake.ts';
import type { Sessions } from './sessions.ts';
import { createSessionRouter, type SessionRouter, type SessionRouterPorts } from './session-router.ts';
import type { ClientRequest } from '../core/contract/gateway-api.ts';

/** A client of a protocol, wherever it comes from. */
export type Caller = Pick<ClientRequest, 'frontend' | 'agent' | 'options'>;

/** One that is about a session that there is. */
export type SessionCaller = Caller & { readonly session: string };

/** What clients are connected to. */
export interface ConnectionsPorts {
  readonly config: Config;
  readonly env: Env;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly intakes: CommandIntakes;
}

/** Connects clients. */
export interface Connections {
  /** Throws `not-found` or `invalid`. */
  sideOf(frontend: string, options: Options): FrontendSide;
  /** On a channel of its own, to that session. A client that owns the process also holds its agent back when it is slow. */
  attach(channel: Channel, request: SessionCaller, isOurs: boolean, listener: ClientListener): void;
  /** On a channel of its own, to those that it opens. `make` wires the router. */
  attachMany(
    channel: Channel,
    request: Caller,
    wishes: Pick<SessionRouterPorts, 'isOurs' | 'lost' | 'opened'>,
    listenerOf: (router: SessionRouter) => ClientListener,
  ): void;
  /** The connection behind all that is posted to a stream. */
  postLink(request: SessionCaller): PostLink;
  /** Frames for server-sent events. */
  stream(request: SessionCaller, cursor: string | null): Reader;
  /** That session is gone, and with it who posted to it. */
  forget(session: string): void;
  /** Ends the connections that carry many sessions, and do not end with any. */
  leaveAll(reason: string): void;
}

/** Nobody is connected yet. */
export function createConnections({ config, env, clock, sessions, intakes }: ConnectionsPorts): Connections {
  /** One per stream for server-sent events: those who post to it and those who read it share it. */
  const posting = new WeakMap<Stream, PostLink>();
  /** How those who post leave, by their session. */
  const posters = new Map<string, (() => void)[]>();
  const carriers = new Set<ClientLink>();

  function sideOf(frontend: string, options: Options): FrontendSide {
    const side = adapterOf(frontend, 'client').client?.frontend(env, options, config.frontends[frontend]);
    if (side === undefined) throw new GatewayError('not-found', `${frontend} has no client side`);
    return side;
  }

  function deskOf({ frontend }: Caller, { limits }: FrontendSide): CommandIntake | undefined {
    return limits === undefined ? undefined : intakes.of(frontend, limits);
  }

  /** Commands with tickets may be about any session, also where a connection hears but one. */
  function sinkFor(
    bound: Session,
    request: Caller,
    side: FrontendSide,
    isOurs: boolean,
  ): CommandSink & { end(): void } {
    const intake = deskOf(request, side);
    const { carriedOut } = intakes;
    if (intake !== undefined)
      return createSessionRouter({ ...request, sessions, side, intake, bound, isOurs, clock, carriedOut });
    const sink = sessions.sinkOf(bound, isOurs);
    return {
      ...sink,
      submit(command, settle) {
        sink.submit(command, (outcome) => {
          carriedOut(command, bound.id, outcome);
          settle(outcome);
        });
      },
      end: () => {},
    };
  }

  /** From the first to the last of a client it hears the broadcast of its intake. */
  function linkHearing(
    intake: CommandIntake | undefined,
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
    if (intake !== undefined && !isGone) leave = intake.subscribe(link);
    return link;
  }

  /** The shared stream of a dialect. */
  function streamFor({ frontend, options, session: id }: SessionCaller) {
    const { session } = sessions.find(id);
    const side = sideOf(frontend, options);
    return { session, side, stream: session.stream(`${frontend} ${side.key} sse`, side.projection) };
  }

  function postLink(request: SessionCaller): PostLink {
    const { session, side, stream } = streamFor(request);
    const known = posting.get(stream);
    if (known !== undefined) return known;
    const sink = sinkFor(session, request, side, false);
    const link = linkPosts(side.connection(session), stream, clock, sink);
    posting.set(stream, link);
    const leave = deskOf(request, side)?.subscribe(link);
    if (leave !== undefined) posters.set(session.id, [...(posters.get(session.id) ?? []), leave, sink.end]);
    return link;
  }

  return {
    sideOf,
    attach(channel, request, isOurs, listener) {
      const { session } = sessions.find(request.session);
      const side = sideOf(request.frontend, request.options);
      const stream = session.stream(`${request.frontend} ${side.key}`, side.projection);
      const reader = stream.attach(null, isOurs);
      const sink = sinkFor(session, request, side, isOurs);
      const ending: ClientListener = {
        ...listener,
        end() {
          sink.end();
          listener.end();
        },
      };
      linkHearing(deskOf(request, side), ending, (heard) =>
        linkClient(channel, side.connection(session), reader, clock, sink, heard),
      );
    },
    attachMany(channel, request, wishes, listenerOf) {
      if (sessions.isShut) throw new GatewayError('shutting-down', 'the gateway is shutting down');
      const side = sideOf(request.frontend, request.options);
      const intake = deskOf(request, side);
      const router = createSessionRouter({
        ...request,
        ...wishes,
        sessions,
        side,
        intake,
        clock,
        carriedOut: intakes.carriedOut,
      });
      const listener = listenerOf(router);
      // No end of a session ends it.
      const ending: ClientListener = {
        ...listener,
        end() {
          carriers.delete(link);
          router.end();
          listener.end();
        },
      };
      const link = linkHearing(intake, ending, (heard) =>
        linkClient(channel, side.connection(), null, clock, router, heard),
      );
      carriers.add(link);
    },
    postLink,
    stream(request, cursor) {
      const { side, stream } = streamFor(request);
      // News come by what takes the posts.
      const link = side.limits === undefined ? undefined : postLink(request);
      const reader = stream.attach(cursor);
      const greeting = cursor === null ? side.greeting?.() : undefined;
      return link === undefined && greeting === undefined ? reader : visited(reader, greeting, () => link?.left());
    },
    forget(session) {
      for (const leave of posters.get(session) ?? []) leave();
      posters.delete(session);
    },
    leaveAll(reason) {
      for (const link of carriers) link.leave('going-away', reason);
    },
  };
}

/** The stream of a client that is greeted first, if there is anything to say, and whose going is told. */
function visited(reader: Reader, greeting: readonly Out[] = [], left: () => void): Reader {
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
    close() {
      reader.close();
      left();
    },
  };
}
