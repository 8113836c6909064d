// The sessions of one client whose connection carries many: opened, found and left at its word, within bounds. Part of the
// composition root; knows no protocol.
import type { FrontendSide, SessionView, Watch } from './core/adapter.ts';
import type { Command, CommandOf } from './core/command.ts';
import { GatewayError, type Outcome, refused } from './core/errors.ts';
import type { CommandSink } from './core/frontend-driver.ts';
import type { SessionSummary } from './core/outcome-data.ts';
import type { Reader } from './core/reader.ts';
import type { Session } from './core/session.ts';
import type { Transcript } from './core/transcript.ts';
import { refusalOf, type Sessions } from './sessions.ts';

/** What the connection is and may. */
export interface SwitchboardPorts {
  readonly sessions: Sessions;
  readonly frontend: string;
  readonly side: FrontendSide;
  /** Of the sessions that it opens. */
  readonly agent?: string | undefined;
  /** It owns this process: its sessions are its own, and its agents wait for it. */
  readonly isOurs: boolean;
  /** Called for each session that it opens, before anybody can speak in it. */
  opened?(session: Session): void;
  lost?(sentence: string, wasSilent: boolean): void;
}

/** Where the commands of that connection go. */
export interface Switchboard extends CommandSink {
  watch(watch: Watch): { readonly view: SessionView; readonly reader: Reader };
  /** Nobody can answer questions any more in the sessions that it has opened, or will open. */
  unattend(): void;
  /** Stops what runs in the sessions that it has opened, and what waits behind it. */
  abort(): void;
  /** Calls back once, when none of the sessions that it has opened is at work; at once if that is so now. */
  whenIdle(callback: () => void): void;
  /** The connection is gone: what it has opened closes with it, if it owns the process. */
  end(): void;
}

/** As everywhere: an id may be part of a path, a URL or a line of a log (threat T9). */
const sessionId = /^[A-Za-z0-9_-]{1,64}$/u;

/** What clients call a session is shown and compared, and nothing else; those that mint names keep to 256 characters. */
const sessionName = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,256}$/u;

/** A connection without any session yet. */
export function createSwitchboard(ports: SwitchboardPorts): Switchboard {
  const { sessions, frontend, side, isOurs } = ports;
  /** Weak: a connection may see thousands of sessions come and go. */
  const opened = new WeakSet<Session>();
  let isAttended = true;

  function own(): readonly Session[] {
    return sessions.hub.list().flatMap(({ session }) => (opened.has(session) ? [session] : []));
  }

  function open({ id, cwd, folders }: CommandOf<'create-session'>): Outcome {
    if (id !== undefined && !sessionId.test(id)) {
      throw new GatewayError('invalid', `a session id must match ${sessionId.source}`);
    }
    const { session, createdAt, problems } = sessions.open(
      { agent: ports.agent, id, cwd, folders },
      isOurs,
      ports.lost,
    );
    opened.add(session);
    sessions.reserve(session);
    if (!isAttended) session.unattend();
    ports.opened?.(session);
    const summary: SessionSummary = { id: session.id, createdAt };
    return { ok: true, data: { session: summary, problems } };
  }

  function withoutSession(command: Command): Outcome {
    try {
      return command.type === 'create-session'
        ? open(command)
        : refused('invalid', `${command.type} without a session`);
    } catch (thrown) {
      return refusalOf(thrown);
    }
  }

  function submit(command: Command, settle: (outcome: Outcome) => void, id?: string): void {
    if (id === undefined) return settle(withoutSession(command));
    let session: Session;
    try {
      session = sessions.find(id).session;
    } catch (thrown) {
      return settle(refusalOf(thrown));
    }
    sessions.sinkOf(session, isOurs).submit(command, settle);
  }

  function whenIdle(callback: () => void): void {
    // One after the other, and whatever has begun meanwhile.
    const busy = own().find(({ state }) => state === 'running');
    if (busy === undefined) callback();
    else busy.whenIdle(() => whenIdle(callback));
  }

  return {
    submit,
    note: (level, text) => sessions.note('(connection)', level, text),
    watch({ session: id, as, dialect }) {
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
    unattend() {
      isAttended = false;
      for (const session of own()) session.unattend();
    },
    abort() {
      for (const session of own()) {
        if (session.state === 'running') session.submit({ type: 'abort', target: 'run', waiting: 'drop' }, () => {});
      }
    },
    whenIdle,
    end() {
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
  readonly #view: SessionView;

  constructor(id: string, view: SessionView) {
    this.id = id;
    this.epoch = view.epoch;
    this.timeOrigin = view.timeOrigin;
    this.#view = view;
  }

  /** Another one while the past is told than later. */
  get transcript(): Transcript {
    return this.#view.transcript;
  }
}
