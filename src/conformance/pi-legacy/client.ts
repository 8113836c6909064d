// The check set for clients of pi-legacy; our fake agent speaks the protocol of pi 0.13.2.
import { rulesIn } from '../check/rule-rows.ts';
import { type ClientSet, rulesOver } from '../check/sets.ts';
import { behaviours } from './fake-agent/behaviours.ts';
import { serve } from './fake-agent/fake-agent.ts';
import { clientHistory } from './history.ts';
import { clientConductRows } from './rules/client-conduct.ts';
import { clientLineRows } from './rules/client-lines.ts';
import { shapeRulesOfClients } from './shapes/clients.ts';
import { readView } from './view/view.ts';

/** Checks of clients of pi-legacy. */
export const piLegacyClient: ClientSet = {
  protocol: 'pi-legacy',
  side: 'client',
  version: '2',
  history: clientHistory,
  measuredOn: 'pi 0.13.2',
  behaviours: behaviours.map(({ name, title }) => ({ name, title })),
  serve,
  rules: rulesOver(readView, [
    ...shapeRulesOfClients,
    ...rulesIn('pi-legacy/client', { ...clientLineRows, ...clientConductRows }),
  ]),
};
