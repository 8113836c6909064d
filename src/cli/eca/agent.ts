// Which agent stands behind `patchbay-eca`, and what of eca's command line reaches it.
import { isAbsolute, join } from 'node:path';
import { type Chosen, findAgent, type StandIn, type Surroundings, startAgent, withAgent } from '../chosen-agent.ts';
import type { EcaArgv } from './argv.ts';

/** What the choice depends on. */
export interface EcaSurroundings extends Surroundings {
  /** The user's home directory. */
  readonly home: string;
}

/** Throws `invalid` or `not-found` with what to do about it. */
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
  const unheard = !isEca && argv.values.has('--config-file') ? [`the agent ${name} does not take --config-file`] : [];
  return {
    // Behind its own, because for eca the last one counts.
    config: withAgent(config, name, isEca ? { ...agent, command: [...command, ...argv.words] } : agent),
    name,
    // So that the editor learns at once which models there are, or why there are none.
    opening: command === undefined ? [] : [startAgent],
    remarks: [...remarks, ...unheard],
  };
}

/**
 * The user's own configuration (XDG base directories). Editors start servers wherever they like (docs/protocols/eca.md 2.2):
 * beside the executable or in the project; and what lies in somebody's project must not say which programs are started.
 */
export function userConfigFile({ env, home }: Pick<EcaSurroundings, 'env' | 'home'>): string {
  const given = env.XDG_CONFIG_HOME ?? '';
  return join(isAbsolute(given) ? given : join(home, '.config'), 'agent-patchbay', 'patchbay.json');
}
