// The check set for front ends that speak rpc-message.
import { type ClientSet, rulesOver } from '../check/sets.ts';
import { behaviours } from './fake-agent/behaviours.ts';
import { serveRpcMessage } from './fake-agent/fake-agent.ts';
import { clientHistory } from './history.ts';
import { requestRules } from './rules/client-requests.ts';
import { shapeRulesOfClients } from './shapes/clients.ts';
import { readView } from './view.ts';

/** Checks of front ends that send the requests of the RpcMessage project. */
export const rpcMessageClient: ClientSet = {
  protocol: 'rpc-message',
  side: 'client',
  version: '3',
  history: clientHistory,
  measuredOn: 'the front end of the specification',
  behaviours,
  serve: serveRpcMessage,
  rules: rulesOver(readView, [...shapeRulesOfClients, ...requestRules]),
};
