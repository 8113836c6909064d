// Parses the command line of `patchbay-acp`. Pure.
import { parseArgs } from 'node:util';
import { GatewayError, messageOf } from '../../../core/model/errors.ts';

/** A parsed command line. */
export interface AcpArgv {
  readonly help: boolean;
  readonly version: boolean;
  /** Log all repairs and losses to stderr. */
  readonly verbose: boolean;
  readonly agent: string | undefined;
  readonly config: string | undefined;
  readonly cwd: string | undefined;
}

const options = {
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', default: false },
  verbose: { type: 'boolean', default: false },
  agent: { type: 'string' },
  config: { type: 'string' },
  cwd: { type: 'string' },
} as const;

/** Parses the arguments after the program name. Throws `invalid` for an unknown option or word, and a missing value. */
export function parseAcpArgv(args: readonly string[]): AcpArgv {
  const { agent, config, cwd, ...flags } = read(args);
  for (const [name, value] of Object.entries({ agent, config, cwd }))
    if (value === '') throw new GatewayError('invalid', `--${name} needs a value`);
  return { ...flags, agent, config, cwd };
}

function read(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (thrown) {
    throw new GatewayError('invalid', `${messageOf(thrown)}; --help lists the options`);
  }
}
