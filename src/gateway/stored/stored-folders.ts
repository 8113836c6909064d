// The folders of stored sessions: the gateway's own directory, and the folders of agents that keep sessions themselves.
import { homedir } from 'node:os';
import path from 'node:path';
import type { AdapterOf } from '../../adapters/protocols.ts';
import type { AgentConfig } from '../../config/agent-config.ts';
import type { Config } from '../../config/config.ts';
import type { StoredFormat } from '../../core/contract/adapter/stored-conversations.ts';
import { realOrNull } from '../../stores/paths.ts';
import type { SessionPlaces } from '../../stores/session-places.ts';

/** An agent that keeps its sessions as files on this machine. */
export interface KeepingAgent {
  readonly name: string;
  readonly agent: AgentConfig;
  readonly format: StoredFormat;
}

/** Endings of session files of all kinds (docs/protocols/pi-server.md 20). */
const endings = ['.jsonl', '.json'];

/** The folders with stored sessions of one gateway. */
export class StoredFolders {
  readonly keepingAgents: readonly KeepingAgent[];
  readonly #config: Config;
  readonly #own: string;

  constructor(config: Config, adapterOf: AdapterOf) {
    this.#config = config;
    this.#own = config.sessionDirectory ?? defaultDirectory();
    this.keepingAgents = Object.entries(config.agents).flatMap(([name, agent]) => {
      const format = agent.command === undefined ? undefined : adapterOf(agent.protocol).agent?.stored;
      return format === undefined ? [] : [{ name, agent, format }];
    });
  }

  /** The gateway's own directory, without links. */
  directory(): string {
    return realOrNull(this.#own) ?? this.#own;
  }

  /** Whether the gateway keeps that file itself. */
  isOwn(file: string): boolean {
    return file.startsWith(`${this.directory()}${path.sep}`);
  }

  /** All places that may hold stored sessions. */
  places(): SessionPlaces {
    const { roots } = this.#config;
    return {
      directories: [
        this.#own,
        ...new Set(this.keepingAgents.flatMap(({ agent, format }) => homeFoldersOf(agent, format))),
      ],
      projects: [{ folder: process.cwd(), isRoot: false }, ...roots.map((folder) => ({ folder, isRoot: true }))],
      inProject: [...new Set(this.keepingAgents.flatMap(({ format }) => format.inProject ?? []))],
      endings,
    };
  }

  /** The allowed folders, for an error message. */
  describe(): string {
    const folders = this.keepingAgents.flatMap(({ format }) => [
      ...format.folders.map((folder) => `~/${folder}/`),
      ...(format.inProject ?? []).map((folder) => `${folder}/`),
    ]);
    return ['those that the gateway keeps itself', ...new Set(folders)].join(', ');
  }

  /** The agents that keep files: the preferred one first, then the default agent. */
  inOrder(preferred: string | undefined): readonly KeepingAgent[] {
    const rank = (name: string) => (name === preferred ? 0 : name === this.#config.defaultAgent ? 1 : 2);
    return [...this.keepingAgents].sort((a, b) => rank(a.name) - rank(b.name));
  }
}

/** Folders of an agent in its user's home. The program may have another home than the gateway. */
function homeFoldersOf({ env }: AgentConfig, format: StoredFormat): string[] {
  const home = env?.HOME ?? homedir();
  return path.isAbsolute(home) ? format.folders.map((folder) => path.join(home, folder)) : [];
}

/** The state directory of the user: XDG Base Directory Specification. */
function defaultDirectory(): string {
  const state = process.env.XDG_STATE_HOME;
  const base = state !== undefined && path.isAbsolute(state) ? state : path.join(homedir(), '.local', 'state');
  return path.join(base, 'patchbay', 'sessions');
}
