// The checks of an ACP client.
import { rulesIn } from '../check/rule-rows.ts';
import { type ClientSet, rulesOver } from '../check/sets.ts';
import { behaviours } from './fake-agent/behaviours.ts';
import { serveClient } from './fake-agent/fake-agent.ts';
import { clientHistory } from './history.ts';
import { clientFormRows } from './rules/client-forms.ts';
import { clientSessionRows } from './rules/client-sessions.ts';
import { clientStartRows } from './rules/client-start.ts';
import { clientTurnRows } from './rules/client-turns.ts';
import { shapeRulesOfClients } from './shapes/clients.ts';
import { viewOf } from './view/view.ts';

/** All checks, in the order of docs/protocols/acp.md. */
export const acpClient: ClientSet = {
  protocol: 'acp',
  version: '2',
  history: clientHistory,
  measuredOn: 'the SDK 2.4.0, acpx 0.19.1 and acp.el 4d7d58d',
  side: 'client',
  rules: rulesOver(viewOf, [
    ...shapeRulesOfClients,
    ...rulesIn('acp/client', { ...clientStartRows, ...clientSessionRows, ...clientTurnRows, ...clientFormRows }),
  ]),
  behaviours,
  serve: serveClient,
};
