// Judges clients: plays an agent for whoever connects, and reads what was said. Knows no protocol and opens no connection.
import type { Channel } from '../core/channel.ts';
import { messageOf } from '../core/errors.ts';
import type { Result } from './check.ts';
import { watchChannel } from './connection.ts';
import { judgeRules, type Played, type Stopped } from './judge.ts';
import type { ClientSet, ServeTools } from './sets.ts';

/** How clients are judged. */
export interface ClientRunOptions {
  /** How long our agent waits for an answer of the client; default 10,000 ms. */
  readonly patienceMs?: number;
  /** An act begins. */
  progress?(act: string): void;
}

/** Clients that are being judged. */
export interface ClientRun {
  /** A client has connected; resolves when it has left. */
  take(channel: Channel): Promise<void>;
  /** What was said up to now, judged. */
  results(): readonly Result[];
}

const defaultPatienceMs = 10_000;
const asked = /\[\[([\w-]+)\]\]/u;

/** Acts are counted over all connections, so that a client may make one for each prompt. */
export function createClientRun(set: ClientSet, options: ClientRunOptions = {}): ClientRun {
  const { patienceMs = defaultPatienceMs, progress = () => {} } = options;
  const played: Played[] = [];
  const failed: Stopped[] = [];
  const begun = new Set<string>();
  const names = set.acts.map(({ name }) => name);
  const run = crypto.randomUUID().slice(0, 8);
  let [turn, minted] = [0, 0];

  const tools: ServeTools = {
    act(prompt) {
      const word = asked.exec(prompt)?.[1];
      const wanted = names.find((name) => name === word);
      const name = wanted ?? names[turn % names.length] ?? '';
      if (wanted === undefined) turn += 1;
      begun.add(name);
      progress(name);
      return name;
    },
    mint: (word) => `${word}-${run}-${++minted}`,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    patienceMs,
  };

  return {
    async take(channel) {
      const connection = watchChannel(channel, { patienceMs });
      let isWhole = false;
      try {
        ({ isWhole } = await set.serve(connection, tools));
      } catch (thrown) {
        const reason = `our agent failed: ${thrown instanceof Error ? thrown.stack : messageOf(thrown)}`;
        failed.push(...names.map((scenario): Stopped => ({ scenario, verdict: 'unclear', reason })));
      }
      const { label } = connection;
      played.push({ conversation: { connection: label, log: [...connection.log] }, us: 'agent', isWhole });
    },
    results() {
      const unheard = names.filter((name) => !begun.has(name));
      const reason = (name: string) => `no prompt came for it: ask for [[${name}]], or prompt more often`;
      const silent = unheard.map(
        (scenario): Stopped => ({ scenario, verdict: 'not-applicable', reason: reason(scenario) }),
      );
      return judgeRules(set.rules, played, [...failed, ...silent]);
    },
  };
}
