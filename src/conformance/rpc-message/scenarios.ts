// Scenarios for agents that speak the rpc-message dialect.
import type { Scenario } from '../check/rule.ts';
import type { CheckContext } from './context.ts';

/** One pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } };

const query = (word: string, title: string): Scenario<CheckContext> => ({
  name: word,
  title,
  needs: { script: [word] },
  async run({ connect }) {
    await (await connect()).query(word);
  },
});

export const scenarios: readonly Scenario<CheckContext>[] = [
  {
    name: 'text',
    title: 'two queries that are answered with text, and the history of them',
    async run({ connect }) {
      const it = await connect();
      await it.query('text');
      await it.query('text');
      await it.call('getHistory');
    },
  },
  query('think', 'a query that is thought about'),
  query('tools', 'a query that uses tools'),
  query('toolfail', 'a query whose tool fails'),
  query('unicode', 'characters that are easily broken'),
  query('subagent', 'a sub-agent'),
  {
    name: 'fail',
    title: 'a model that fails, and a query behind it',
    needs: { script: ['fail'] },
    async run({ connect }) {
      const it = await connect();
      await it.query('fail');
      await it.query('text', 'rpc-message/next-query');
    },
  },
  {
    name: 'image',
    title: 'a query with an image',
    needs: { script: ['image'] },
    async run({ connect, tools }) {
      const content = [{ type: 'text', text: tools.script('image') }, image];
      await (await connect()).call('queryWithContent', { content }, 'rpc-message/query-content');
    },
  },
  {
    name: 'interrupt',
    title: 'a query that is interrupted, and a query behind it',
    needs: { script: ['endless'] },
    async run({ connect }) {
      const it = await connect();
      const { over } = await it.begin('endless');
      await it.call('interrupt', undefined, 'rpc-message/interrupt-answer');
      await over('rpc-message/interrupt-ends');
      await it.query('text', 'rpc-message/next-query');
    },
  },
  {
    name: 'settings',
    title: 'everything that may be asked beside queries',
    // The mode stays changed.
    needs: { exclusive: true },
    async run({ connect }) {
      const it = await connect();
      await it.call('setPermissionMode', { mode: 'acceptEdits' });
      if (typeof it.connected.model === 'string') await it.call('setModel', it.connected.model);
      await it.call('getHistory');
      await it.call('no_such_method', {});
      await it.call('query', { text: 'under another name' }, 'rpc-message/bad-params');
    },
  },
  {
    name: 'odd',
    title: 'what an agent need not know, and a query behind it',
    async run({ connect, tools }) {
      const it = await connect();
      it.send({ type: 'no_such_type', of: tools.nonce });
      await it.query('text', 'rpc-message/unknown-type');
    },
  },
  {
    name: 'disconnect',
    title: 'a client that takes its leave',
    needs: { exclusive: true },
    async run({ connect }) {
      await (await connect()).call('disconnect', undefined, 'rpc-message/disconnect-answer');
    },
  },
];
