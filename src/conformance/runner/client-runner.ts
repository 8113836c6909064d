// Judges clients: plays an agent on each client connection and applies the rules to the conversations.
import type { Channel } from '../../core/contract/channel.ts';
import { messageOf } from '../../core/model/errors.ts';
import type { Connection, Description, Result } from '../check/check.ts';
import { type ConversationToJudge, judgeRules, type StoppedScenario } from '../check/judge.ts';
import type { ClientSet, ServeTools } from '../check/sets.ts';
import { watchChannel } from './connection.ts';

/** Options for judging clients. */
export interface ClientRunOptions {
  /** How long our agent waits for an answer of the client, ms; default 10,000. */
  readonly patienceMs?: number;
  /** Selects checks; default all. A behaviour that no selected check reads runs only when a prompt requests it. */
  only?(check: Description): boolean;
  /** Called when a behaviour begins. */
  progress?(behaviour: string): void;
}

/** A running judgement of clients. */
export interface ClientRun {
  /** Serves a client's connection; resolves when the client has left. */
  serve(channel: Channel): Promise<void>;
  /** Behaviours that have run so far. */
  readonly behaviours: ReadonlySet<string>;
  /** Open client connections. */
  readonly connected: number;
  /** A counter that grows with each connection and each message. */
  readonly activity: number;
  /** Results for all messages so far. */
  results(): readonly Result[];
}

const defaultPatienceMs = 10_000;
const asked = /\[\[([\w-]+)\]\]/u;

/** Behaviours are counted across connections, because a client may open one connection for each prompt. */
export function createClientRun(set: ClientSet, options: ClientRunOptions = {}): ClientRun {
  const { patienceMs = defaultPatienceMs, only = () => true, progress = () => {} } = options;
  const conversations: ConversationToJudge[] = [];
  const failed: StoppedScenario[] = [];
  const begun = new Set<string>();
  const open = new Set<Connection>();
  const all: Connection[] = [];
  const rules = set.rules.filter((rule) => only(rule));
  const names = set.behaviours.map(({ name }) => name);
  const inTurn = names.filter((name) => rules.some(({ scenarios }) => scenarios.includes(name)));
  const run = crypto.randomUUID().slice(0, 8);
  let [turn, minted] = [0, 0];

  const tools: ServeTools = {
    behaviourFor(prompt) {
      const word = asked.exec(prompt)?.[1];
      const wanted = names.find((name) => name === word);
      const name = wanted ?? inTurn[turn % inTurn.length] ?? names[0] ?? '';
      if (wanted === undefined) turn += 1;
      begun.add(name);
      progress(name);
      return name;
    },
    mint: (word) => `${word}-${run}-${++minted}`,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    patienceMs,
  };
  function note({ label, log }: Connection, isComplete: boolean): ConversationToJudge {
    return { conversation: { connection: label, log: [...log] }, us: 'agent', isComplete };
  }

  return {
    behaviours: begun,
    get connected() {
      return open.size;
    },
    get activity() {
      return all.reduce((sum, { log }) => sum + 1 + log.length, 0);
    },
    async serve(channel) {
      const connection = watchChannel(channel, { patienceMs });
      open.add(connection);
      all.push(connection);
      let isComplete = false;
      try {
        ({ isComplete } = await set.serve(connection, tools));
      } catch (thrown) {
        const reason = `our agent failed: ${thrown instanceof Error ? thrown.stack : messageOf(thrown)}`;
        failed.push(...names.map((scenario): StoppedScenario => ({ scenario, verdict: 'unclear', reason })));
      }
      open.delete(connection);
      conversations.push(note(connection, isComplete));
      // A client that has only ended its input waits for our end of the connection.
      channel.close('normal', 'the conversation is over');
      await connection.until('end of the connection', () => connection.ended ?? undefined).catch(() => {});
    },
    results() {
      const missing = names.filter((name) => !begun.has(name));
      const reason = (name: string) => `no prompt came for it: ask for [[${name}]], or prompt more often`;
      const silent = missing.map(
        (scenario): StoppedScenario => ({ scenario, verdict: 'not-applicable', reason: reason(scenario) }),
      );
      const now = [...open].map((connection) => note(connection, false));
      return judgeRules(rules, [...conversations, ...now], [...failed, ...silent]);
    },
  };
}
