// The tour through pi's RpcClient with the steps that only newer classes have. Knows nothing of the gateway.
import type { RpcClient, Step } from '../support/rpc-tour.ts';
import { steps } from '../support/rpc-tour.ts';

/** What newer classes have beside the pinned one, or answer where the pinned one is silent. */
interface NewerMethods {
  clone(): Promise<unknown>;
  clearQueue(): Promise<unknown>;
  getAvailableThinkingLevels(): Promise<unknown>;
  getEntries(since?: string): Promise<{ readonly entries: readonly { readonly id: string }[] }>;
  getTree(): Promise<unknown>;
  prompt(message: string, images?: undefined, streamingBehavior?: 'steer' | 'followUp'): Promise<unknown>;
  steer(message: string): Promise<unknown>;
  followUp(message: string): Promise<unknown>;
}
const newer = (client: RpcClient): NewerMethods => client as unknown as NewerMethods;

const newerSteps: readonly Step<string>[] = [
  {
    name: 'what became of a prompt',
    methods: ['prompt', 'steer', 'followUp'],
    async run(tour) {
      const { client, script } = tour;
      const from = tour.events.length;
      const idle = client.waitForIdle();
      const started = await newer(client).prompt(script.busy);
      await tour.hear('a delta', ({ type }) => type === 'message_update', from);
      const steered = await newer(client).steer(script.steer);
      const followed = await newer(client).followUp(script.followUp);
      const joined = await newer(client).prompt(script.text, undefined, 'followUp');
      await idle;
      return { started: started ?? null, steered: steered ?? null, followed: followed ?? null, joined: joined ?? null };
    },
  },
  {
    name: 'the queue taken back',
    methods: ['clearQueue'],
    async run(tour) {
      const { client, script } = tour;
      const from = tour.events.length;
      const idle = client.waitForIdle();
      await client.prompt(script.busy);
      await tour.hear('a delta', ({ type }) => type === 'message_update', from);
      await client.steer(script.steer);
      await client.followUp(script.followUp);
      const cleared = await newer(client).clearQueue();
      await idle;
      return cleared;
    },
  },
  {
    name: 'thinking levels',
    methods: ['getAvailableThinkingLevels'],
    run: ({ client }) => newer(client).getAvailableThinkingLevels(),
  },
  { name: 'the tree', methods: ['getTree'], run: ({ client }) => newer(client).getTree() },
  {
    name: 'entries, all and since the last but one',
    methods: ['getEntries'],
    async run({ client }) {
      const all = await newer(client).getEntries();
      const since = await newer(client).getEntries(all.entries.at(-2)?.id);
      return { all, since: since.entries.length };
    },
  },
  {
    name: 'a copy of the session',
    methods: ['clone'],
    async run({ client }) {
      const before = (await client.getState()).sessionId;
      const result = await newer(client).clone();
      const after = await client.getState();
      return { result, isAnother: after.sessionId !== before, messageCount: after.messageCount };
    },
  },
];

/** All steps whose methods that class has, in order. */
export function stepsOf(Client: typeof RpcClient): readonly Step<string>[] {
  const has = (name: string) => name in Client.prototype;
  const mine = newerSteps.filter(({ methods }) => methods.every(has));
  return [...steps.slice(0, -1), ...mine, ...steps.slice(-1)];
}

/** Names of its public methods; the private ones are those that it marks so, or names otherwise. */
const internals: ReadonlySet<string> = new Set([
  'constructor',
  'handleLine',
  'send',
  'getData',
  'createProcessExitError',
  'rejectPendingRequests',
]);
export const methodsOf = (Client: typeof RpcClient): string[] =>
  Object.getOwnPropertyNames(Client.prototype).filter((name) => !internals.has(name));
