// The two ways in which every command names its agent: an entry of patchbay.json, or a protocol with a program or URL.
import { type Command, InvalidArgumentError } from 'commander';

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
