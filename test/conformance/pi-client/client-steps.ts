// The steps of our own client of pi, for behaviours that need more than a prompt.
import type { Command } from '../../../src/core/model/command.ts';
import type { Content } from '../../../src/core/model/content.ts';
import { type ClientSteps, ownClient } from '../support/client-rig.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image: Content = { type: 'image', mediaType: 'image/png', data: pixel };
const words = (text: string): Content[] => [{ type: 'text', text }];

/** Every command that starts no run, one after the other. */
const commands: readonly Command[] = [
  { type: 'set-model', provider: 'patchbay', model: 'patchbay-other' },
  { type: 'set-thinking', level: 'high' },
  { type: 'set-queue-mode', queue: 'steering', mode: 'all' },
  { type: 'set-queue-mode', queue: 'follow-up', mode: 'all' },
  { type: 'set-auto', what: 'compaction', enabled: false },
  { type: 'set-auto', what: 'retry', enabled: false },
  { type: 'set-name', name: 'Judged' },
  { type: 'compact', instructions: 'Keep the names.' },
  { type: 'bash', command: 'true' },
  { type: 'export', format: 'html', path: '/tmp/judged.html' },
  { type: 'fork', entry: 'e0' },
  { type: 'new-session', parent: '/tmp/parent.jsonl' },
  { type: 'switch-session', path: '/tmp/other.jsonl' },
];

const steps: ReadonlyMap<string, ClientSteps> = new Map([
  [
    'text',
    async (client, text) => {
      await client.submit({ type: 'prompt', content: [...words(text), image] });
      await client.idle();
      await client.prompt(text);
      for (const command of commands) await client.submit(command);
    },
  ],
  [
    'busy',
    async (client, text) => {
      const over = client.prompt(text);
      await client.event('message-start');
      await client.submit({ type: 'steer', content: words('Another way.') });
      await client.submit({ type: 'follow-up', content: words('And then?') });
      await client.submit({ type: 'prompt', content: words('Now this.'), whenBusy: 'steer' });
      await over;
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

/** Our backend of pi. */
export const ownPiClient = ownClient('pi', { steps });
