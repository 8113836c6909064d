// Which agent stands behind `patchbay-pi`, and what of pi's command line reaches it.
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { AgentConfig, Config } from '../config.ts';
import { loadConfig } from '../config.ts';
import type { Capabilities } from '../core/adapter.ts';
import type { Command } from '../core/command.ts';
import { GatewayError } from '../core/errors.ts';
import { adapterOf } from '../agents.ts';
import { modelWish, type PiArgv } from './pi-argv.ts';

/** Starts an agent that is a program at once, as pi itself would be: it may have something to say before it is asked. */
const wake: Command = { type: 'query', subject: 'state' };

/** Holds the agents that were started above us, one a line, so that a circle is seen. */
export const chainVariable = 'PATCHBAY_PI_CHAIN';

/** How often an agent may stand above itself: a tool of a healthy one may well start another. */
const mostGenerations = 4;

/** What the choice depends on. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Our own executable, which must not be taken for pi. */
  readonly self: string;
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

/** Throws `invalid` or `not-found` with what to do about it. */
export function chooseAgent(argv: PiArgv, surroundings: Surroundings): Chosen {
  const { config, name, source, remarks } = findAgent(argv, surroundings);
  const agent = Object.hasOwn(config.agents, name) ? config.agents[name] : undefined;
  if (agent === undefined) {
    const known = Object.keys(config.agents).join(', ');
    throw new GatewayError('not-found', `no agent named ${name}; there are ${known}`);
  }
  const guarded = withChain(agent, `${source}#${name}`, surroundings.env);
  const told = tellAgent(argv, name, guarded);
  return {
    config: { ...config, agents: { ...config.agents, [name]: told.agent }, defaultAgent: name },
    name,
    opening: agent.command === undefined ? told.opening : [wake, ...told.opening],
    remarks: [...remarks, ...told.remarks],
  };
}

interface Found {
  readonly config: Config;
  readonly name: string;
  /** Where it is configured. */
  readonly source: string;
  readonly remarks: readonly string[];
}

function findAgent({ values }: PiArgv, { env, self }: Surroundings): Found {
  // An empty variable is a variable that nobody has set.
  const path = values.get('--patchbay-config') ?? (env.PATCHBAY_CONFIG || undefined);
  const name = values.get('--patchbay-agent') ?? (env.PATCHBAY_AGENT || undefined);
  const config = loadConfig(path);
  const file = path ?? 'patchbay.json';
  const source = existsSync(file) ? realpathSync(file) : '';
  if (name !== undefined) return { config, name, source, remarks: [] };
  if (source !== '') return { config, name: config.defaultAgent ?? 'demo', source, remarks: [] };
  const pi = findPi(env.PATH ?? '', self);
  const hint = 'set PATCHBAY_AGENT or PATCHBAY_CONFIG, or write a patchbay.json, to choose another';
  if (pi === null) {
    const remark = `no patchbay.json here and no pi on the PATH: the demo agent answers; ${hint}`;
    return { config, name: 'demo', source, remarks: [remark] };
  }
  const agents = { ...config.agents, pi: { protocol: 'pi', command: [pi] satisfies AgentConfig['command'] } };
  const remark = `no patchbay.json here: ${pi} answers; ${hint}`;
  return { config: { ...config, agents }, name: 'pi', source: pi, remarks: [remark] };
}

/** The first `pi` of the PATH that is not ourselves under that name. */
export function findPi(path: string, self: string): string | null {
  const own = realpathSync(self);
  for (const folder of path.split(delimiter)) {
    const file = join(folder, 'pi');
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
function withChain(agent: AgentConfig, place: string, env: Surroundings['env']): AgentConfig {
  if (agent.command === undefined) return agent;
  const above = (env[chainVariable] ?? '').split('\n').filter(Boolean);
  if (above.filter((other) => other === place).length >= mostGenerations) {
    const sentence = `the agent ${place} leads back to patchbay-pi itself: its command must start the agent's own program`;
    throw new GatewayError('invalid', `${sentence} (if that is meant, begin its command with env -u ${chainVariable})`);
  }
  return { ...agent, env: { ...agent.env, [chainVariable]: [...above, place].join('\n') } };
}

interface Told {
  readonly agent: AgentConfig;
  readonly opening: readonly Command[];
  readonly remarks: readonly string[];
}

function tellAgent(argv: PiArgv, name: string, agent: AgentConfig): Told {
  const { command, protocol } = agent;
  if (command !== undefined && protocol === 'pi') {
    // Last, because for pi the last one counts.
    return { agent: { ...agent, command: [...command, ...inRpcMode(argv, argv.words)] }, opening: [], remarks: [] };
  }
  if (command !== undefined && protocol === 'pi-legacy') {
    const heard = argv.given.filter((flag) => flag.legacy).flatMap((flag) => flag.words);
    const unheard = argv.given.filter((flag) => !flag.legacy && !flag.idle).map((flag) => flag.name);
    const remarks = unheard.length === 0 ? [] : [`a legacy pi does not know ${list(unheard)}`];
    return { agent: { ...agent, command: [...command, ...inRpcMode(argv, heard)] }, opening: [], remarks };
  }
  return { agent, ...ask(argv, name, adapterOf(protocol).can) };
}

function inRpcMode({ values }: PiArgv, words: readonly string[]): readonly string[] {
  return values.has('--mode') ? words : ['--mode', 'rpc', ...words];
}

/** What another kind of agent can be asked instead. */
function ask(argv: PiArgv, name: string, can: Capabilities): Pick<Told, 'opening' | 'remarks'> {
  const opening: Command[] = [];
  const heard = new Set<string>();
  const offer = (command: Command, ...flags: string[]) => {
    if (!can.commands.includes(command.type)) return;
    opening.push(command);
    for (const flag of flags) heard.add(flag);
  };
  const { provider, model, thinking } = modelWish(argv);
  if (model !== undefined)
    offer({ type: 'set-model', model, ...(provider === undefined ? {} : { provider }) }, '--model', '--provider');
  if (thinking !== undefined) offer({ type: 'set-thinking', level: thinking }, '--thinking');
  const session = argv.values.get('--session');
  if (session !== undefined) offer({ type: 'switch-session', path: session }, '--session');
  const unheard = argv.given.filter((flag) => !flag.idle && !heard.has(flag.name)).map((flag) => flag.name);
  return { opening, remarks: unheard.length === 0 ? [] : [`the agent ${name} does not take ${list(unheard)}`] };
}

function list(names: readonly string[]): string {
  return [...new Set(names)].join(', ');
}
