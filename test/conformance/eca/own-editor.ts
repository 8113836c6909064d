// Our own backend as an editor, with the steps of behaviours that need more than a prompt.
import type { Command } from '../../../src/core/model/command.ts';
import { type ClientSteps, ownClient } from '../support/client-rig.ts';

const words = (text: string): Command => ({ type: 'prompt', content: [{ type: 'text', text }] });

const steps = new Map<string, ClientSteps>([
  [
    'text',
    async (client, prompt) => {
      await client.submit({ type: 'query', subject: 'contexts', text: '' });
      await client.submit({ type: 'query', subject: 'commands' });
      await client.submit({ type: 'set-model', provider: 'conformance', model: 'model-1' });
      await client.submit({ type: 'set-tool-server', name: 'files', action: 'stop' });
      await client.prompt(prompt);
      await client.prompt('[[text]] and more');
      await client.submit({ type: 'new-session' });
    },
  ],
  [
    'stop',
    async (client, prompt) => {
      const over = client.submit(words(prompt));
      await client.event('message-start');
      await client.submit({ type: 'abort', target: 'run' });
      await over;
    },
  ],
]);

/** Each behaviour runs in a session of its own. */
export const ownEditor = ownClient('eca', { steps });
