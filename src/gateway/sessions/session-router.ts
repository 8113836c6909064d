// Routes the commands of one connection to sessions by their ids, and other commands to SessionlessCommands. Used for
// connections with many sessions and for all commands with tickets.
import type { SubscriptionRequest } from '../../core/contract/adapter/action.ts';
import type { FrontendSide } from '../../core/contract/adapter/frontend.ts';
import type { SessionView } from '../../core/contract/adapter/projection.ts';
import type { Principal } from '../../core/contract/principal.ts';
import type { Reader } from '../../core/contract/reader.ts';
import type { CommandSink } from '../../core/link/frontend-driver.ts';
import type { Command } from '../../core/model/command.ts';
import { GatewayError, type Outcome } from '../../core/model/errors.ts';
import type { Session } from '../../core/session/session.ts';
import type { ConnectionSessions } from '../clients/connection-sessions.ts';
import { carryOut, type SettleWithAfter, StepsAfterAnswer } from '../commands/after-answer.ts';
import type { CommandIntake } from '../commands/command-intake.ts';
import type { CommandIntakes } from '../commands/command-intakes.ts';
import type { SessionDeletion } from '../commands/session-deletion.ts';
import { isSessionless, type SessionlessCommands } from '../commands/sessionless-commands.ts';
import { viewAs } from '../named-view.ts';
import type { Notes } from '../notes.ts';
import { refusalIn, withRights } from '../rights.ts';
import type { IdleSessions } from './idle-sessions.ts';
import type { AgentLost } from './session-request.ts';
import { refusalOf } from './session-sinks.ts';
import type { Sessions } from './sessions.ts';

/** The dependencies of a router. */
export interface SessionRouterPorts {
  readonly sessions: Pick<Sessions, 'find' | 'announce' | 'name'> & Partial<Pick<Sessions, 'wake' | 'follows'>>;
  readonly idle: Pick<IdleSessions, 'release' | 'closeUnused'>;
  readonly notes: Pick<Notes, 'add'>;
  readonly sessionless: Pick<SessionlessCommands, 'execute'>;
  readonly deletion: Pick<SessionDeletion, 'carryOut'>;
  readonly own: ConnectionSessions;
  readonly carriedOut: CommandIntakes['carriedOut'];
  /** The sink for the commands of one session. */
  sinkOf(session: Session): Pick<CommandSink, 'submit'>;
  readonly frontend: string;
  readonly principal: Principal;
  readonly side: FrontendSide;
  /** The client owns this process: its agents wait while the client is slow. */
  readonly isOurs: boolean;
  /** Takes commands with tickets. */
  readonly intake: Pick<CommandIntake, 'submit' | 'count'> | undefined;
  /** The only session that the connection reads. Commands without a session name go to this one. */
  readonly bound: Session | undefined;
}

/** A session name is shown and compared only. Clients that make up names keep to 256 characters. */
const sessionName = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,256}$/u;

/** A connection that needs a router. */
export interface RouterRequest {
  readonly frontend: string;
  readonly principal: Principal;
  readonly side: FrontendSide;
  /** The agent of sessions that name none. */
  readonly agent?: string | undefined;
  /** See SessionRouterPorts. */
  readonly isOurs: boolean;
  readonly intake: CommandIntake | undefined;
  readonly bound?: Session | undefined;
  /** Called for each session that the connection opens, before its first command. */
  opened?(session: Session): void;
  readonly lost?: AgentLost | undefined;
}

/** The router of one connection. */
export class SessionRouter {
  /** The sessions that the connection has opened. */
  readonly own: ConnectionSessions;
  /** Takes the connection's commands. */
  readonly sink: CommandSink;
  readonly #ports: SessionRouterPorts;
  /** Commands that wait until a stored session is brought back, and those behind them. Null: none. */
  #waiting: Promise<void> | null = null;

  constructor(ports: SessionRouterPorts) {
    this.own = ports.own;
    this.#ports = ports;
    const sink: CommandSink = {
      submit: (...command) => this.#submit(...command),
      note: (level, text) => ports.notes.add(ports.bound?.id ?? '(connection)', level, text),
      fault({ code }) {
        if (code === 'too-large') ports.intake?.count('frameSize');
      },
      subscribe: (request) => this.#subscribe(request),
      closeUnused(session) {
        // Clients of the session may be at another gateway.
        if (ports.principal.role === 'controller' && ports.sessions.follows !== true) ports.idle.closeUnused(session);
      },
    };
    this.sink = withRights(sink, ports.principal);
  }

  #submit(...request: Parameters<CommandSink['submit']>): void {
    const [, , named] = request;
    const waking = named === undefined ? null : (this.#ports.sessions.wake?.(named) ?? null);
    if (waking === null && this.#waiting === null) return this.#take(...request);
    // A session that cannot be brought back is refused like an unknown one.
    const waiting = Promise.allSettled([this.#waiting, waking]).then(() => {
      if (this.#waiting === waiting) this.#waiting = null;
      this.#take(...request);
    });
    this.#waiting = waiting;
  }

  #take(...[command, settle, named, ticket]: Parameters<CommandSink['submit']>): void {
    const { intake, bound } = this.#ports;
    const session = this.#idOf(named) ?? (isSessionless(command) ? undefined : bound?.id);
    if (ticket === undefined || intake === undefined) return this.#submitNow(command, session, settle);
    const steps = new StepsAfterAnswer(this.#ports.sessions);
    intake.submit({
      command,
      // A session has one lane, whatever name the client uses.
      ticket: named !== undefined && ticket.session === named ? { ...ticket, session } : ticket,
      session,
      execute: (request, done) =>
        this.#execute(request, session, ({ outcome, after }) => {
          steps.add(after);
          done(outcome);
          steps.carryOutDue();
        }),
      settle(outcome, receipt) {
        settle(outcome, receipt);
        steps.answered();
      },
    });
  }

  #subscribe({ session: id, as, dialect }: SubscriptionRequest): {
    readonly view: SessionView;
    readonly reader: Reader;
  } {
    const { sessions, idle, frontend, principal, side, isOurs } = this.#ports;
    const { session } = sessions.find(id, principal);
    idle.release(session);
    if (as !== undefined) {
      if (!sessionName.test(as))
        throw new GatewayError('invalid', 'a session name must be 1 to 256 printable characters');
      if (principal.role === 'controller') sessions.name(session.id, as);
    }
    // JSON-encode the parts: `as` is chosen by the client and must not collide with another key.
    const key = JSON.stringify([frontend, side.key, dialect ?? null, as ?? null]);
    const name = as ?? session.id;
    const stream = session.stream(key, (view) => side.projection(viewAs(name, view), dialect), {
      isFleeting: true,
      dialect: frontend,
    });
    return { view: session, reader: stream.attach(null, isOurs) };
  }

  #submitNow(command: Command, session: string | undefined, settle: (outcome: Outcome) => void): void {
    const { carriedOut, sessions } = this.#ports;
    this.#execute(command, session, ({ outcome, after }) => {
      if (session !== undefined) carriedOut(command, session, outcome);
      settle(outcome);
      if (after !== undefined) carryOut(after, sessions);
    });
  }

  #execute(command: Command, id: string | undefined, settle: SettleWithAfter): void {
    const { sessions, principal, intake, sinkOf, deletion } = this.#ports;
    try {
      if (id === undefined) return this.#ports.sessionless.execute(command, settle);
      if (command.type === 'delete-session' && command.stored === true) return deletion.carryOut(id, settle);
      const { session } = sessions.find(id, principal);
      const refusal = refusalIn(session, principal, command);
      if (refusal !== null) return settle({ outcome: refusal });
      if (command.type === 'delete-session' && intake !== undefined) {
        // The ledger keeps the outcome before the client gets the answer.
        return session.delete(command, (outcome, close) => settle({ outcome, after: { do: 'close', close } }));
      }
      sinkOf(session).submit(command, (outcome) => settle({ outcome }));
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.code === 'limit') intake?.count('sessionLimit');
      settle({ outcome: refusalOf(thrown) });
    }
  }

  /** The id of a session that the client calls by a name. An unknown name is returned unchanged. */
  #idOf(name: string | undefined): string | undefined {
    try {
      return name === undefined ? undefined : this.#ports.sessions.find(name, this.#ports.principal).session.id;
    } catch {
      return name;
    }
  }
}
