// The check set for clients of a pi-server.
import { rulesIn } from '../check/rule-rows.ts';
import { type ClientSet, rulesOver } from '../check/sets.ts';
import { behaviours } from './fake-agent/behaviours.ts';
import { servePiServer } from './fake-agent/fake-agent.ts';
import { clientHistory } from './history.ts';
import { answerRows } from './rules/client-answers.ts';
import { commandRows } from './rules/client-commands.ts';
import { outcomeRows } from './rules/client-outcomes.ts';
import { shapeRulesOfClients } from './shapes/clients.ts';
import { viewOf } from './view/view.ts';

/** Checks of clients of pi-servers of protocol 1.0.0. */
export const piServerClient: ClientSet = {
  protocol: 'pi-server',
  side: 'client',
  version: '2',
  history: clientHistory,
  measuredOn: 'pi-server 2.0.1 and 2.2.1',
  behaviours,
  serve: servePiServer,
  rules: rulesOver(viewOf, [
    ...shapeRulesOfClients,
    ...rulesIn('pi-server/client', { ...commandRows, ...outcomeRows, ...answerRows }),
  ]),
};
