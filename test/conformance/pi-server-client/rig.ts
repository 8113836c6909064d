// Our own backend as a client of the fake pi-server, with the steps of behaviours that need more than a prompt.
import { type ClientSteps, ownClient } from '../support/client-rig.ts';

/** Prompts, and aborts when the answer has begun. */
const aborting: ClientSteps = async (client, prompt) => {
  const outcome = client.submit({ type: 'prompt', content: [{ type: 'text', text: prompt }] });
  await client.event('block-start');
  await client.submit({ type: 'abort', target: 'run' });
  await outcome;
};

/** Each behaviour runs in a session of its own. */
export const ownPiServerClient = ownClient('pi-server', { steps: new Map([['endless', aborting]]) });
