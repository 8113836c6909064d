// Each broken ECA editor is found by the checks that are meant to find it, and by no others.
import { ecaClient } from '../../../src/conformance/eca/client.ts';
import { testBrokenClients } from '../support/broken-clients.ts';
import { brokenEditors } from './mutants/clients.ts';
import { ownEditor } from './own-editor.ts';

testBrokenClients(ecaClient, brokenEditors, ownEditor, {
  unbroken: new Map([['frames-readable', 'frames in memory have no bytes; client.test.ts has a broken stream']]),
});
