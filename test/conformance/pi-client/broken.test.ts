// Broken clients of pi: each is caught by its checks and by no unrelated ones.
import { piClient } from '../../../src/conformance/pi/client.ts';
import { testBrokenClients } from '../support/broken-clients.ts';
import { ownPiClient } from './client-steps.ts';
import { piClientMutants } from './mutants.ts';

testBrokenClients(piClient, piClientMutants, ownPiClient);
