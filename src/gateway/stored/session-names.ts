// The stored session that a name means: a file that the gateway reads or finds, or a conversation that only its agent
// can find.
import path from 'node:path';
import type { Principal } from '../../core/contract/principal.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { Agents } from '../agents.ts';
import type { FoundSession, StoredSessions } from './stored-sessions.ts';

/** The dependencies of the search. */
export interface SessionNamePorts {
  readonly stored: Pick<StoredSessions, 'named'>;
  readonly agents: Pick<Agents, 'named' | 'resumptionFault'>;
  readonly principal: Principal;
}

/** A stored session: its file, or the agent that is asked for it. */
export type NamedSession = { readonly found: FoundSession } | { readonly agent: string };

/** Longest part of an unknown name that an error message quotes, characters. */
const longestShown = 256;

/**
 * The session of that name. `wanted`: the agent that the client has named. Throws `not-found`, or `invalid` for a path
 * that the client may not have (docs/threats.md T9).
 */
export function storedSessionNamed(name: string, wanted: string | undefined, ports: SessionNamePorts): NamedSession {
  const { agents, stored, principal } = ports;
  const [agent, configured] = agents.named(wanted, principal);
  const fault = agents.resumptionFault(configured, name);
  // A file of an agent on another machine has its path there.
  if (fault === null && (wanted !== undefined || path.isAbsolute(name))) return { agent };
  const found = stored.named(name, wanted);
  if (found !== null) {
    if (wanted !== undefined && found.agent !== agent)
      throw new GatewayError('invalid', 'the stored session belongs to another agent');
    return { found };
  }
  if (fault === null) return { agent };
  const why = fault === undefined ? 'its agents keep no sessions' : `for an agent like ${agent} it ${fault}`;
  throw new GatewayError('not-found', `no stored session ${JSON.stringify(name.slice(0, longestShown))} (${why})`);
}
