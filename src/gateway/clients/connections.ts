// Connects clients with their own channel: to one session, or to all sessions that they open.
import type { Channel } from '../../core/contract/channel.ts';
import type { Clock } from '../../core/contract/clock.ts';
import type { PacedWork } from '../../core/contract/paced-work.ts';
import { type ClientLink, type ClientListener, linkClient } from '../../core/link/client-link.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { Session } from '../../core/session/session.ts';
import type { CommandIntake } from '../commands/command-intake.ts';
import type { Frontends } from '../frontends.ts';
import type { Meter } from '../metering/meter.ts';
import { MeteredSink } from '../metering/metered-sink.ts';
import type { AgentLost } from '../sessions/session-request.ts';
import type { RouterRequest, SessionRouter } from '../sessions/session-router.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Caller, ClientSinks, SessionCaller } from './client-sinks.ts';
import type { ConnectionSessions } from './connection-sessions.ts';

/** What connections need from the gateway. */
export interface ConnectionsPorts {
  readonly sessions: Pick<Sessions, 'find' | 'isShut'>;
  readonly frontends: Pick<Frontends, 'sideOf'>;
  readonly sinks: ClientSinks;
  readonly clock: Clock;
  readonly work: Pick<PacedWork, 'queue'>;
  readonly meter: Meter;
  routerFor(request: RouterRequest): SessionRouter;
}

/** How to serve a client with many sessions. */
export interface MultiplexedOptions {
  /** The client owns this process. */
  readonly isOurs: boolean;
  readonly lost?: AgentLost | undefined;
  /** Called for each session that the client opens, before its first command. */
  opened?(session: Session): void;
}

/** Connects clients. */
export class Connections {
  readonly #ports: ConnectionsPorts;
  /** Links of connections that carry many sessions. They outlive each session. */
  readonly #multiplexed = new Set<ClientLink>();

  constructor(ports: ConnectionsPorts) {
    this.#ports = ports;
  }

  /** Connects a client to one session. If a client that owns this process is slow, its agent is slowed down as well. */
  attach(channel: Channel, caller: SessionCaller, isOurs: boolean, listener: ClientListener): void {
    const { sessions, frontends, sinks, clock, work } = this.#ports;
    const { session } = sessions.find(caller.session, caller.principal);
    const side = frontends.sideOf(caller.frontend, caller.options);
    const stream = session.stream(`${caller.frontend} ${side.key}`, side.projection, { dialect: caller.frontend });
    const reader = stream.attach(null, isOurs);
    const intake = sinks.intakeOf(caller, side);
    const { sink, end } = sinks.boundTo(session, caller, side, intake, isOurs);
    linkToIntake(intake, endingWith(listener, end), (ending) =>
      linkClient(channel, side.connection(session), reader, clock, sink, ending, work.queue()),
    );
  }

  /** Connects a client to the sessions that it opens. `listenerOf` gets those sessions. */
  attachMany(
    channel: Channel,
    caller: Caller,
    options: MultiplexedOptions,
    listenerOf: (own: ConnectionSessions) => ClientListener,
  ): void {
    const { sessions, frontends, sinks, clock, work, meter, routerFor } = this.#ports;
    if (sessions.isShut) throw new GatewayError('shutting-down', 'the gateway is shutting down');
    const { frontend, agent, principal } = caller;
    const side = frontends.sideOf(frontend, caller.options);
    const intake = sinks.intakeOf(caller, side);
    const { own, sink } = routerFor({ ...options, frontend, agent, principal, side, intake });
    const listener = endingWith(listenerOf(own), () => {
      this.#multiplexed.delete(link);
      own.end();
    });
    const link = linkToIntake(intake, listener, (ending) =>
      linkClient(
        channel,
        side.connection(),
        null,
        clock,
        new MeteredSink(sink, meter, frontend, side),
        ending,
        work.queue(),
      ),
    );
    this.#multiplexed.add(link);
  }

  /** Ends all connections that carry many sessions. */
  leaveAll(reason: string): void {
    for (const link of this.#multiplexed) link.leave('going-away', reason);
  }
}

/** Wraps a listener: calls `before` ahead of its end. */
function endingWith(listener: ClientListener, before: () => void): ClientListener {
  return {
    ...listener,
    end() {
      before();
      listener.end();
    },
  };
}

/** Links a client. The client gets the broadcasts of the intake until its end. */
function linkToIntake(
  intake: CommandIntake | undefined,
  listener: ClientListener,
  link: (listener: ClientListener) => ClientLink,
): ClientLink {
  let leave = () => {};
  let isGone = false;
  const linked = link(
    endingWith(listener, () => {
      isGone = true;
      leave();
    }),
  );
  if (intake !== undefined && !isGone) leave = intake.subscribe(linked);
  return linked;
}
