// Deletes sessions with all that is stored of them, for one connection: at their agents, and the files here.
import type { Principal } from '../../core/contract/principal.ts';
import { type Outcome, refused } from '../../core/model/errors.ts';
import type { SessionSummary } from '../../core/model/outcome-data.ts';
import type { Session } from '../../core/session/session.ts';
import { codeOf } from '../../stores/verify-open-file.ts';
import type { Agents } from '../agents.ts';
import { refusalFor } from '../rights.ts';
import type { SessionOpener } from '../sessions/session-opener.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Conversations } from '../stored/conversations.ts';
import type { StoredSessions } from '../stored/stored-sessions.ts';
import type { SettleWithAfter } from './after-answer.ts';

/** The dependencies of the deletion. */
export interface SessionDeletionPorts {
  readonly sessions: Pick<Sessions, 'find' | 'agentOf'>;
  readonly agents: Pick<Agents, 'canDelete'>;
  readonly stored: Pick<StoredSessions, 'remove'>;
  /** Absent: none are noted. */
  readonly conversations?: Pick<Conversations, 'find'> | undefined;
  readonly opener: Pick<SessionOpener, 'load'>;
  readonly principal: Principal;
  /** The stored sessions, open ones under their ids. */
  list(): readonly SessionSummary[];
}

/** Deletes for one connection. */
export class SessionDeletion {
  readonly #ports: SessionDeletionPorts;

  constructor(ports: SessionDeletionPorts) {
    this.#ports = ports;
  }

  /** Throws what SessionOpener throws. */
  carryOut(id: string, settle: SettleWithAfter): void {
    const { sessions, principal } = this.#ports;
    if (sessions.agentOf(id, principal) === undefined) this.#deleteStored(id, settle);
    else this.#deleteOpen(sessions.find(id, principal).session, settle);
  }

  #deleteOpen(session: Session, settle: SettleWithAfter): void {
    const { file } = session.transcript.info;
    session.delete({ type: 'delete-session', stored: true }, (outcome, close) => {
      // A session writes the rest of its file when it ends.
      close();
      settle({ outcome: outcome.ok ? this.#removeFile(file) : outcome });
    });
  }

  /** An agent that may have a word for the deletion is started for that. */
  #deleteStored(id: string, settle: SettleWithAfter): void {
    const { principal, conversations, opener, agents, sessions } = this.#ports;
    const mayNot = refusalFor(principal, { type: 'list-stored-sessions' }) !== null;
    const found = mayNot ? undefined : this.#ports.list().find((one) => one.id === id);
    if (found === undefined) return settle({ outcome: refused('not-found', `session ${id} not found`) });
    const done = () => settle({ outcome: this.#removeFile(found.file) });
    const noted = conversations?.find(id) ?? null;
    if (noted === null || !agents.canDelete(noted.agent)) return done();
    opener.load({ type: 'load-session', path: id, id }, ({ outcome }) => {
      if (outcome.ok) return this.#deleteOpen(sessions.find(id, principal).session, settle);
      // An agent that has lost the conversation has nothing to delete.
      if (outcome.error.code === 'not-found') done();
      else settle({ outcome });
    });
  }

  #removeFile(file: string | undefined): Outcome {
    try {
      if (file !== undefined) this.#ports.stored.remove(file);
      return { ok: true };
    } catch (thrown) {
      // Only the error code: the system's error text names our directories.
      return refused(
        'internal',
        `the file of the session could not be deleted (${String(codeOf(thrown) ?? 'unknown')})`,
      );
    }
  }
}
