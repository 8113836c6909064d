// The Agent SDK of that version, in front of all agents.
import { tours } from './sdk-tours.ts';

tours('sdk-0.2');
