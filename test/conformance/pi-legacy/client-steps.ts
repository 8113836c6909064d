// The steps of our own client of pi-legacy, for behaviours that need more than a prompt.
import type { Content } from '../../../src/core/model/content.ts';
import { type ClientSteps, ownClient } from '../support/client-rig.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const files: readonly Content[] = [
  { type: 'image', mediaType: 'image/png', data: pixel, name: 'dot.png' },
  { type: 'document', mediaType: 'text/plain', text: 'hello from the document', name: 'note.txt' },
];

const steps: ReadonlyMap<string, ClientSteps> = new Map([
  [
    'text',
    async (client, text) => {
      await client.submit({ type: 'prompt', content: [{ type: 'text', text }, ...files] });
      await client.idle();
      await client.prompt(text);
      await client.submit({ type: 'compact', instructions: 'Keep the names.' });
      await client.prompt(text);
    },
  ],
  [
    'abort',
    async (client, text) => {
      const over = client.prompt(text);
      await client.event('message-start');
      await client.submit({ type: 'abort', target: 'run' });
      await over;
    },
  ],
]);

/** Our backend of pi-legacy. */
export const ownLegacyClient = ownClient('pi-legacy', { steps });
