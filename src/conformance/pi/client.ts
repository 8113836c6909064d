// The checks of a client of pi (RPC mode): our agent speaks as pi 0.54.2 does, and what the client says is judged.
import { type ClientSet, rulesOver } from '../sets.ts';
import { behaviours } from './acts.ts';
import { readClient } from './client-view.ts';
import { serve } from './fake-agent.ts';
import { commandRules } from './rules/client-commands.ts';
import { courseRules } from './rules/client-course.ts';

/** Clients of pi. */
export const piClient: ClientSet = {
  protocol: 'pi',
  side: 'client',
  version: '1',
  behaviours: behaviours.map(({ name, title }) => ({ name, title })),
  serve,
  rules: rulesOver(readClient, [...commandRules, ...courseRules]),
};
