// Chooses the agent behind `patchbay-eca` and applies eca's command line to it.
import { isAbsolute, join } from 'node:path';
import { type Chosen, findAgent, type StandIn, type Surroundings, startAgent, withAgent } from '../chosen-agent.ts';
import type { EcaArgv } from './argv.ts';

/** The environment of the choice. */
export interface EcaSurroundings extends Surroundings {
  /** The user's home directory. */
  readonly home: string;
}

/** Throws `invalid` or `not-found` with advice for the user. */
export function chooseAgent(argv: EcaArgv, surroundings: EcaSurroundings): Chosen {
  const standIn: StandIn = {
    program: 'patchbay-eca',
    instead: 'eca',
    words: ['server'],
    configFile: userConfigFile(surroundings),
  };
  const { config, name, agent, remarks } = findAgent(standIn, argv.values, surroundings);
  const { command } = agent;
  const isEca = command !== undefined && agent.protocol === 'eca';
  const unusedRemarks =
    !isEca && argv.values.has('--config-file') ? [`the agent ${name} does not take --config-file`] : [];
  return {
    // Appended to the agent's own options: for eca the last one of several counts.
    config: withAgent(config, name, isEca ? { ...agent, command: [...command, ...argv.words] } : agent),
    name,
    // The start tells the editor at once which models exist, or why there are none.
    opening: command === undefined ? [] : [startAgent],
    remarks: [...remarks, ...unusedRemarks],
  };
}

/**
 * The configuration file of the user (XDG base directories). The working directory is no substitute: editors start
 * servers beside the executable or in the project (docs/protocols/eca.md 2.2), and a project must not choose the
 * programs to start.
 */
export function userConfigFile({ env, home }: Pick<EcaSurroundings, 'env' | 'home'>): string {
  const given = env.XDG_CONFIG_HOME ?? '';
  return join(isAbsolute(given) ? given : join(home, '.config'), 'agent-patchbay', 'patchbay.json');
}
