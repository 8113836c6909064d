// Creates the command sinks of clients that are bound to one session.
import type { FrontendSide } from '../core/contract/adapter.ts';
import type { ClientRequest } from '../core/contract/gateway-api.ts';
import type { CommandSink } from '../core/link/frontend-driver.ts';
import type { Session } from '../core/session/session.ts';
import type { CommandIntake } from './commands/command-intake.ts';
import type { CommandIntakes } from './commands/command-intakes.ts';
import type { Meter } from './metering/meter.ts';
import { meteredSink } from './metering/metered-sink.ts';
import { refusalIn, withRights } from './rights.ts';
import type { RouterRequest, SessionRouter } from './session-router.ts';

/** A client of a protocol, over any transport. */
export type Caller = Pick<ClientRequest, 'frontend' | 'agent' | 'options' | 'principal'>;

/** A caller that is bound to an open session. */
export type SessionCaller = Caller & { readonly session: string };

/** A sink that learns when its client has left. */
export type ClientSink = CommandSink & { end(): void };

/** The dependencies of the sinks. */
export interface ClientSinksPorts {
  readonly intakes: Pick<CommandIntakes, 'of' | 'carriedOut'>;
  readonly meter: Meter;
  /** The sink for the commands of one session. */
  sinkOf(session: Session, isOurs: boolean): Pick<CommandSink, 'submit' | 'note'>;
  routerFor(request: RouterRequest): SessionRouter;
}

/** Creates the sinks of clients. */
export class ClientSinks {
  readonly #ports: ClientSinksPorts;

  constructor(ports: ClientSinksPorts) {
    this.#ports = ports;
  }

  /** The intake of the caller's protocol; undefined if commands of the protocol carry no tickets. */
  intakeOf({ frontend, principal }: Caller, { limits }: FrontendSide): CommandIntake | undefined {
    return limits === undefined ? undefined : this.#ports.intakes.of(frontend, limits, principal);
  }

  /** Creates the sink of a client that is bound to a session. */
  boundTo(
    session: Session,
    { frontend, agent, principal }: Caller,
    side: FrontendSide,
    intake: CommandIntake | undefined,
    isOurs: boolean,
  ): ClientSink {
    const { intakes, meter, sinkOf } = this.#ports;
    // Commands with tickets may name any session, even on a connection that reads only one.
    if (intake !== undefined) {
      const router = this.#ports.routerFor({ frontend, agent, principal, side, intake, bound: session, isOurs });
      return { ...meteredSink(router.sink, meter, frontend, side), end: () => router.own.end() };
    }
    const sink = sinkOf(session, isOurs);
    const submitted = withRights(sink, principal);
    const ruled: CommandSink = {
      ...sink,
      submit(command, settle) {
        const refusal = refusalIn(session, principal, command);
        if (refusal !== null) return settle(refusal);
        submitted.submit(command, (outcome) => {
          intakes.carriedOut(command, session.id, outcome);
          settle(outcome);
        });
      },
    };
    return { ...meteredSink(ruled, meter, frontend, side), end: () => {} };
  }
}
