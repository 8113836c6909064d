// Chooses the agent behind a stand-in program, for any program that is replaced. Also refuses an agent whose command
// leads back to the stand-in.
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { AgentConfig } from '../../config/agent-config.ts';
import { type Config, loadConfig, parseConfig } from '../../config/config.ts';
import type { Command } from '../../core/model/command.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { didYouMean } from '../../core/model/similar-names.ts';

/**
 * A query that starts the agent program at once. The program that we replace starts at once too, and may send frames
 * before the first request of the client.
 */
export const startAgent: Command = { type: 'query', subject: 'state' };

/** Lists the agents among our ancestor processes, one per line, so that a start loop is detected. */
export const chainVariable = 'PATCHBAY_CHAIN';

/** How often an agent may appear among its own ancestors. A tool of a healthy agent may start the same agent again. */
const mostGenerations = 4;

/** The environment of the choice. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path of our own executable, which must not be taken for the replaced program. */
  readonly self: string;
  /** The user's home directory. */
  readonly home: string;
}

/** A stand-in: one of our programs that replaces another. */
export interface StandIn {
  /** The name of the stand-in. */
  readonly program: string;
  /** The name of the replaced program, which is also the name of its protocol. Absent: many programs speak it. */
  readonly instead?: string;
  /** Arguments for the replaced program if it is found on the PATH; default none. */
  readonly words?: readonly string[];
}

/** The chosen agent, with everything needed to serve a client. */
export interface Chosen {
  readonly config: Config;
  readonly name: string;
  /** Commands to carry out before the first command of the client. */
  readonly opening: readonly Command[];
  /** Sentences for the user: an agent that was chosen by default, and options that the agent does not take. */
  readonly remarks: readonly string[];
}

/** The chosen agent, before options of the command line are applied. */
export interface Found {
  readonly config: Config;
  readonly name: string;
  /** For a program, the environment includes {@link chainVariable}. */
  readonly agent: AgentConfig;
  readonly remarks: readonly string[];
}

/**
 * Chooses the agent. `values` holds the `--patchbay-…` options. Throws `invalid` or `not-found` with advice for the
 * user.
 */
export function findAgent(standIn: StandIn, values: ReadonlyMap<string, string>, surroundings: Surroundings): Found {
  const { env } = surroundings;
  const { config, name, source, remarks } = choose(standIn, values, surroundings);
  const agent = Object.hasOwn(config.agents, name) ? config.agents[name] : undefined;
  if (agent === undefined) {
    const names = Object.keys(config.agents);
    throw new GatewayError('not-found', `no agent named ${name}; ${didYouMean(name, names)}`);
  }
  return { config, name, agent: withChain(standIn, agent, `${source}#${name}`, env), remarks };
}

/** The configuration with `agent` under `name`, as the default agent. */
export function withAgent(config: Config, name: string, agent: AgentConfig): Config {
  return { ...config, agents: { ...config.agents, [name]: agent }, defaultAgent: name };
}

interface Choice {
  readonly config: Config;
  readonly name: string;
  /** The real path of the configuration file or of the program; empty for neither. */
  readonly source: string;
  readonly remarks: readonly string[];
}

function choose(
  { instead, words = [] }: StandIn,
  values: ReadonlyMap<string, string>,
  { env, self, home }: Surroundings,
): Choice {
  // An empty environment variable counts as unset.
  const path = values.get('--patchbay-config') ?? (env.PATCHBAY_CONFIG || undefined);
  const name = values.get('--patchbay-agent') ?? (env.PATCHBAY_AGENT || undefined);
  const file = path ?? userConfigFile({ env, home });
  const isMissing = path === undefined && !existsSync(file);
  const config = isMissing ? parseConfig({}) : loadConfig(file);
  const source = isMissing ? '' : realpathSync(file);
  if (name !== undefined) return { config, name, source, remarks: [] };
  if (!isMissing) return { config, name: config.defaultAgent ?? 'demo', source, remarks: [] };
  const real = instead === undefined ? null : findProgram(instead, env.PATH ?? '', self);
  const hint = 'set PATCHBAY_AGENT or PATCHBAY_CONFIG, or write that file, to choose another';
  const unread = existsSync('patchbay.json')
    ? [
        'the patchbay.json of the working directory is not read: set PATCHBAY_CONFIG=patchbay.json if you trust the file',
      ]
    : [];
  if (real === null || instead === undefined) {
    const program = instead === undefined ? '' : ` and no ${instead} on the PATH`;
    const remark = `no ${file}${program}: the demo agent answers; ${hint}`;
    return { config, name: 'demo', source, remarks: [remark, ...unread] };
  }
  const command: AgentConfig['command'] = [real, ...words];
  const agents = { ...config.agents, [instead]: { protocol: instead, command } };
  const remark = `no ${file}: ${real} answers; ${hint}`;
  return { config: { ...config, agents }, name: instead, source: real, remarks: [remark, ...unread] };
}

/**
 * The configuration file of the user (XDG base directories). The working directory is no substitute: programs and
 * editors start stand-ins in the project or beside the executable (docs/protocols/eca.md 2.2), and a project must not
 * choose the programs to start (docs/threats.md T8).
 */
export function userConfigFile({ env, home }: Pick<Surroundings, 'env' | 'home'>): string {
  const given = env.XDG_CONFIG_HOME ?? '';
  return join(isAbsolute(given) ? given : join(home, '.config'), 'agent-patchbay', 'patchbay.json');
}

/**
 * The first program with this name on the PATH that is not our own executable. Skips empty and relative entries: they
 * mean the working directory, and the user has not installed the programs of a project.
 */
export function findProgram(name: string, path: string, self: string): string | null {
  const own = realpathSync(self);
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile() && realpathSync(file) !== own) return file;
    } catch {
      // Missing, or not executable for this user.
    }
  }
  return null;
}

/**
 * The agent with itself appended to {@link chainVariable}. Throws `invalid` if the chain already contains it too often.
 */
function withChain({ program }: StandIn, agent: AgentConfig, place: string, env: Surroundings['env']): AgentConfig {
  if (agent.command === undefined) return agent;
  const above = (env[chainVariable] ?? '').split('\n').filter(Boolean);
  if (above.filter((other) => other === place).length >= mostGenerations) {
    const sentence = `the agent ${place} leads back to ${program} itself: its command must start the agent's own program`;
    throw new GatewayError('invalid', `${sentence} (if that is meant, begin its command with env -u ${chainVariable})`);
  }
  return { ...agent, env: { ...agent.env, [chainVariable]: [...above, place].join('\n') } };
}

/** Joins the names with commas, each once. */
export function listOf(names: readonly string[]): string {
  return [...new Set(names)].join(', ');
}
