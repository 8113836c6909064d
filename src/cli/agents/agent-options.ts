// The options with which every command names its agent: an entry of patchbay.json, or a protocol plus a program or URL.
import { type Command, InvalidArgumentError } from 'commander';

/** The parsed options. */
export interface AgentOptions {
  readonly config?: string;
  readonly agent?: string;
  readonly backend?: string;
  readonly url?: string;
  readonly option?: Readonly<Record<string, string>>;
}

/** Adds the agent options and the argument for the agent's command line after `--`. */
export function withAgentOptions(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file (default: ./patchbay.json if it exists)')
    .option('--agent <name>', 'name of an agent in the configuration, or `demo`')
    .option('--backend <protocol>', 'protocol of the agent given after `--` or with --url')
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

/** Collects the words of an option that may be repeated. */
export function collectWord(word: string, before: readonly string[]): readonly string[] {
  return [...before, word];
}
