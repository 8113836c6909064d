// What one client may ask of all sessions: to open, find and leave them at its word, within bounds. For connections that
// carry many of them, and for all whose commands have tickets. Part of the composition root; knows no protocol.
import type { FrontendSide, SessionView, SubscriptionRequest } from '../core/contract/adapter.ts';
import type { Clock } from '../core/contract/clock.ts';
import type { Command } from '../core/model/command.ts';
import { GatewayError, type Outcome, refused } from '../core/model/errors.ts';
import type { CommandSink } from '../core/link/frontend-driver.ts';
import type { Receipt, Ticket } from '../core/contract/ticket.ts';
import type { Reader } from '../core/contract/reader.ts';
import type { Session } from '../core/session/session.ts';
import type { Transcript } from '../core/model/transcript.ts';
import type { CommandIntake, CommandIntakes } from './command-intake.ts';
import { createSessionOpener, type Settle } from './session-opener.ts';
import { refusalOf, type Sessions } from './sessions.ts';

/** What the connection is and may. */
export interface SessionRouterPorts {
  readonly sessions: Sessions;
  readonly frontend: string;
  readonly side: FrontendSide;
  /** Of the sessions that it opens. */
  readonly agent?: string | undefined;
  /** It owns this process: its sessions are its own, and its agents wait for it. */
  readonly isOurs: boolean;
  /** Where its commands with tickets go. */
  readonly intake?: CommandIntake | undefined;
  /** The connection hears this session alone; commands that name none are for it. */
  readonly bound?: Session | undefined;
  /** See Desks. */
  readonly carriedOut: CommandIntakes['carriedOut'];
  /** Called for each session that it opens, before anybody can speak in it. */
  opened?(session: Session): void;
  readonly clock: Clock;
  lost?(sentence: string, wasSilent: boolean): void;
}

/** Where the commands of that connection go. */
export interface SessionRouter extends CommandSink {
  subscribe(watch: SubscriptionRequest): { readonly view: SessionView; readonly reader: Reader };
  /** Nobody can answer questions any more in the sessions that it has opened, or will open. */
  setUnattended(): void;
  /** Stops what runs in the sessions that it has opened, and what waits behind it. */
  abort(): void;
  /** Calls back once, when none of the sessions that it has opened is at work; at once if that is so now. */
  whenIdle(callback: () => void): void;
  /** The connection is gone: what it has opened closes with it, if it owns the process. */
  end(): void;
}

/** Those that are about no session, or about one that is still to be. */
function isForAll(command: Command): boolean {
  switch (command.type) {
    case 'create-session':
    case 'list-sessions':
    case 'list-stored-sessions':
    case 'load-session':
      return true;
    case 'query':
      return command.subject === 'health' || command.subject === 'metrics';
    default:
      return false;
  }
}

/** What clients call a session is shown and compared, and nothing else; those that mint names keep to 256 characters. */
const sessionName = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,256}$/u;

/** A connection without any session yet. */
export function createSessionRouter(ports: SessionRouterPorts): SessionRouter {
  const { sessions, frontend, side, isOurs, intake } = ports;
  /** Weak: a connection may see thousands of sessions come and go. */
  const opened = new WeakSet<Session>();
  let isAttended = true;
  let isGone = false;
  const opener = createSessionOpener({
    sessions,
    agent: ports.agent,
    isOurs,
    questionMs: intake?.limits.questionMs,
    clock: ports.clock,
    opened(session) {
      opened.add(session);
      // Nobody comes to it any more whose connection is gone.
      if (!isGone) sessions.reserve(session);
      if (!isAttended) session.setUnattended();
      ports.opened?.(session);
    },
    lost: ports.lost,
  });

  function own(): readonly Session[] {
    return sessions.hub.list().flatMap(({ session }) => (opened.has(session) ? [session] : []));
  }

  /** The answer first: who hears that session alone hears nothing any more when it is gone. */
  function remove(id: string, settle: Settle): void {
    const { session } = sessions.find(id);
    settle({ ok: true }, () => sessions.hub.remove(session.id, 'the session was deleted'));
  }

  function withoutSession(command: Command, settle: Settle): void {
    switch (command.type) {
      case 'create-session':
      case 'load-session':
        // What it opens would be nobody's.
        if (isGone && isOurs) return settle(refused('shutting-down', 'the client is gone'));
        return command.type === 'create-session' ? opener.create(command, settle) : opener.load(command, settle);
      case 'list-stored-sessions':
        return settle({ ok: true, data: { sessions: sessions.listStored() } });
      case 'list-sessions':
        return settle({ ok: true, data: { sessions: sessions.hub.list().map(sessions.summary) } });
      case 'query':
        if (command.subject === 'health' && intake !== undefined) return settle(intake.health());
        if (command.subject === 'metrics' && intake !== undefined) return settle(intake.metrics(census()));
        break;
      default:
    }
    settle(refused('invalid', `${command.type} without a session`));
  }

  /** Its own id, where it is called by another name; a name that there is not stays as it is. */
  function idOf(name: string | undefined): string | undefined {
    try {
      return name === undefined ? undefined : sessions.find(name).session.id;
    } catch {
      return name;
    }
  }

  function census() {
    const all = sessions.hub.list();
    const questions = all.reduce(
      (sum, { session: { transcript } }) => sum + transcript.approvals.size + transcript.dialogs.size,
      0,
    );
    return { sessions: all.length, questions };
  }

  function execute(command: Command, settle: Settle, id?: string): void {
    try {
      if (id === undefined) return withoutSession(command, settle);
      if (command.type === 'delete-session' && intake !== undefined) return remove(id, settle);
      sessions.sinkOf(sessions.find(id).session, isOurs).submit(command, (outcome) => settle(outcome));
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.code === 'limit') intake?.count('sessionLimit');
      settle(refusalOf(thrown));
    }
  }

  function submit(
    command: Command,
    settle: (outcome: Outcome, receipt?: Receipt) => void,
    named?: string,
    ticket?: Ticket,
  ): void {
    const session = idOf(named) ?? (isForAll(command) ? undefined : ports.bound?.id);
    if (ticket === undefined || intake === undefined) {
      return execute(
        command,
        (outcome, then) => {
          if (session !== undefined) ports.carriedOut(command, session, outcome);
          settle(outcome);
          then?.();
        },
        session,
      );
    }
    /** Null when the client has been answered, as it may be before its command has come to its end. */
    let later: (() => void)[] | null = [];
    intake.submit({
      command,
      // Of one session there is one lane, however it is called.
      ticket: named !== undefined && ticket.session === named ? { ...ticket, session } : ticket,
      session,
      execute: (asked, done) =>
        execute(
          asked,
          (outcome, then) => {
            if (then !== undefined) later?.push(then);
            const isLate = later === null;
            done(outcome);
            if (isLate) then?.();
          },
          session,
        ),
      settle(outcome, receipt) {
        settle(outcome, receipt);
        const waiting = later ?? [];
        later = null;
        for (const tell of waiting) tell();
      },
    });
  }

  function whenIdle(callback: () => void): void {
    // One after the other, and whatever has begun meanwhile.
    const busy = own().find(({ state }) => state === 'running');
    if (busy === undefined) callback();
    else busy.whenIdle(() => whenIdle(callback));
  }

  return {
    submit,
    note: (level, text) => sessions.note(ports.bound?.id ?? '(connection)', level, text),
    fault({ code }) {
      if (code === 'too-large') intake?.count('frameSize');
    },
    subscribe({ session: id, as, dialect }) {
      const { session } = sessions.find(id);
      sessions.release(session);
      if (as !== undefined) {
        if (!sessionName.test(as))
          throw new GatewayError('invalid', 'a session name must be 1 to 256 printable characters');
        sessions.hub.name(session.id, as);
      }
      // In a form that no name can imitate: it is the client's own word.
      const key = JSON.stringify([frontend, side.key, dialect ?? null, as ?? null]);
      const name = as ?? session.id;
      const stream = session.stream(key, (view) => side.projection(under(name, view), dialect), true);
      return { view: session, reader: stream.attach(null, isOurs) };
    },
    setUnattended() {
      isAttended = false;
      for (const session of own()) session.setUnattended();
    },
    abort() {
      for (const session of own()) {
        if (session.state === 'running') session.submit({ type: 'abort', target: 'run', waiting: 'drop' }, () => {});
      }
    },
    whenIdle,
    end() {
      isGone = true;
      for (const session of own()) {
        sessions.release(session);
        if (isOurs) sessions.hub.remove(session.id, 'the client is gone');
      }
    },
  };
}

/** The session as its client knows it. */
function under(name: string, view: SessionView): SessionView {
  return name === view.id ? view : new NamedView(name, view);
}

/** A class, for its getter: V8 gives each object literal with one a dictionary of its own. */
class NamedView implements SessionView {
  readonly id: string;
  readonly epoch: string;
  readonly timeOrigin: number;
  readonly agent: SessionView['agent'];
  readonly place: string | undefined;
  readonly #view: SessionView;

  constructor(id: string, view: SessionView) {
    this.id = id;
    this.epoch = view.epoch;
    this.timeOrigin = view.timeOrigin;
    this.agent = view.agent;
    this.place = view.place;
    this.#view = view;
  }

  /** Another one while the past is told than later. */
  get transcript(): Transcript {
    return this.#view.transcript;
  }
}
