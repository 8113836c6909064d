// The checks of a client of pi (RPC mode): our agent speaks as pi 0.54.2 does, and what the client says is judged.
import { type ClientSet, rulesOver } from '../check/sets.ts';
import { behaviours } from './fake-agent/behaviours.ts';
import { readClient } from './view/client-view.ts';
import { serve } from './fake-agent/fake-agent.ts';
import { commandRules } from './rules/client-commands.ts';
import { courseRules } from './rules/client-conduct.ts';

/** Clients of pi. */
export const piClient: ClientSet = {
  protocol: 'pi',
  side: 'client',
  version: '1',
  behaviours: behaviours.map(({ name, title }) => ({ name, title })),
  serve,
  rules: rulesOver(readClient, [...commandRules, ...courseRules]),
};
