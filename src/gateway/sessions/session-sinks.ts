// The command sink of one session. Checks the commands of network clients first.
import type { AdapterOf } from '../../adapters/protocols.ts';
import type { NoteLevel } from '../../core/contract/adapter/action.ts';
import type { CommandSink } from '../../core/link/frontend-driver.ts';
import type { Command } from '../../core/model/command.ts';
import { GatewayError, messageOf, type Outcome, refused } from '../../core/model/errors.ts';
import { withRememberablePermissions } from '../../core/session/rememberable-permissions.ts';
import type { Session } from '../../core/session/session.ts';
import { withPathsInside } from '../../stores/stored-sessions.ts';
import type { Notes } from '../notes.ts';
import type { StoredSessions } from '../stored/stored-sessions.ts';

/** The dependencies of a sink. */
export interface SessionSinkPorts {
  readonly adapterOf: AdapterOf;
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

/** Checks and adapts the command of a network client. Throws `unsupported` or `invalid`. */
function admit(command: Command, session: Session, ports: SessionSinkPorts): Command {
  const { roots, stored, notes } = ports;
  // A new session names folders, and an agent must not find out which folders may be used.
  if (command.type === 'create-session') throw new GatewayError('unsupported', 'this connection already has a session');
  const dropped = () =>
    notes.add(session.id, 'loss', 'answer-approval: a permission that was not suggested is not kept');
  const suggested = withRememberablePermissions(checkPassthrough(command, ports), session.transcript, dropped);
  const file = suggested.type === 'switch-session' ? stored.fileAt(suggested.path) : null;
  // A session that the client may load may also be switched to: to the agent both are the same.
  if (suggested.type === 'switch-session' && file !== null) return { ...suggested, path: file };
  return withPathsInside(suggested, roots);
}

/** Refuses a passthrough command that clients on the network may not use (docs/threats.md T8). Throws `unsupported`. */
function checkPassthrough(command: Command, { adapterOf }: Pick<SessionSinkPorts, 'adapterOf'>): Command {
  if (command.type !== 'unknown' || adapterOf(command.protocol).agent?.allowsPassthrough?.(command.payload) !== false)
    return command;
  throw new GatewayError('unsupported', 'clients on the network may not send this command to an agent');
}

/** A thrown error as the outcome of a command. */
export function refusalOf(thrown: unknown): Outcome {
  return refused(thrown instanceof GatewayError ? thrown.code : 'internal', messageOf(thrown));
}
