// The session that a client wants to open, checked: its agent, its id and its folders.
import { randomUUID } from 'node:crypto';
import type { AgentConfig } from '../../config/agent-config.ts';
import type { Config } from '../../config/config.ts';
import type { Principal } from '../../core/contract/principal.ts';
import type { Message } from '../../core/model/content.ts';
import type { BroughtServer } from '../../core/model/session-info.ts';
import type { Agents } from '../agents.ts';
import { folderAt, usableFolders } from '../clients/client-folders.ts';
import { usableServers } from '../clients/client-tool-servers.ts';
import type { Log } from '../log.ts';
import type { FoundSession } from '../stored/stored-sessions.ts';

/** The session that a client wants to open. */
export interface SessionRequest {
  /** Name of the agent in the configuration. Default: the default agent. */
  readonly agent?: string | undefined;
  readonly id?: string | undefined;
  readonly cwd?: string | undefined;
  /** Folders that the user works in. The first is the working directory, unless `cwd` is set. */
  readonly folders?: readonly string[] | undefined;
  /** How long questions stay open, ms. Default: as configured. */
  readonly questionMs?: number | undefined;
  /** Keep the session as a file, if its agent keeps none. */
  readonly keep?: boolean | undefined;
  /** The stored session to continue. */
  readonly found?: FoundSession | undefined;
  /** The agent's own conversation that its first agent opens; see SessionPorts. */
  readonly resume?: string | undefined;
  /** Tool servers for the agent; secret. */
  readonly toolServers?: readonly BroughtServer[] | undefined;
  /** The history of the session, if no file holds it. */
  readonly history?: readonly Message[] | undefined;
  /** The session is made again from a store. */
  readonly isBack?: boolean | undefined;
  /** Called when the agent is gone, with the reason. */
  ending?(sentence: string): void;
  /** The caller announces the session later, by Sessions.announce. */
  readonly isQuiet?: boolean | undefined;
}

/** Called when an agent is gone that nobody sent away. `wasSilent`: the session has no event yet. */
export type AgentLost = (sentence: string, wasSilent: boolean) => void;

/** A request after all checks. */
export interface CheckedRequest {
  readonly request: SessionRequest;
  readonly id: string;
  readonly agentName: string;
  readonly agent: AgentConfig;
  /** The directory that the client chose, if any. */
  readonly cwd: string | undefined;
  /** The working directory of the agent. */
  readonly place: string;
  /** Folders that clients may see. */
  readonly folders: readonly string[];
  /** Tool servers that the agent gets. */
  readonly toolServers: readonly BroughtServer[];
  readonly problems: readonly string[];
  readonly createdAt: string;
  readonly isOurs: boolean;
}

/** The dependencies of the checks. */
export interface CheckPorts {
  readonly agents: Pick<Agents, 'named' | 'takesToolServers'>;
  readonly config: Pick<Config, 'roots'>;
  readonly log: Log;
  /** Ids of new sessions begin with this name and a hyphen. */
  readonly node?: string | undefined;
}

/** Checks a request. `isOurs`: the client owns this process. Throws `not-found` or `invalid`. */
export function checkRequest(
  request: SessionRequest,
  { principal, isOurs }: { readonly principal: Principal; readonly isOurs: boolean },
  ports: CheckPorts,
): CheckedRequest {
  const { agents, config, log, node } = ports;
  const scope = { isOurs, roots: config.roots };
  const [agentName, agent] = agents.named(request.agent, principal);
  const { folders: named, problems: ofFolders } = usableFolders(request.folders ?? [], scope);
  const left = (request.folders ?? []).length - named.length;
  if (ofFolders.length > 0) log('warn', 'folders of the client are left out', { left });
  const cwd = request.cwd === undefined ? named[0] : folderAt(request.cwd, scope);
  const place = cwd ?? agent.cwd ?? process.cwd();
  // Clients on the network do not learn the configured directory of the agent.
  const folders = named.length > 0 ? named : isOurs ? [place] : cwd === undefined ? [] : [cwd];
  const id = request.id ?? (node === undefined ? randomUUID() : `${node}-${randomUUID()}`);
  const createdAt = new Date().toISOString();
  const brought = request.toolServers ?? [];
  const { servers: toolServers, problems: ofServers } = usableServers(brought, {
    isOurs,
    areTaken: agents.takesToolServers(agent),
  });
  if (ofServers.length > 0) log('warn', 'tool servers of the client are left out', { left: brought.length });
  const problems = [...ofFolders, ...ofServers];
  return { request, id, agentName, agent, cwd, place, folders, toolServers, problems, createdAt, isOurs };
}
