// Runs our own backends as correct clients of the fake agents, in this process, and returns the results of the checks.
// Behaviours that need more than a prompt get their client steps as an option.
import { adapterOf } from '../../../src/adapters/index.ts';
import type { Result } from '../../../src/conformance/check/check.ts';
import type { ClientSet } from '../../../src/conformance/check/sets.ts';
import { createClientRun } from '../../../src/conformance/runner/client-runner.ts';
import type { Options } from '../../../src/core/contract/adapter/launch.ts';
import type { Channel } from '../../../src/core/contract/channel.ts';
import type { AgentConnection } from '../../../src/core/link/agent-link.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createSession } from '../../../src/core/session/open-session.ts';
import type { Session } from '../../../src/core/session/session.ts';
import { defaultSessionLimits } from '../../../src/core/session/session-ports.ts';
import { systemClock } from '../../../src/gateway/system-clock.ts';
import { memoryPair } from '../../../src/transports/memory.ts';
import { createMultiplexer } from '../../../src/transports/multiplexer.ts';

/** A session of ours whose agent is the fake agent. */
export interface OwnSession {
  readonly session: Session;
  /** All events but deltas, oldest first. */
  readonly events: readonly Event[];
  submit(command: Command): Promise<Outcome>;
  /** Prompts and waits until the session is idle. */
  prompt(text: string): Promise<Outcome>;
  /** The first event of this type from index `from` on; rejects when the patience runs out. */
  event<Type extends Event['type']>(type: Type, from?: number): Promise<Extract<Event, { type: Type }>>;
  idle(): Promise<void>;
}

/** What our client does for a behaviour; `prompt` requests the behaviour. */
export type ClientSteps = (client: OwnSession, prompt: string) => Promise<unknown>;

/** How to build the client. */
export interface OwnClientOptions {
  /** Options of the adapter. */
  readonly options?: Options;
  readonly folders?: readonly string[];
  /** Steps by behaviour, where a prompt is not enough. */
  readonly steps?: ReadonlyMap<string, ClientSteps>;
  /** The answer to a request of the agent; null: none. Default: the first option, yes, some text, allow. */
  answer?(question: Event): Command | null;
}

/** How to judge the client. */
export interface RigOptions {
  /** Behaviours; default all, in parallel, each in its own session and on its own connection. */
  readonly behaviours?: readonly string[];
  /** Wraps the fake agent's end of each connection. */
  through?(channel: Channel): Channel;
  /** How long the agent waits for its client, ms; default 10,000. */
  readonly patienceMs?: number;
}

/** A client that can be judged repeatedly. */
export interface ClientRig {
  run(set: ClientSet, options?: RigOptions): Promise<readonly Result[]>;
}

/** A client from the backend of this adapter. Each prompt requests one behaviour by name. */
export function ownClient(adapter: string, own: OwnClientOptions = {}): ClientRig {
  return {
    async run(
      set,
      {
        behaviours = set.behaviours.map(({ name }) => name),
        through = (channel: Channel) => channel,
        patienceMs = 10_000,
      } = {},
    ) {
      const run = createClientRun(set, { patienceMs });
      const taken: Promise<void>[] = [];
      await Promise.all(
        behaviours.map(async (name) => {
          const open = openSession(adapter, own, patienceMs, (channel) => void taken.push(run.serve(through(channel))));
          const runSteps = own.steps?.get(name) ?? ((client: OwnSession, prompt: string) => client.prompt(prompt));
          // A client whose messages are intercepted may never finish.
          await runSteps(open, `[[${name}]] please`).catch(ignoreImpatience);
          await open.idle().catch(ignoreImpatience);
          open.session.close('the behaviour is over');
        }),
      );
      await Promise.all(taken);
      return run.results();
    },
  };
}

class Impatience extends Error {}

function ignoreImpatience(thrown: unknown): void {
  if (!(thrown instanceof Impatience)) throw thrown;
}

let sessions = 0;

function openSession(
  id: string,
  { options = {}, folders = [process.cwd()], answer = usualAnswer }: OwnClientOptions,
  patienceMs: number,
  serve: (channel: Channel) => void,
): OwnSession {
  const adapter = adapterOf(id);
  const events: Event[] = [];
  const watchers = new Set<() => void>();
  sessions += 1;
  const name = `own-${sessions}`;

  function connect(): AgentConnection {
    const backend = adapter.agent?.backend(
      { now: systemClock.now, id: () => crypto.randomUUID() },
      options,
      folders,
      name,
    );
    if (backend === undefined) throw new Error(`${id} has no backend`);
    const [agent, client] = memoryPair(name);
    serve(agent);
    const multiplexing = adapter.agent?.multiplexing;
    if (multiplexing === undefined) return { backend, channel: client };
    const multiplexer = createMultiplexer({ label: name, channel: client, route: multiplexing.route });
    return { backend, channel: multiplexer.join(name) };
  }

  const session = createSession({
    id: name,
    epoch: '0123456789ab',
    clock: systemClock,
    limits: { ...defaultSessionLimits, abortMs: patienceMs },
    connect,
    note: () => {},
    logged(event) {
      events.push(event);
      // A session accepts no command while it reports an event.
      queueMicrotask(() => {
        const command = answer(event);
        if (command !== null) session.submit(command, () => {});
        for (const watcher of [...watchers]) watcher();
      });
      return undefined;
    },
  });

  function within<Value>(label: string, begin: (resolve: (value: Value) => void) => () => void): Promise<Value> {
    return new Promise((resolve, reject) => {
      let end = (): void => {};
      const timer = setTimeout(() => {
        end();
        reject(new Impatience(`no ${label}`));
      }, 3 * patienceMs);
      end = begin((value) => {
        clearTimeout(timer);
        resolve(value);
      });
    });
  }
  const submit = (command: Command) =>
    within<Outcome>(`outcome of ${command.type}`, (resolve) => {
      session.submit(command, resolve);
      return () => {};
    });
  const idle = () =>
    within<void>('end', (resolve) => {
      session.whenIdle(resolve);
      return () => {};
    });

  return {
    session,
    events,
    submit,
    async prompt(text) {
      const outcome = await submit({ type: 'prompt', content: [{ type: 'text', text }] });
      await idle();
      return outcome;
    },
    event: (type, from = 0) =>
      within(type, (resolve) => {
        const look = () => {
          for (const event of events.slice(from)) {
            if (!isOf(event, type)) continue;
            watchers.delete(look);
            return resolve(event);
          }
        };
        watchers.add(look);
        look();
        return () => watchers.delete(look);
      }),
    idle,
  };
}

function isOf<Type extends Event['type']>(event: Event, type: Type): event is Extract<Event, { type: Type }> {
  return event.type === type;
}

/** Accepts everything. */
/** The first option, yes, some text, allow. */
export function usualAnswer(event: Event): Command | null {
  if (event.type === 'approval-request') return { type: 'answer-approval', id: event.id, decision: 'allow' };
  if (event.type !== 'dialog-request') return null;
  const { id, kind } = event;
  switch (kind) {
    case 'confirm':
      return { type: 'answer-dialog', id, answer: { kind: 'confirmed', confirmed: true } };
    case 'select':
      return { type: 'answer-dialog', id, answer: { kind: 'value', value: event.options?.[0] ?? '' } };
    case 'input':
    case 'editor':
      return { type: 'answer-dialog', id, answer: { kind: 'value', value: 'some words' } };
    case 'interview':
      return { type: 'answer-dialog', id, answer: { kind: 'responses', responses: {} } };
    default:
      return kind satisfies never;
  }
}
