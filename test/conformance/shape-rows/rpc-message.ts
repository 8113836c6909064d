// What agents of rpc-message say, but not in the conversations of our own agent and front end.
import type { Row } from '../mutation/mutators.ts';

/** A request that is refused. */
export const rpcMessageAgent: readonly Row[] = [
  { by: 'client', json: { id: 'first', method: 'no_such_method', params: {} } },
  { by: 'agent', json: { id: 'first', result: null, error: { code: -32601, message: 'there is no such method' } } },
];
