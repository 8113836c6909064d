// Which agent stands behind a stand-in, whatever program that stands in for: who is chosen, and that no circle is
// started. Knows no protocol and no command line.
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type AgentConfig, type Config, loadConfig, parseConfig } from '../config/config.ts';
import type { Command } from '../core/model/command.ts';
import { GatewayError } from '../core/model/errors.ts';
import { didYouMean } from '../core/model/similar-names.ts';

/** Starts an agent that is a program at once, as the real one would be: it may have something to say before it is asked. */
export const startAgent: Command = { type: 'query', subject: 'state' };

/** Holds the agents that were started above us, one a line, so that a circle is seen. */
export const chainVariable = 'PATCHBAY_CHAIN';

/** How often an agent may stand above itself: a tool of a healthy one may well start another. */
const mostGenerations = 4;

/** What the choice depends on. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Our own executable, which must not be taken for the real one. */
  readonly self: string;
}

/** A program of ours in the place of another. */
export interface StandIn {
  /** Our name. */
  readonly program: string;
  /** The name of the other program, which is also that of its protocol. */
  readonly instead: string;
  /** What the other program is started with when it is found; default nothing. */
  readonly words?: readonly string[];
  /** The configuration that is read when none is named; default `patchbay.json` where we were started. */
  readonly configFile?: string;
}

/** An agent, ready to be served. */
export interface Chosen {
  readonly config: Config;
  readonly name: string;
  /** To be carried out before the client says anything. */
  readonly opening: readonly Command[];
  /** Sentences for people: what is served where nobody has said it, and what of the command line is not heard. */
  readonly remarks: readonly string[];
}

/** An agent that was found, before it is told anything. */
export interface Found {
  readonly config: Config;
  readonly name: string;
  /** A program has the chain in its environment. */
  readonly agent: AgentConfig;
  readonly remarks: readonly string[];
}

/** `values`: our own options. Throws `invalid` or `not-found` with what to do about it. */
export function findAgent(standIn: StandIn, values: ReadonlyMap<string, string>, { env, self }: Surroundings): Found {
  const { config, name, source, remarks } = choose(standIn, values, env, self);
  const agent = Object.hasOwn(config.agents, name) ? config.agents[name] : undefined;
  if (agent === undefined) {
    const names = Object.keys(config.agents);
    throw new GatewayError('not-found', `no agent named ${name}; ${didYouMean(name, names)}`);
  }
  return { config, name, agent: withChain(standIn, agent, `${source}#${name}`, env), remarks };
}

/** The configuration with that agent in place of what it was, as the default. */
export function withAgent(config: Config, name: string, agent: AgentConfig): Config {
  return { ...config, agents: { ...config.agents, [name]: agent }, defaultAgent: name };
}

interface Choice {
  readonly config: Config;
  readonly name: string;
  /** Where it is configured. */
  readonly source: string;
  readonly remarks: readonly string[];
}

function choose(
  { instead, words = [], configFile }: StandIn,
  values: ReadonlyMap<string, string>,
  env: Surroundings['env'],
  self: string,
): Choice {
  // An empty variable is a variable that nobody has set.
  const path = values.get('--patchbay-config') ?? (env.PATCHBAY_CONFIG || undefined);
  const name = values.get('--patchbay-agent') ?? (env.PATCHBAY_AGENT || undefined);
  const isMissing = path === undefined && configFile !== undefined && !existsSync(configFile);
  const config = isMissing ? parseConfig({}) : loadConfig(path ?? configFile);
  const file = path ?? configFile ?? 'patchbay.json';
  const source = existsSync(file) ? realpathSync(file) : '';
  if (name !== undefined) return { config, name, source, remarks: [] };
  if (source !== '') return { config, name: config.defaultAgent ?? 'demo', source, remarks: [] };
  const real = findProgram(instead, env.PATH ?? '', self);
  const [missing, wanted] =
    configFile === undefined ? ['no patchbay.json here', 'a patchbay.json'] : [`no ${configFile}`, 'that file'];
  const hint = `set PATCHBAY_AGENT or PATCHBAY_CONFIG, or write ${wanted}, to choose another`;
  if (real === null) {
    const remark = `${missing} and no ${instead} on the PATH: the demo agent answers; ${hint}`;
    return { config, name: 'demo', source, remarks: [remark] };
  }
  const command: AgentConfig['command'] = [real, ...words];
  const agents = { ...config.agents, [instead]: { protocol: instead, command } };
  const remark = `${missing}: ${real} answers; ${hint}`;
  return { config: { ...config, agents }, name: instead, source: real, remarks: [remark] };
}

/**
 * The first program of that name on the PATH that is not ourselves under that name. An empty or relative entry means the
 * working directory, and what lies in somebody's project is nothing that the user has installed.
 */
export function findProgram(name: string, path: string, self: string): string | null {
  const own = realpathSync(self);
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile() && realpathSync(file) !== own) return file;
    } catch {
      // Not there, or not for us.
    }
  }
  return null;
}

/** The agent with the chain in its environment. Throws `invalid` when it is in the chain too often. */
function withChain({ program }: StandIn, agent: AgentConfig, place: string, env: Surroundings['env']): AgentConfig {
  if (agent.command === undefined) return agent;
  const above = (env[chainVariable] ?? '').split('\n').filter(Boolean);
  if (above.filter((other) => other === place).length >= mostGenerations) {
    const sentence = `the agent ${place} leads back to ${program} itself: its command must start the agent's own program`;
    throw new GatewayError('invalid', `${sentence} (if that is meant, begin its command with env -u ${chainVariable})`);
  }
  return { ...agent, env: { ...agent.env, [chainVariable]: [...above, place].join('\n') } };
}

/** Names in a row, each once. */
export function listOf(names: readonly string[]): string {
  return [...new Set(names)].join(', ');
}
