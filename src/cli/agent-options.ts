// The two ways in which every command names its agent: an entry of patchbay.json, or a protocol with a program or URL.
import { type Command, InvalidArgumentError } from 'commander';
import { adapterOf } from '../gateway/agents.ts';
import { AgentConfig, type Config, loadConfig } from '../config/config.ts';
import { GatewayError } from '../core/model/errors.ts';
import { didYouMean } from '../core/model/similar-names.ts';

/** What the options give. */
export interface AgentOptions {
  readonly config?: string;
  readonly agent?: string;
  readonly backend?: string;
  readonly url?: string;
  readonly option?: Readonly<Record<string, string>>;
}

/** Adds the options and the program's argv after `--`. */
export function withAgentOptions(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file (default: ./patchbay.json if it exists)')
    .option('--agent <name>', 'an agent of the configuration, or `demo`')
    .option('--backend <protocol>', 'protocol of the agent that follows after `--` or is named by --url')
    .option('--url <url>', 'WebSocket address of an agent')
    .option('--option <name=value>', 'an option of the agent’s adapter; may be repeated', collect, {})
    .argument('[command...]', 'the agent’s program and arguments, after `--`');
}

/** Reads `name=value` pairs into one object. */
export function collect(text: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('must be name=value');
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) };
}

/** The name that an agent from the command line has. */
const given = 'command-line';

/** The configuration with the chosen agent as its default. Throws `invalid` with what to do about it. */
export function configFrom(options: AgentOptions, command: readonly string[]): Config {
  const config = loadConfig(options.config);
  const [program, ...rest] = command;
  if (options.backend === undefined) {
    if (program !== undefined || options.url !== undefined) {
      throw new GatewayError('invalid', 'say which protocol the agent speaks: --backend <protocol>');
    }
    if (options.agent === undefined) return config;
    if (!Object.hasOwn(config.agents, options.agent)) {
      const names = Object.keys(config.agents);
      throw new GatewayError('invalid', `no agent named ${options.agent}; ${didYouMean(options.agent, names)}`);
    }
    return { ...config, defaultAgent: options.agent };
  }
  if (options.agent !== undefined) throw new GatewayError('invalid', 'give --agent or --backend, not both');
  const adapter = adapterOf(options.backend, 'agent');
  if (adapter.agent === undefined) throw new GatewayError('invalid', `${adapter.id} has no agent side`);
  const agent = AgentConfig.safeParse({
    protocol: adapter.id,
    command: program === undefined ? undefined : [program, ...rest],
    url: options.url,
    options: options.option,
  });
  if (!agent.success) throw new GatewayError('invalid', agent.error.issues[0]?.message ?? 'bad agent');
  const isInside = adapter.id === 'demo' || adapter.agent.connect !== undefined;
  if (agent.data.command === undefined && agent.data.url === undefined && !isInside) {
    throw new GatewayError('invalid', `where is the agent? add \`-- <program> <arguments…>\` or --url`);
  }
  return { ...config, agents: { ...config.agents, [given]: agent.data }, defaultAgent: given };
}
