// Chooses the agent behind `patchbay-acp`.
import { type Chosen, findAgent, type StandIn, type Surroundings, withAgent } from '../chosen-agent.ts';
import type { AcpArgv } from './argv.ts';

const standIn: StandIn = { program: 'patchbay-acp' };

/** Throws `invalid` or `not-found` with advice for the user. */
export function chooseAgent({ agent: named, config: file }: AcpArgv, surroundings: Surroundings): Chosen {
  const values = new Map<string, string>();
  if (named !== undefined) values.set('--patchbay-agent', named);
  if (file !== undefined) values.set('--patchbay-config', file);
  const { config, name, agent, remarks } = findAgent(standIn, values, surroundings);
  // Clients open their sessions themselves, and each opening starts the agent.
  return { config: withAgent(config, name, agent), name, opening: [], remarks };
}
