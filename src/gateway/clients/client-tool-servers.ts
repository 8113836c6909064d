// The tool servers that a client brings along: which of them its agent gets. They name programs and hold secrets, so
// only a client that owns this process may bring any (docs/threats.md T8), and no sentence tells more than their names.
import type { BroughtServer } from '../../core/model/session-info.ts';

/** Longest shown name, characters. */
const longestName = 64;

/**
 * The servers for the agent, and a sentence for the user if some are left out: a session opens without them.
 * `areTaken`: the agent takes any.
 */
export function usableServers(
  servers: readonly BroughtServer[],
  { isOurs, areTaken }: { readonly isOurs: boolean; readonly areTaken: boolean },
): { readonly servers: readonly BroughtServer[]; readonly problems: readonly string[] } {
  if (servers.length === 0 || (isOurs && areTaken)) return { servers, problems: [] };
  const why = isOurs ? 'this agent takes no tool servers' : 'clients on the network may bring none';
  const names = servers.map(({ name }) => JSON.stringify(name.slice(0, longestName))).join(', ');
  return { servers: [], problems: [`Tool servers were left out (${names}): ${why}.`] };
}
