// The smallest protocol whose clients carry many sessions: they say what the gateway is to do and hear what comes of it, word
// for word. Each frame is a JSON object.
import { z } from 'zod';
import { within } from '../../src/conformance/bounded-wait.ts';
import type { Action } from '../../src/core/contract/adapter/action.ts';
import type { Adapter } from '../../src/core/contract/adapter/adapter.ts';
import type { Frontend } from '../../src/core/contract/adapter/frontend.ts';
import type { Projection, SessionView } from '../../src/core/contract/adapter/projection.ts';
import type { Channel } from '../../src/core/contract/channel.ts';
import { Command } from '../../src/core/model/command.ts';
import type { Outcome } from '../../src/core/model/errors.ts';

/** What a client says. `next`: to be done when the command is answered. */
export type Said =
  | { readonly tag?: string; readonly deliver: Command; readonly session?: string; readonly next?: readonly Said[] }
  | { readonly watch: string; readonly as?: string; readonly dialect?: string }
  | { readonly unwatch: string };

const Said: z.ZodType<Said> = z.lazy(() =>
  z.union([
    z.object({
      tag: z.string().optional(),
      deliver: Command,
      session: z.string().optional(),
      next: z.array(Said).optional(),
    }),
    z.object({ watch: z.string(), as: z.string().optional(), dialect: z.string().optional() }),
    z.object({ unwatch: z.string() }),
  ]),
) as z.ZodType<Said>;

/** What a client hears: an answer, the end of a session, or an event of one. */
export interface Told {
  readonly tag?: string;
  readonly ok?: boolean;
  readonly code?: string;
  readonly message?: string;
  readonly data?: unknown;
  readonly over?: string;
  readonly reason?: string;
  /** The name of the session, and in which dialect it speaks. */
  readonly of?: string;
  readonly dialect?: string | null;
  readonly event?: { readonly type: string } & Readonly<Record<string, unknown>>;
}

function connection(): Frontend {
  const asked = new WeakMap<Command, Said>();

  function actions(said: Said): Action<Command>[] {
    if ('watch' in said) return [{ do: 'subscribe', ...said, session: said.watch }];
    if ('unwatch' in said) return [{ do: 'unsubscribe', session: said.unwatch }];
    asked.set(said.deliver, said);
    return [{ do: 'deliver', message: said.deliver, ...(said.session === undefined ? {} : { session: said.session }) }];
  }

  const tell = (told: Told): Action<Command> => ({ do: 'send', frame: JSON.stringify(told) });
  return {
    decode(frame) {
      const parsed = Said.safeParse(frame.json);
      if (parsed.success) return actions(parsed.data);
      return [{ do: 'note', level: 'violation', text: 'no word of this protocol' }, tell({ code: 'invalid' })];
    },
    fault: (fault) => [tell({ code: fault.code })],
    reply(command, outcome) {
      const said = asked.get(command);
      if (said === undefined || !('deliver' in said)) return [];
      return [tell(answerOf(said.tag ?? command.type, outcome)), ...(said.next ?? []).flatMap(actions)];
    },
    sessionEnded: (session, reason) => [tell({ over: session, reason })],
  };
}

function answerOf(tag: string, outcome: Outcome): Told {
  if (outcome.ok) return { tag, ok: true, data: outcome.data };
  return { tag, ok: false, code: outcome.error.code, message: outcome.error.message };
}

/** The names under which sessions have told of the end of a run, heard or not. */
export const runsTold: string[] = [];

function projection({ id }: SessionView, dialect: string | undefined): Projection {
  return {
    event({ event }) {
      if (event.type === 'run-end') runsTold.push(id);
      return [JSON.stringify({ of: id, dialect: dialect ?? null, event } satisfies Told)];
    },
  };
}

/** To be put into the registry by the test. */
export const relay: Adapter = {
  id: 'relay',
  title: 'says what the gateway is to do, word for word',
  framing: { stdio: 'jsonl', websocket: 'text', sse: 'event-stream' },
  can: { events: [], commands: [] },
  client: { frontend: () => ({ key: 'relay', isMultiplexed: true, connection, projection }) },
};

/** A client of it, in the hand of a test. */
export interface RelayClient {
  readonly told: readonly Told[];
  readonly hasEnded: () => string | null;
  say(...said: Said[]): void;
  /** Waits for the answer. */
  ask(deliver: Command, session?: string): Promise<Told>;
  /** Opens a session, and gives its id. */
  open(more?: object): Promise<string>;
  hear(what: string, fits: (told: Told) => boolean): Promise<Told>;
  end(): Promise<string>;
  /** What it has heard of a session of that name: kinds of events. */
  events(name: string): string[];
  /** The words that the model has said in it. */
  words(name: string): string;
}

/** Speaks over that channel. */
export function createRelayClient(channel: Channel): RelayClient {
  const told: Told[] = [];
  const watchers = new Set<() => void>();
  const wake = () => {
    for (const watcher of [...watchers]) watcher();
  };
  let ended: string | null = null;
  let count = 0;
  channel.open({
    frame(frame) {
      told.push(JSON.parse(frame.text));
      wake();
    },
    fault: (fault) => void told.push({ code: fault.code }),
    end({ reason }) {
      ended = reason;
      wake();
    },
  });
  const explain = () =>
    `; heard ${told
      .map((one) => JSON.stringify(one).slice(0, 200))
      .slice(-8)
      .join('\n')}`;
  const client: RelayClient = {
    told,
    hasEnded: () => ended,
    say: (...said) => {
      for (const one of said) channel.send(JSON.stringify(one));
    },
    ask(deliver, session) {
      count += 1;
      const tag = `${count}`;
      client.say({ tag, deliver, ...(session === undefined ? {} : { session }) });
      return client.hear(`the answer to ${deliver.type}`, (one) => one.tag === tag);
    },
    async open(more = {}) {
      const answer = await client.ask({ type: 'create-session', ...more });
      return z.object({ session: z.object({ id: z.string() }) }).parse(answer.data).session.id;
    },
    hear: (what, fits) => within(what, watchers, () => told.find(fits), explain),
    end: () => within('the end', watchers, () => ended ?? undefined, explain),
    events: (name) => told.flatMap(({ of, event }) => (of === name && event !== undefined ? [event.type] : [])),
    words: (name) =>
      told.flatMap(({ of, event }) => (of === name && event?.type === 'block-delta' ? [event.delta] : [])).join(''),
  };
  return client;
}
