// The tour through pi's RpcClient with the steps that only newer classes have. Knows nothing of the gateway.
import type { RpcClient, Step, Tour } from '../support/rpc-tour.ts';
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

/** What `act` gives while a run goes on, which is heard out; `act` is told what became of the prompt. */
async function atWork(tour: Tour, act: (disposition: unknown) => Promise<unknown>): Promise<unknown> {
  const from = tour.events.length;
  const idle = tour.client.waitForIdle();
  const disposition = (await newer(tour.client).prompt(tour.script.busy)) ?? null;
  await tour.hear('a delta', ({ type }) => type === 'message_update', from);
  const value = await act(disposition);
  await idle;
  return value;
}

const newerSteps: readonly Step<string>[] = [
  {
    name: 'what became of a prompt',
    methods: ['prompt', 'followUp'],
    run: (tour) =>
      atWork(tour, async (started) => {
        const { client, script } = tour;
        const followed = await newer(client).followUp(script.followUp);
        // Only the newest class has this word.
        const canJoin = client.prompt.length > 2;
        const joined = canJoin ? await newer(client).prompt(script.text, undefined, 'followUp') : null;
        return { started, followed: followed ?? null, joined };
      }),
  },
  {
    name: 'what became of steering',
    methods: ['steer'],
    run: (tour) => atWork(tour, async () => (await newer(tour.client).steer(tour.script.steer)) ?? null),
  },
  {
    name: 'the queue taken back',
    methods: ['clearQueue'],
    run: (tour) =>
      atWork(tour, async () => {
        const { client, script } = tour;
        await client.followUp(script.followUp);
        return newer(client).clearQueue();
      }),
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

/** A prompt that failed may go to the model in one message with the words that ask for a summary, and fail that too. */
const between: Step<string> = {
  name: 'a prompt behind those that failed',
  methods: ['promptAndWait'],
  run: ({ client, script }) => client.promptAndWait(script.text),
};

/** Newer pis lose an abort that comes before the command runs, and say what the command prints. */
const abortedBash: Step<string> = {
  name: 'shell command, aborted',
  methods: ['abortBash'],
  async run(tour) {
    const from = tour.events.length;
    const result = tour.client.bash(`${tour.script.hangingBash} & echo begun; wait`);
    const printed = tour.hear('its output', ({ type }) => type === 'bash_execution_update', from);
    // Refused, it prints nothing.
    await Promise.race([printed, result]);
    await tour.client.abortBash();
    return result;
  },
};

/** All steps whose methods that class has, in order. */
export function stepsOf(Client: typeof RpcClient): readonly Step<string>[] {
  const has = (name: string) => name in Client.prototype;
  const mine = newerSteps.filter(({ methods }) => methods.every(has));
  const compaction = steps.findIndex(({ name }) => name === 'compaction');
  const known = has('getEntries') ? steps.map((step) => (step.name === abortedBash.name ? abortedBash : step)) : steps;
  return [...known.slice(0, compaction), between, ...known.slice(compaction, -1), ...mine, ...known.slice(-1)];
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
