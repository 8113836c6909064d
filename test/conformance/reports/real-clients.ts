// Writes the page on clients that other people have written, in front of the agents that `--as client` plays.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { RpcClient } from '../../support/rpc-tour.ts';
import { judgeSdk } from '../claude-client/real-sdk.ts';
import { judgePiAcp, judgeRpcClient } from '../pi-client/real-clients.ts';
import { type JudgedClient, makeClientsPage } from './clients-page.ts';
import { fetchPi, pis } from './fetched-programs.ts';

type ClientModule = { readonly RpcClient: typeof RpcClient };

/** The versions of pi whose client is judged, apart from that of our dependency. */
const versions: ReadonlySet<string> = new Set(['0.73.1', '0.87.1', '1.6.0']);

async function rpcClientOf(pi: (typeof pis)[number]): Promise<JudgedClient> {
  const file = path.join(await fetchPi(pi), 'dist/modes/rpc/rpc-client.js');
  const { RpcClient: Client } = (await import(pathToFileURL(file).href)) as ClientModule;
  return { label: `RpcClient of pi ${pi.version}`, protocol: 'pi', judge: () => judgeRpcClient(Client) };
}

/** Judges all of them and writes the page. */
export async function makeRealClients(): Promise<void> {
  const clients: JudgedClient[] = [
    { label: 'RpcClient of pi 0.54.2', protocol: 'pi', judge: () => judgeRpcClient(RpcClient) },
  ];
  for (const pi of pis.filter(({ version }) => versions.has(version))) clients.push(await rpcClientOf(pi));
  await makeClientsPage(
    'real-clients',
    {
      title: 'Clients of others',
      introduction:
        'Clients as their makers publish them, in front of the agent that `--as client` plays, led through its behaviours.',
      silence: '“n. a.”, for the client has no such function, or was not led there:',
    },
    [
      ...clients,
      { label: 'pi-acp 0.0.34', protocol: 'pi', judge: judgePiAcp },
      { label: 'Claude Agent SDK 0.3.332', protocol: 'claude', judge: judgeSdk },
    ],
  );
}
