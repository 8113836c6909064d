// Builds the configuration from the options of agent-options.ts.
import { protocolOf } from '../../adapters/protocols.ts';
import { AgentConfig } from '../../config/agent-config.ts';
import { type Config, configFileOf, loadConfig } from '../../config/config.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { didYouMean } from '../../core/model/similar-names.ts';
import { stderrLog } from '../stderr-log.ts';
import type { AgentOptions } from './agent-options.ts';

/** The configuration name of an agent given on the command line. */
const given = 'command-line';

/** Says on stderr which configuration file counts, if any: a file in the working directory may be somebody else's. */
export function tellConfigFile({ config }: AgentOptions): void {
  const file = configFileOf(config);
  if (file !== null) stderrLog('info')('info', 'the configuration is that of a file', { file });
}

/** The configuration with the chosen agent as its default. Throws `invalid` with advice for the user. */
export function configFrom(options: AgentOptions, command: readonly string[]): Config {
  const config = loadConfig(options.config);
  const [program, ...rest] = command;
  if (options.backend === undefined) {
    if (program !== undefined || options.url !== undefined) {
      throw new GatewayError('invalid', 'the protocol of the agent is missing: add --backend <protocol>');
    }
    if (options.agent === undefined) return config;
    if (!Object.hasOwn(config.agents, options.agent)) {
      const names = Object.keys(config.agents);
      throw new GatewayError('invalid', `no agent named ${options.agent}; ${didYouMean(options.agent, names)}`);
    }
    return { ...config, defaultAgent: options.agent };
  }
  if (options.agent !== undefined) throw new GatewayError('invalid', 'give --agent or --backend, not both');
  const protocol = protocolOf(options.backend, 'agent');
  if (protocol.agent === undefined) throw new GatewayError('invalid', `${protocol.id} has no agent side`);
  const agent = AgentConfig.safeParse({
    protocol: protocol.id,
    command: program === undefined ? undefined : [program, ...rest],
    url: options.url,
    options: options.option,
  });
  if (!agent.success) throw new GatewayError('invalid', agent.error.issues[0]?.message ?? 'bad agent');
  if (agent.data.command === undefined && agent.data.url === undefined && protocol.agent.isBuiltIn !== true) {
    throw new GatewayError('invalid', `where is the agent? add \`-- <program> <arguments…>\` or --url`);
  }
  return { ...config, agents: { ...config.agents, [given]: agent.data }, defaultAgent: given };
}
