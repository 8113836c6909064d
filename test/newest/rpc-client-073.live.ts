// The RpcClient of that pi, in front of all agents.
import { tours } from './rpc-tours.ts';

await tours('pi-0.73');
