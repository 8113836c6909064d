// Our own backend as an ACP client, with the steps of behaviours that need more than a prompt.
import type { Command } from '../../../src/core/model/command.ts';
import { type ClientSteps, ownClient, usualAnswer } from '../support/client-rig.ts';

const words = (text: string): Command => ({ type: 'prompt', content: [{ type: 'text', text }] });

const steps = new Map<string, ClientSteps>([
  [
    'text',
    async (client, prompt) => {
      await client.submit({ type: 'set-mode', mode: 'code' });
      await client.submit({ type: 'set-option', id: 'verbose', value: true });
      await client.prompt(prompt);
      await client.submit({
        type: 'prompt',
        content: [{ type: 'text', text: '[[text]] and a link' }],
        contexts: [{ type: 'file', path: '/project/notes.txt' }],
      });
      await client.idle();
    },
  ],
  [
    'cancel',
    async (client, prompt) => {
      const over = client.submit(words(prompt));
      await client.event('message-start');
      await client.submit({ type: 'abort', target: 'run' });
      await over;
      await client.idle();
      await client.prompt('[[text]] and more');
    },
  ],
  [
    'cancel-permission',
    async (client, prompt) => {
      const over = client.submit(words(prompt));
      await client.event('approval-request');
      await client.submit({ type: 'abort', target: 'run' });
      await over;
    },
  ],
]);

/** Each behaviour runs in a session of its own. The question of `cancel-permission` stays open. */
export const ownAcpClient = ownClient('acp', {
  steps,
  answer: (event) =>
    event.type === 'approval-request' && event.input.command === 'sleep 60' ? null : usualAnswer(event),
});
