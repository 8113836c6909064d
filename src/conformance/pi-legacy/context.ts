// The check context of pi-legacy: a client on one connection that prompts and waits.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf } from '../../core/model/dictionary.ts';
import { type Connection, NotApplicable, type Tools } from '../check/check.ts';
import { requiredBy, setup } from '../check/rule.ts';

/** The tools of one scenario. */
export interface CheckContext {
  readonly tools: Tools;
  /** The connection; the first call opens it. */
  connect(): Promise<Connection>;
  send(line: Dictionary): Promise<void>;
  /** Sends a text, which need not be JSON. */
  say(text: string): Promise<void>;
  /** The first matching line of the agent at or after `from`; default: from now on. */
  until(label: string, fits: (line: Dictionary) => boolean, from?: number): Promise<Dictionary>;
  /** Number of log entries so far. */
  readonly now: number;
  /** Sends a prompt and waits for the end of the run. */
  prompt(message: string, more?: Dictionary): Promise<void>;
  /** Prompts with a script word and waits; false when the target has no prompt for the word. */
  promptIfScripted(word: string): Promise<boolean>;
  /** Waits for that many ends of runs since `from`. */
  ends(count: number, from: number): Promise<void>;
  /** Runs preparatory work; a failure there makes the scenario unclear. */
  prepare<Value>(work: () => Promise<Value>): Promise<Value>;
}

/** Builds the context for one scenario. */
export function createContext(tools: Tools): CheckContext {
  let connection: Connection | null = null;

  async function connect(): Promise<Connection> {
    connection ??= await tools.connect();
    return connection;
  }
  const now = () => connection?.log.length ?? 0;

  async function until(label: string, fits: (line: Dictionary) => boolean, from = now()): Promise<Dictionary> {
    const { log, until: wait } = await connect();
    return wait(label, () => {
      for (const { by, json } of log.slice(from)) {
        const line = dictionaryOf(json);
        if (by === 'peer' && fits(line)) return line;
      }
      return undefined;
    });
  }

  async function ends(count: number, from: number): Promise<void> {
    const { log, until: wait } = await connect();
    await requiredBy('pi-legacy/run-ends', () =>
      wait('agent_end', () => {
        const ended = log
          .slice(from)
          .filter(({ by, json }) => by === 'peer' && dictionaryOf(json).type === 'agent_end');
        return ended.length >= count ? true : undefined;
      }),
    );
  }

  async function say(text: string): Promise<void> {
    (await connect()).send(text);
  }
  const send = (line: Dictionary) => say(JSON.stringify(line));

  async function prompt(message: string, more: Dictionary = {}): Promise<void> {
    await connect();
    const from = now();
    await send({ type: 'prompt', message, ...more });
    await requiredBy('pi-legacy/prompt-runs', () => until('agent_start', ({ type }) => type === 'agent_start', from));
    await ends(1, from);
  }

  return {
    tools,
    connect,
    send,
    say,
    until,
    get now() {
      return now();
    },
    prompt,
    async promptIfScripted(word) {
      try {
        await prompt(tools.script(word));
        return true;
      } catch (thrown) {
        if (thrown instanceof NotApplicable) return false;
        throw thrown;
      }
    },
    ends,
    prepare: setup,
  };
}
