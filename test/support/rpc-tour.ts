// A tour through each method of pi's own `RpcClient`, step by step over one conversation, the same for any agent behind.
// Knows nothing of the gateway.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { RpcClient } from '../../node_modules/pi-modern/dist/modes/rpc/rpc-client.js';
import { within } from '../../src/conformance/bounded-wait.ts';

export { RpcClient };

/** Names of the public methods, read from the class itself; these are its own business. */
const internals: ReadonlySet<string> = new Set(['constructor', 'handleLine', 'send', 'getData']);
export const rpcMethods = Object.getOwnPropertyNames(RpcClient.prototype).filter((name) => !internals.has(name));

/** An event of the stream, as the client hands it on. */
export const RpcEvent = z.looseObject({ type: z.string() });
export type RpcEvent = z.infer<typeof RpcEvent>;

/** What the prompts must say so that the agent behind does what the steps are about. */
export interface Script {
  readonly text: string;
  readonly tools: string;
  /** A run that goes on until {@link Script.release}, after `started` was heard. */
  readonly waiting: string;
  readonly started: (event: RpcEvent) => boolean;
  release(): void;
  readonly steer: string;
  readonly followUp: string;
  /** A run that takes two seconds to speak. */
  readonly busy: string;
  /** Begins to speak and never ends. */
  readonly endless: string;
  /** The model refuses, and a retry is far away. */
  readonly retry: string;
  /** A shell command that prints a line, and one that never ends. */
  readonly bash: string;
  readonly hangingBash: string;
  /** A model that is there and not the current one. */
  readonly model: { readonly provider: string; readonly id: string };
  /** Where the export goes. */
  readonly folder: string;
}

/** A tour under way. */
export interface Tour {
  readonly client: RpcClient;
  readonly script: Script;
  /** Everything that the stream has said, from the start on. */
  readonly events: readonly RpcEvent[];
  /** The first event from index `from` on that fits. */
  hear(label: string, fits: (event: RpcEvent) => boolean, from?: number): Promise<RpcEvent>;
  /** What a step found out for a later one. */
  readonly notes: Map<string, string>;
}

/** Makes a tour for a client that has not been started. */
export function createTour(client: RpcClient, script: Script): Tour {
  const events: RpcEvent[] = [];
  const watchers = new Set<() => void>();
  client.onEvent((event) => {
    events.push(RpcEvent.parse(event));
    for (const watcher of watchers) watcher();
  });
  return {
    client,
    script,
    events,
    hear: (label, fits, from = 0) =>
      within(
        label,
        watchers,
        () => events.slice(from).find(fits),
        () => `; heard ${events.slice(from).map(({ type }) => type)}; stderr: ${client.getStderr().slice(-500)}`,
      ),
    notes: new Map(),
  };
}

const isA = (type: string) => (event: RpcEvent) => event.type === type;
const isDelta = (event: RpcEvent) =>
  event.type === 'message_update' &&
  z.looseObject({ type: z.string() }).parse(event.assistantMessageEvent).type === 'text_delta';

/** One step; what `run` gives back is compared. */
export interface Step<Method extends string = keyof RpcClient> {
  readonly name: string;
  /** Those that it is about. */
  readonly methods: readonly Method[];
  run(tour: Tour): Promise<unknown>;
}

function step(name: string, methods: Step['methods'], run: Step['run']): Step {
  return { name, methods, run };
}

/** Sends a prompt and gives its events up to the end of its run. */
async function whole(tour: Tour, prompt: string, during: (from: number) => Promise<void>): Promise<RpcEvent[]> {
  const from = tour.events.length;
  const idle = tour.client.waitForIdle();
  await tour.client.prompt(prompt);
  await during(from);
  await idle;
  return tour.events.slice(from);
}

/** In the order in which they are walked: later ones build on what earlier ones have said. */
export const steps: readonly Step[] = [
  step('start', ['start', 'getStderr'], async ({ client }) => {
    await client.start();
    return typeof client.getStderr();
  }),
  step('state of a fresh session', ['getState'], ({ client }) => client.getState()),
  step('no messages yet', ['getMessages'], ({ client }) => client.getMessages()),
  step(
    'no last text yet',
    ['getLastAssistantText'],
    async ({ client }) => (await client.getLastAssistantText()) ?? null,
  ),
  step('nothing to fork yet', ['getForkMessages'], ({ client }) => client.getForkMessages()),
  step('models', ['getAvailableModels'], ({ client }) => client.getAvailableModels()),
  step('commands', ['getCommands'], ({ client }) => client.getCommands()),
  step('name', ['setSessionName'], async ({ client }) => {
    await client.setSessionName('A talk');
    return (await client.getState()).sessionName;
  }),
  step('a prompt and its events', ['promptAndWait', 'collectEvents'], ({ client, script }) =>
    client.promptAndWait(script.text),
  ),
  step('last text', ['getLastAssistantText'], ({ client }) => client.getLastAssistantText()),
  step('tools', ['prompt', 'waitForIdle', 'onEvent'], (tour) => whole(tour, tour.script.tools, async () => {})),
  step('messages', ['getMessages'], ({ client }) => client.getMessages()),
  step('statistics', ['getSessionStats'], ({ client }) => client.getSessionStats()),
  step('steering and a follow-up', ['steer', 'followUp', 'getState'], async (tour) => {
    const { client, script } = tour;
    let state: unknown;
    const events = await whole(tour, script.waiting, async (from) => {
      await tour.hear('the run at work', script.started, from);
      await client.steer(script.steer);
      await client.followUp(script.followUp);
      const { isStreaming, pendingMessageCount } = await client.getState();
      state = { isStreaming, pendingMessageCount };
      script.release();
    });
    return { state, events };
  }),
  step('abort', ['abort'], async (tour) => {
    const from = tour.events.length;
    await tour.client.prompt(tour.script.endless);
    await tour.hear('a delta', isDelta, from);
    await tour.client.abort();
    // It is answered when the run is over, so its end has been heard. How many deltas came is a matter of time.
    const events = tour.events.slice(from).filter((event) => !isDelta(event));
    return { events, isStreaming: (await tour.client.getState()).isStreaming };
  }),
  step('what an abort leaves', ['getMessages'], async ({ client }) => (await client.getMessages()).slice(-2)),
  step('abort of a retry', ['abortRetry'], async (tour) => {
    const from = tour.events.length;
    await tour.client.prompt(tour.script.retry);
    await tour.hear('the retry', isA('auto_retry_start'), from);
    await tour.client.abortRetry();
    const end = await tour.hear('its end', isA('auto_retry_end'), from);
    const { isStreaming } = await tour.client.getState();
    return { start: tour.events.slice(from).find(isA('auto_retry_start')), end, isStreaming };
  }),
  step('model', ['setModel'], async ({ client, script }) => {
    const set = await client.setModel(script.model.provider, script.model.id);
    return { set, state: (await client.getState()).model };
  }),
  step('a model that is not there', ['setModel'], ({ client }) => client.setModel('nobody', 'nothing')),
  step('thinking level', ['setThinkingLevel'], async ({ client }) => {
    await client.setThinkingLevel('high');
    return (await client.getState()).thinkingLevel;
  }),
  step('next thinking level', ['cycleThinkingLevel'], async ({ client }) => {
    const next = await client.cycleThinkingLevel();
    return { next, state: (await client.getState()).thinkingLevel };
  }),
  step('next model', ['cycleModel'], async ({ client }) => {
    const next = await client.cycleModel();
    return { next, state: (await client.getState()).model };
  }),
  step('queue modes', ['setSteeringMode', 'setFollowUpMode'], async ({ client }) => {
    await client.setSteeringMode('all');
    await client.setFollowUpMode('all');
    const { steeringMode, followUpMode } = await client.getState();
    return { steeringMode, followUpMode };
  }),
  step('automatics', ['setAutoCompaction', 'setAutoRetry'], async ({ client }) => {
    await client.setAutoCompaction(false);
    await client.setAutoRetry(false);
    return (await client.getState()).autoCompactionEnabled;
  }),
  step('shell command', ['bash'], ({ client, script }) => client.bash(script.bash)),
  step('shell command, aborted', ['abortBash'], async ({ client, script }) => {
    const result = client.bash(script.hangingBash);
    // A refusal may come before the answer to the abort: it is heard at the end all the same.
    result.catch(() => {});
    await client.abortBash();
    return result;
  }),
  step('compaction', ['compact'], ({ client }) => client.compact('Be brief.')),
  step('messages after it', ['getMessages'], ({ client }) => client.getMessages()),
  step('export', ['exportHtml'], async ({ client, script }) => {
    const file = join(script.folder, 'talk.html');
    const { path } = await client.exportHtml(file);
    return {
      isThere: path === file && existsSync(file),
      isHtml: /^<!doctype html>/iu.test(readFileSync(file, 'utf8')),
    };
  }),
  step('fork list', ['getForkMessages'], async ({ client, notes }) => {
    const messages = await client.getForkMessages();
    notes.set('entry', messages[1]?.entryId ?? '');
    return messages;
  }),
  step('fork', ['fork'], async ({ client, notes }) => {
    notes.set('file', (await client.getState()).sessionFile ?? 'nowhere.jsonl');
    const forked = await client.fork(notes.get('entry') ?? '');
    return { forked, messages: await client.getMessages() };
  }),
  step('new session', ['newSession'], async ({ client }) => {
    const before = (await client.getState()).sessionId;
    const result = await client.newSession();
    const { sessionId, messageCount } = await client.getState();
    return { result, isAnother: sessionId !== before, messageCount, messages: await client.getMessages() };
  }),
  step('a prompt in the new session', ['promptAndWait'], ({ client, script }) => client.promptAndWait(script.text)),
  step('back to the old session', ['switchSession'], async ({ client, notes }) => {
    const result = await client.switchSession(notes.get('file') ?? '');
    return { result, messages: await client.getMessages() };
  }),
  step('a listener that has left', ['onEvent'], async ({ client, script }) => {
    let heard = 0;
    const leave = client.onEvent(() => {
      heard += 1;
    });
    leave();
    await client.promptAndWait(script.text);
    return heard;
  }),
  step('stop', ['stop'], async ({ client }) => {
    await client.stop();
    return client.getState().then(
      () => 'answers',
      (thrown: Error) => thrown.message,
    );
  }),
];

/** Walks these steps; a step that throws has its sentence for a value. `after` each of them, told whether it threw. */
export async function walk(
  tour: Tour,
  some: readonly Step<string>[] = steps,
  after: (tour: Tour, isFailed: boolean) => Promise<void> = async () => {},
): Promise<ReadonlyMap<string, unknown>> {
  const values = new Map<string, unknown>();
  for (const { name, run } of some) {
    try {
      values.set(name, await run(tour));
      await after(tour, false);
    } catch (thrown) {
      values.set(name, { error: thrown instanceof Error ? thrown.message : String(thrown) });
      await after(tour, true);
    }
  }
  return values;
}
