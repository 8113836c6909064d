// Creates the command sinks of clients that are bound to one session.
import type { NoteLevel } from '../../core/contract/adapter/action.ts';
import type { FrontendSide } from '../../core/contract/adapter/frontend.ts';
import type { ClientRequest } from '../../core/contract/gateway/gateway-api.ts';
import type { Principal } from '../../core/contract/principal.ts';
import type { CommandSink } from '../../core/link/frontend-driver.ts';
import type { Command } from '../../core/model/command.ts';
import type { Outcome } from '../../core/model/errors.ts';
import type { Session } from '../../core/session/session.ts';
import type { CommandIntake } from '../commands/command-intake.ts';
import type { CommandIntakes } from '../commands/command-intakes.ts';
import type { Meter } from '../metering/meter.ts';
import { MeteredSink } from '../metering/metered-sink.ts';
import { refusalIn, withRights } from '../rights.ts';
import type { RouterRequest, SessionRouter } from '../sessions/session-router.ts';

/** A client of a protocol, over any transport. */
export type Caller = Pick<ClientRequest, 'frontend' | 'agent' | 'options' | 'principal'>;

/** A caller that is bound to an open session. */
export type SessionCaller = Caller & { readonly session: string };

/** The sink of a client, and what is to be called when the client has left. */
export interface ClientSink {
  readonly sink: CommandSink;
  readonly end: () => void;
}

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
    const { meter } = this.#ports;
    // Commands with tickets may name any session, even on a connection that reads only one.
    if (intake !== undefined) {
      const router = this.#ports.routerFor({ frontend, agent, principal, side, intake, bound: session, isOurs });
      return { sink: new MeteredSink(router.sink, meter, frontend, side), end: () => router.own.end() };
    }
    const ruled = new RuledSink(this.#ports, session, principal, isOurs);
    return { sink: new MeteredSink(ruled, meter, frontend, side), end: nothing };
  }
}

/** Checks the commands of one client against its rights. A class: each connection has one. */
class RuledSink implements CommandSink {
  readonly #ports: ClientSinksPorts;
  readonly #session: Session;
  readonly #principal: Principal;
  readonly #isOurs: boolean;

  constructor(ports: ClientSinksPorts, session: Session, principal: Principal, isOurs: boolean) {
    this.#ports = ports;
    this.#session = session;
    this.#principal = principal;
    this.#isOurs = isOurs;
  }

  submit(command: Command, settle: (outcome: Outcome) => void): void {
    const session = this.#session;
    const refusal = refusalIn(session, this.#principal, command);
    if (refusal !== null) return settle(refusal);
    withRights(this.#sink(), this.#principal).submit(command, (outcome) => {
      this.#ports.intakes.carriedOut(command, session.id, outcome);
      settle(outcome);
    });
  }

  note(level: NoteLevel, text: string): void {
    this.#sink().note(level, text);
  }

  /** Made for each command: most connections never send one. */
  #sink(): Pick<CommandSink, 'submit' | 'note'> {
    return this.#ports.sinkOf(this.#session, this.#isOurs);
  }
}

function nothing(): void {}
