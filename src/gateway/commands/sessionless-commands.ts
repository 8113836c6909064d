// Carries out the commands of one connection that need no open session: opening, lists, health and metrics.
import type { Principal } from '../../core/contract/principal.ts';
import type { Command } from '../../core/model/command.ts';
import { refused } from '../../core/model/errors.ts';
import type { SessionSummary } from '../../core/model/outcome-data.ts';
import type { Hub } from '../../core/session/hub.ts';
import type { ConnectionSessions } from '../clients/connection-sessions.ts';
import type { SessionOpener } from '../sessions/session-opener.ts';
import { summaryOf } from '../sessions/session-summary.ts';
import { type Conversations, summariesOf } from '../stored/conversations.ts';
import type { StoredSessions } from '../stored/stored-sessions.ts';
import type { SettleWithAfter } from './after-answer.ts';
import type { CommandIntake } from './command-intake.ts';

/** What these commands need from the gateway and their connection. */
export interface SessionlessPorts {
  readonly hub: Hub;
  readonly principal: Principal;
  readonly stored: Pick<StoredSessions, 'list'>;
  /** Absent: none are noted. */
  readonly conversations?: Pick<Conversations, 'list'> | undefined;
  readonly opener: SessionOpener;
  readonly own: Pick<ConnectionSessions, 'mayOpen'>;
  /** Absent: commands of the protocol carry no tickets. */
  readonly intake: CommandIntake | undefined;
}

/** The commands without a session, for one connection. */
export class SessionlessCommands {
  readonly #ports: SessionlessPorts;

  constructor(ports: SessionlessPorts) {
    this.#ports = ports;
  }

  /** Refuses commands that need a session. Throws what SessionOpener throws. */
  execute(command: Command, settle: SettleWithAfter): void {
    const { hub, principal, intake, opener, own } = this.#ports;
    switch (command.type) {
      case 'create-session':
      case 'load-session':
        // The session would have no owner.
        if (!own.mayOpen) return settle({ outcome: refused('shutting-down', 'the client is gone') });
        return command.type === 'create-session' ? opener.create(command, settle) : opener.load(command, settle);
      case 'list-stored-sessions':
        return settle({ outcome: { ok: true, data: { sessions: this.listStored() } } });
      case 'list-sessions':
        return settle({ outcome: { ok: true, data: { sessions: hub.list(principal).map(summaryOf) } } });
      case 'query':
        if (command.subject === 'health' && intake !== undefined) return settle({ outcome: intake.health() });
        if (command.subject === 'metrics' && intake !== undefined)
          return settle({ outcome: intake.metrics(this.#figures()) });
        break;
      default:
    }
    settle({ outcome: refused('invalid', `${command.type} without a session`) });
  }

  /** Stored sessions, newest first; open ones under their ids. */
  listStored(): SessionSummary[] {
    const { hub, stored, conversations } = this.#ports;
    const noted = conversations?.list() ?? [];
    const open = hub.list().flatMap(({ session: { id, transcript } }): [string, string][] => {
      const { file } = transcript.info;
      return file === undefined ? [] : [[file, id]];
    });
    const named = noted.map(({ id, file }): [string, string] => [file, id]).reverse();
    const listed = stored.list(new Map([...named, ...open]));
    return [...listed, ...summariesOf(noted, listed)];
  }

  #figures() {
    const all = this.#ports.hub.list(this.#ports.principal);
    const questions = all.reduce(
      (sum, { session: { transcript } }) => sum + transcript.approvals.size + transcript.dialogs.size,
      0,
    );
    return { sessions: all.length, questions };
  }
}

/** Whether the command is about no session, or about a session that does not exist yet. */
export function isSessionless(command: Command): boolean {
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
