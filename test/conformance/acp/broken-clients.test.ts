// Every broken ACP client is caught by its checks and by no unrelated ones.
import { acpClient } from '../../../src/conformance/acp/client.ts';
import { testBrokenClients } from '../support/broken-clients.ts';
import { brokenClients } from './mutants/clients.ts';
import { ownAcpClient } from './own-client.ts';

const declared = 'our agent declares it; rules.test.ts has a conversation with one that does not';

testBrokenClients(acpClient, brokenClients, ownAcpClient, {
  unbroken: new Map(['load-declared', 'list-declared', 'close-declared'].map((name) => [name, declared])),
});
