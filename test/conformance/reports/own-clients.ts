// Writes the page on our own backends: each is a client of a fake agent in this process.
import { clientSetOf } from '../../../src/conformance/index.ts';
import { ownAcpClient } from '../acp/own-client.ts';
import { ownClaudeClient } from '../claude-client/rig.ts';
import { ownEditor } from '../eca/own-editor.ts';
import { ownPiClient } from '../pi-client/client-steps.ts';
import { ownLegacyClient } from '../pi-legacy/client-steps.ts';
import { ownPiServerClient } from '../pi-server-client/rig.ts';
import { type JudgedClient, makeClientsPage } from './clients-page.ts';

const rigs = {
  pi: ownPiClient,
  'pi-legacy': ownLegacyClient,
  'pi-server': ownPiServerClient,
  claude: ownClaudeClient,
  eca: ownEditor,
  acp: ownAcpClient,
};

/** Runs all behaviours and writes the page. */
export async function makeOwnClients(): Promise<void> {
  const clients = Object.entries(rigs).map(([protocol, rig]): JudgedClient => {
    const set = clientSetOf(protocol);
    if (set === undefined) throw new Error(`no checks for clients of ${protocol}`);
    return { label: protocol, protocol, judge: () => rig.run(set, { patienceMs: 15_000 }) };
  });
  await makeClientsPage(
    'own-clients',
    {
      title: 'Our own backends',
      introduction:
        'Patchbay as a client of each protocol, through which its own clients reach such an agent. The agent is the one that `--as client` plays; our side has the words of an ordinary session: prompts, settings, answers to all that is asked.',
      silence: '“n. a.”, for our backend never does it, or was not led there in these sessions:',
      notes: ['There is no row for `rpc-message`: we have no backend of that dialect.'],
    },
    clients,
  );
}
