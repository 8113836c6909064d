// The checks of a client of pi-legacy: our agent speaks as pi 0.13.2 does, and what the client says is judged.
import { type ClientSet, rulesOver } from '../check/sets.ts';
import { behaviours } from './fake-agent/behaviours.ts';
import { serve } from './fake-agent/fake-agent.ts';
import { clientCourseRules } from './rules/client-conduct.ts';
import { clientLineRules } from './rules/client-lines.ts';
import { readView } from './view/view.ts';

/** Clients of pi-legacy. */
export const piLegacyClient: ClientSet = {
  protocol: 'pi-legacy',
  side: 'client',
  version: '1',
  behaviours: behaviours.map(({ name, title }) => ({ name, title })),
  serve,
  rules: rulesOver(readView, [...clientLineRules, ...clientCourseRules]),
};
