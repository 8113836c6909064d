// Chooses the agent behind `patchbay-eca` and applies eca's command line to it.
import { type Chosen, findAgent, type StandIn, type Surroundings, startAgent, withAgent } from '../chosen-agent.ts';
import type { EcaArgv } from './argv.ts';

const standIn: StandIn = { program: 'patchbay-eca', instead: 'eca', words: ['server'] };

/** Throws `invalid` or `not-found` with advice for the user. */
export function chooseAgent(argv: EcaArgv, surroundings: Surroundings): Chosen {
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
