// The session of one client with our fake pi agents: reads the client's lines, runs the scripts of its prompts one at a
// time, and knows when all scripts have ended.
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { messageOf } from '../../../core/model/errors.ts';
import { type Connection, PeerWrong } from '../../check/check.ts';
import type { ServeTools } from '../../check/sets.ts';
import { createRunWriter, type RunWriter } from './run-writer.ts';
import type { BehaviourContext } from './shared-behaviours.ts';

/** The client has disconnected during a script. */
class Left extends Error {}

/** How long a client has to react to an unusual line, ms. */
const breathMs = 40;

/** The session, as the fake agents use it. */
export interface AgentSession {
  readonly writer: RunWriter;
  readonly context: BehaviourContext;
  /** A script is running. */
  readonly isBusy: boolean;
  send(line: Dictionary): void;
  /** Queues the script and runs it after the earlier ones. */
  enqueue(play: () => Promise<void>): void;
  /** Asks the running script to end. */
  stop(): void;
  /** Resolves when all queued scripts have run. */
  idle(): Promise<void>;
  /**
   * Resolves with the first value that `look` finds, or null when the patience runs out. Rejects when the client has
   * disconnected.
   */
  wait<Value>(look: () => Value | undefined, patienceMs?: number): Promise<Value | null>;
  /**
   * Passes every line of the client to `receive`, with its JSON if it parses. Resolves when the client has
   * disconnected.
   */
  readLines(receive: (json: unknown, text: string) => void): Promise<{ readonly isComplete: boolean }>;
}

/** Starts a session. `isLegacy`: pi 0.13.2. */
export function createAgentSession(connection: Connection, tools: ServeTools, isLegacy: boolean): AgentSession {
  const watchers = new Set<() => void>();
  let pending: Promise<void> = Promise.resolve();
  let count = 0;
  let isStopped = false;
  let failure: unknown = null;

  function wake(): void {
    for (const watcher of [...watchers]) watcher();
  }
  function send(line: Dictionary): void {
    if (connection.ended !== null) throw new Left();
    connection.send(JSON.stringify(line));
  }

  function wait<Value>(look: () => Value | undefined, patienceMs = tools.patienceMs): Promise<Value | null> {
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(timer);
        watchers.delete(check);
        settle();
      };
      const timer = setTimeout(() => done(() => resolve(null)), patienceMs);
      function check(): void {
        const value = look();
        if (value !== undefined) done(() => resolve(value));
        else if (connection.ended !== null) done(() => reject(new Left()));
      }
      watchers.add(check);
      check();
    });
  }

  const writer = createRunWriter(send, { isLegacy, now: () => Date.now() });
  const context: BehaviourContext = {
    writer,
    send,
    mint: tools.mint,
    async shortPause() {
      await tools.pause(breathMs);
      if (connection.ended !== null) throw new Left();
    },
    waitForStop: async () => (await wait(() => (isStopped ? true : undefined))) === true,
  };

  /** The next line of the client; null when it has disconnected. */
  async function next(at: number): Promise<{ readonly text: string; readonly json?: unknown } | null> {
    const reply = () => connection.log.slice(at).find(({ by, isFault }) => by === 'peer' && isFault !== true);
    while (connection.ended === null && reply() === undefined) {
      await connection
        .until('line of the client', () => reply())
        .catch((thrown: unknown) => {
          // A client need not say anything, so its silence is no failure.
          if (!(thrown instanceof PeerWrong)) throw thrown;
        });
    }
    return reply() ?? null;
  }

  return {
    writer,
    context,
    get isBusy() {
      return count > 0;
    },
    send,
    enqueue(play) {
      count += 1;
      pending = pending
        .then(async () => {
          isStopped = false;
          await play();
        })
        .catch((thrown: unknown) => {
          if (!(thrown instanceof Left)) failure ??= thrown;
        })
        .then(() => {
          count -= 1;
          wake();
        });
    },
    stop() {
      isStopped = true;
      wake();
    },
    idle: () => pending,
    wait,
    async readLines(receive) {
      for (let at = 0, line = await next(at); line !== null; line = await next(at)) {
        at = connection.log.findIndex((one, index) => index >= at && one === line) + 1;
        try {
          receive(line.json ?? parsed(line.text), line.text);
        } catch (thrown) {
          if (!(thrown instanceof Left)) throw thrown;
        }
        wake();
      }
      const isComplete = count === 0;
      wake();
      await pending;
      if (failure !== null) throw failure instanceof Error ? failure : new Error(messageOf(failure));
      return { isComplete };
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object in a line; null where the line is no object. */
export function objectOf(json: unknown): Dictionary | null {
  return isDictionary(json) ? json : null;
}
