// Runs before each test file: properties draw the same values in each `npm test`, which is to be red for a change and not for a
// draw; `npm run test:full` draws new ones.
import fc from 'fast-check';
import { isFull } from './full.ts';

if (!isFull) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 16 });
