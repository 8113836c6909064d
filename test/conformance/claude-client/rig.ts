// Our own backend as a client of the fake Claude Code, with the steps of behaviours that need more than a prompt.
import { type ClientSteps, ownClient } from '../support/client-rig.ts';

/** Prompts, and interrupts when the answer has begun. */
const interrupting: ClientSteps = async (client, prompt) => {
  const outcome = client.submit({ type: 'prompt', content: [{ type: 'text', text: prompt }] });
  await client.event('block-start');
  await client.submit({ type: 'abort', target: 'run' });
  await outcome;
};

/** Prompts with a picture, and changes every setting. */
const setting: ClientSteps = async (client, prompt) => {
  await client.submit({
    type: 'prompt',
    content: [
      { type: 'text', text: prompt },
      { type: 'image', mediaType: 'image/png', data: 'aGVsbG8=' },
    ],
  });
  await client.idle();
  await client.submit({ type: 'set-model', model: 'conformance-1' });
  await client.submit({ type: 'set-mode', mode: 'acceptEdits' });
};

/** Denies the permission in one behaviour and allows it in all others. */
export const ownClaudeClient = ownClient('claude', {
  steps: new Map([
    ['endless', interrupting],
    ['text', setting],
  ]),
});
