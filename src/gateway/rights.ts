// What the holder of a token may do with a command (docs/threats.md T20, T24). Which sessions it reaches: principal.ts.
import type { Principal } from '../core/contract/principal.ts';
import type { CommandSink } from '../core/link/frontend-driver.ts';
import type { Command } from '../core/model/command.ts';
import { type Outcome, refused } from '../core/model/errors.ts';
import type { Session } from '../core/session/session.ts';

/** The refusal of a command that the principal may not give, whatever the session; null if the principal may. */
export function refusalFor(principal: Principal, command: Command): Outcome | null {
  if (principal.role === 'observer' && !isReading(command)) return refused('unauthorized', 'this token may only read');
  if (principal.sessions === 'own' && isAboutStored(command)) {
    return refused('unauthorized', 'this token reaches only the sessions that it has opened');
  }
  return null;
}

/**
 * The refusal of a query of an observer that would start the agent; null if nothing would be started. A session whose
 * agent has ended answers itself.
 */
export function refusalIn({ hasAgent, state }: Session, { role }: Principal, { type }: Command): Outcome | null {
  if (role === 'controller' || type !== 'query' || hasAgent || state === 'down') return null;
  return refused('unauthorized', 'this token may only read, and the agent of this session does not run');
}

/** The sink with these rights. */
export function withRights<Sink extends Pick<CommandSink, 'submit'>>(sink: Sink, principal: Principal): Sink {
  if (principal.role === 'controller' && principal.sessions === 'all') return sink;
  return {
    ...sink,
    submit(...[command, settle, session, ticket]: Parameters<CommandSink['submit']>) {
      const refusal = refusalFor(principal, command);
      if (refusal === null) sink.submit(command, settle, session, ticket);
      else settle(refusal);
    },
  };
}

function isReading({ type }: Command): boolean {
  return type === 'query' || type === 'list-sessions' || type === 'list-stored-sessions';
}

/** Stored sessions name no owner. */
function isAboutStored(command: Command): boolean {
  switch (command.type) {
    case 'list-stored-sessions':
    case 'load-session':
    case 'switch-session':
      return true;
    case 'query':
      return command.subject === 'session-files';
    default:
      return false;
  }
}
