// The check set for clients of pi's RPC mode; our fake agent speaks the protocol of pi 0.54.2.
import { rulesIn } from '../check/rule-rows.ts';
import { type ClientSet, rulesOver } from '../check/sets.ts';
import { behaviours } from './fake-agent/behaviours.ts';
import { serve } from './fake-agent/fake-agent.ts';
import { clientHistory } from './history.ts';
import { commandRows } from './rules/client-commands.ts';
import { conductRows } from './rules/client-conduct.ts';
import { shapeRulesOfClients } from './shapes/clients.ts';
import { readClient } from './view/client-view.ts';

/** Checks of clients of pi. */
export const piClient: ClientSet = {
  protocol: 'pi',
  side: 'client',
  version: '2',
  history: clientHistory,
  measuredOn: 'pi 0.54.2, 0.73.1, 0.87.1 and 1.5.2',
  behaviours: behaviours.map(({ name, title }) => ({ name, title })),
  serve,
  rules: rulesOver(readClient, [...shapeRulesOfClients, ...rulesIn('pi/client', { ...commandRows, ...conductRows })]),
};
