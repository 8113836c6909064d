// Broken clients of pi: each fails the checks that are about its fault, and no others.
import { piClient } from '../../../src/conformance/pi/client.ts';
import { testBrokenClients } from '../support/broken-clients.ts';
import { piClientMutants } from './doubles.ts';
import { ownPiClient } from './moves.ts';

testBrokenClients(piClient, piClientMutants, ownPiClient);
