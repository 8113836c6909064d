// All checks of front ends of rpc-message, and the agent that they are judged by.
import { type ClientSet, rulesOver } from '../check/sets.ts';
import { behaviours } from './fake-agent/behaviours.ts';
import { serveRpcMessage } from './fake-agent/fake-agent.ts';
import { requestRules } from './rules/client-requests.ts';
import { readView } from './view.ts';

/** Front ends that send the requests of the project of RpcMessage. */
export const rpcMessageClient: ClientSet = {
  protocol: 'rpc-message',
  side: 'client',
  version: '1',
  behaviours,
  serve: serveRpcMessage,
  rules: rulesOver(readView, requestRules),
};
