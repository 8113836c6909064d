// Where the commands of a client for one session go: checked first, unless the client owns this process.
import type { NoteLevel } from '../core/contract/adapter.ts';
import type { CommandSink } from '../core/link/frontend-driver.ts';
import type { Command } from '../core/model/command.ts';
import { GatewayError, messageOf, type Outcome, refused } from '../core/model/errors.ts';
import { withRememberablePermissions } from '../core/session/rememberable-permissions.ts';
import type { Session } from '../core/session/session.ts';
import { withPathsInside } from '../stores/stored-sessions.ts';
import { adapterOf } from './agents.ts';
import type { Notes } from './notes.ts';
import type { StoredSessions } from './stored-sessions.ts';

/** What a sink needs from the gateway. */
export interface SessionSinkPorts {
  /** Folders that clients on the network may use. */
  readonly roots: readonly string[];
  readonly stored: Pick<StoredSessions, 'fileAt'>;
  readonly notes: Pick<Notes, 'add'>;
}

/** The sink for one session. `isOurs`: the client owns this process and could do anything itself. */
export function sinkFor(
  ports: SessionSinkPorts,
  session: Session,
  isOurs: boolean,
): Pick<CommandSink, 'submit' | 'note'> {
  return {
    submit(command, settle) {
      let admitted: Command;
      try {
        admitted = isOurs ? command : admit(command, session, ports);
      } catch (thrown) {
        return settle(refusalOf(thrown));
      }
      session.submit(admitted, settle);
    },
    note: (level: NoteLevel, text: string) => ports.notes.add(session.id, level, text),
  };
}

/** The command as a client on the network may have it carried out. Throws `unsupported` or `invalid`. */
function admit(command: Command, session: Session, { roots, stored, notes }: SessionSinkPorts): Command {
  // A new session names folders, and an agent must not find out which folders may be used.
  if (command.type === 'create-session') throw new GatewayError('unsupported', 'this connection has its session');
  const dropped = () =>
    notes.add(session.id, 'loss', 'answer-approval: a permission that was not suggested is not kept');
  const suggested = withRememberablePermissions(checkPassthrough(command), session.transcript, dropped);
  const file = suggested.type === 'switch-session' ? stored.fileAt(suggested.path) : null;
  // A session that the client may load may also be switched to: to the agent both are the same.
  if (suggested.type === 'switch-session' && file !== null) return { ...suggested, path: file };
  return withPathsInside(suggested, roots);
}

/** Refuses a passthrough command that clients on the network may not use (docs/threats.md T8). Throws `unsupported`. */
function checkPassthrough(command: Command): Command {
  if (command.type !== 'unknown' || adapterOf(command.protocol).agent?.allowsPassthrough?.(command.payload) !== false)
    return command;
  throw new GatewayError('unsupported', 'no client on the network may ask that of an agent');
}

/** A thrown error as the outcome of a command. */
export function refusalOf(thrown: unknown): Outcome {
  return refused(thrown instanceof GatewayError ? thrown.code : 'internal', messageOf(thrown));
}
