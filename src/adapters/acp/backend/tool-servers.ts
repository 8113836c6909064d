// The tool servers that a client brings, as an ACP agent takes them. They hold secrets: they are told to the agent alone
// (docs/protocols/acp.md 3.15).

import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { BroughtServer } from '../../../core/model/session-info.ts';
import type { AgentCapabilities } from '../wire/agent.ts';

/** The servers for the agent, and sentences for the user about those that it cannot use; they name no secret. */
export function serversFor(
  brought: readonly BroughtServer[],
  { mcpCapabilities }: AgentCapabilities,
): { readonly servers: readonly object[]; readonly problems: readonly string[] } {
  const servers: object[] = [];
  const problems: string[] = [];
  const takes = dictionaryOf(mcpCapabilities);
  for (const { name, config } of brought) {
    const { type, command, args, env, url, headers } = config;
    if (typeof command === 'string') {
      servers.push({ name, command, args: Array.isArray(args) ? args : [], env: pairs(env) });
    } else if ((type === 'http' || type === 'sse') && typeof url === 'string' && takes[type] === true) {
      servers.push({ type, name, url, headers: pairs(headers) });
    } else problems.push(`The agent cannot use the tool server ${JSON.stringify(name.slice(0, 64))}.`);
  }
  return { servers, problems };
}

function pairs(values: unknown): object[] {
  if (!isDictionary(values)) return [];
  return Object.entries(values).flatMap(([name, value]) => (typeof value === 'string' ? [{ name, value }] : []));
}
