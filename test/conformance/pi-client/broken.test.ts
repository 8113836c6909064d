// Broken clients of pi: each fails the checks that are about its fault, and no others.
import { piClient } from '../../../src/conformance/pi/client.ts';
import { testBrokenClients } from '../support/broken-clients.ts';
import { piClientMutants } from './mutants.ts';
import { ownPiClient } from './client-steps.ts';

testBrokenClients(piClient, piClientMutants, ownPiClient);
