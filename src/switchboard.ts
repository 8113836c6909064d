// The sessions of one client whose connection carries many: opened, found and left at its word. Part of the composition
// root; knows no protocol.
import type { FrontendSide, SessionView, Watch } from './core/adapter.ts';
import type { CommandSink } from './core/client-link.ts';
import type { Command, CommandOf } from './core/command.ts';
import { type Outcome, refused } from './core/errors.ts';
import type { Reader } from './core/reader.ts';
import type { Session } from './core/session.ts';
import type { SessionSummary } from './core/outcome-data.ts';
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
  /** Those that it has opened. */
  readonly own: ReadonlySet<Session>;
  /** Closes them. */
  close(reason: string): void;
}

/** A connection without any session yet. */
export function createSwitchboard(ports: SwitchboardPorts): Switchboard {
  const { sessions, frontend, side, isOurs } = ports;
  const own = new Set<Session>();

  function open(command: CommandOf<'create-session'>): Outcome {
    const { id, cwd, folders } = command;
    const { session, createdAt } = sessions.open({ agent: ports.agent, id, cwd, folders }, isOurs, ports.lost);
    own.add(session);
    ports.opened?.(session);
    const summary: SessionSummary = { id: session.id, createdAt };
    return { ok: true, data: { session: summary } };
  }

  function submit(command: Command, settle: (outcome: Outcome) => void, id?: string): void {
    try {
      if (command.type === 'create-session') return settle(open(command));
      if (id === undefined) return settle(refused('invalid', `${command.type} without a session`));
      sessions.sinkOf(sessions.find(id).session, isOurs).submit(command, settle);
    } catch (thrown) {
      settle(refusalOf(thrown));
    }
  }

  return {
    own,
    submit,
    note: (level, text) => sessions.note('(connection)', level, text),
    watch({ session: id, as, dialect }) {
      const { session } = sessions.find(id);
      const name = as ?? session.id;
      if (as !== undefined) sessions.hub.name(session.id, as);
      const key = [frontend, side.key, ...(dialect === undefined ? [] : [dialect]), ...(as === undefined ? [] : [as])];
      const stream = session.stream(key.join(' '), (view) => side.projection(under(name, view), dialect));
      return { view: session, reader: stream.attach(null, isOurs) };
    },
    close(reason) {
      for (const { id } of own) sessions.hub.remove(id, reason);
    },
  };
}

/** The session as its client knows it. The transcript is another one while the past is told. */
function under(name: string, view: SessionView): SessionView {
  if (name === view.id) return view;
  const { epoch, timeOrigin } = view;
  return {
    id: name,
    epoch,
    timeOrigin,
    get transcript() {
      return view.transcript;
    },
  };
}
