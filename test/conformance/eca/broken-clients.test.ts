// Every broken ECA editor is caught by its checks and by no unrelated ones.
import { ecaClient } from '../../../src/conformance/eca/client.ts';
import { testBrokenClients } from '../support/broken-clients.ts';
import { brokenEditors } from './mutants/clients.ts';
import { ownEditor } from './own-editor.ts';

testBrokenClients(ecaClient, brokenEditors, ownEditor, {
  unbroken: new Map([['frames-readable', 'frames in memory have no bytes; client.test.ts has a broken stream']]),
});
