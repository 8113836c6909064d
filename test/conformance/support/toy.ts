// A protocol of three messages with its checks and rules, for tests of the runners: `{"ask": word}` is answered by
// `{"answer": word}`.
import {
  CannotTell,
  type Check,
  type Connection,
  PeerWrong,
  type Tools,
} from '../../../src/conformance/check/check.ts';
import { type Rule, requiredBy, type Scenario, type Trace } from '../../../src/conformance/check/rule.ts';
import type { AgentSet, ClientSet } from '../../../src/conformance/check/sets.ts';
import type { Target } from '../../../src/conformance/runner/target.ts';
import type { Channel } from '../../../src/core/contract/channel.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import { memoryPair } from '../../../src/transports/memory.ts';

/** The toy agent's answer to a word; null: none. `close`: it closes the connection. */
export type Answers = (word: string) => string | null;

/** A target in this process. */
export function toyTarget(answer: Answers = (word) => word, more: Partial<Target> = {}): Target {
  return {
    label: 'toy',
    script: new Map([['text', 'hello {id}']]),
    memory() {
      const [near, far] = memoryPair();
      near.open({
        frame({ json }) {
          const word = String(dictionaryOf(json).ask);
          const said = answer(word);
          if (said === 'close') near.close('error', 'the toy hung up');
          else if (said !== null) near.send(JSON.stringify({ answer: said }));
        },
        fault() {},
        end() {},
      });
      return far;
    },
    ...more,
  };
}

const description = { section: '1', level: 'MUST', basis: 'specification' } as const;

/** Asks and waits for any answer. */
export async function ask(connection: Connection, word: string): Promise<unknown> {
  const from = connection.log.length;
  connection.send(JSON.stringify({ ask: word }));
  const isAnswer = ({ by }: { by: string }) => by === 'peer';
  return dictionaryOf((await connection.until('answer', () => connection.log.slice(from).find(isAnswer))).json).answer;
}

/** A check with this id. */
export function toyCheck(
  id: string,
  run: (tools: Tools) => Promise<void>,
  needs?: Check<Tools>['needs'],
): Check<Tools> {
  const sentence = 'Something is so.';
  return { ...description, id, sentence, input: '', expected: '', run, ...(needs === undefined ? {} : { needs }) };
}

/** A scenario that asks these words one after the other. */
export const toyScenario = (
  name: string,
  words: readonly string[],
  needs?: Scenario<Tools>['needs'],
): Scenario<Tools> => ({
  name,
  title: `asks ${words.join(', ')}`,
  ...(needs === undefined ? {} : { needs }),
  async run(tools) {
    const connection = await tools.connect();
    for (const word of words) await requiredBy('toy/answered', () => ask(connection, word));
  },
});

const sentence = 'An answer repeats the question.';

/** Every question has its answer. */
export const answered = (scenarios: readonly string[]): Rule<Trace> => ({
  ...description,
  id: 'toy/answered',
  sentence: 'Every question is answered.',
  scenarios,
  *judge({ frames, isComplete }) {
    for (const [frame, { by, json }] of frames.entries()) {
      if (by !== 'client' || dictionaryOf(json).ask === undefined) continue;
      const next = frames[frame + 1];
      if (next !== undefined || isComplete) yield { frame, wrong: next?.by === 'agent' ? null : 'no answer follows' };
    }
  },
});

/** An answer repeats the word of its question. */
export const repeated = (scenarios: readonly string[]): Rule<Trace> => ({
  ...description,
  id: 'toy/repeated',
  sentence,
  scenarios,
  *judge({ frames }) {
    for (const [frame, { by, json }] of frames.entries()) {
      if (by !== 'agent') continue;
      const before = dictionaryOf(frames[frame - 1]?.json).ask;
      const { answer } = dictionaryOf(json);
      yield { frame, wrong: answer === before ? null : `'${String(answer)}' is not '${String(before)}'` };
    }
  },
});

/** A check set of agents. */
export function toySet(parts: Partial<AgentSet>): AgentSet {
  const none = { checks: [], scenarios: [], rules: [], usual: {} };
  return { protocol: 'toy', side: 'agent', version: '1', ...none, ...parts };
}

/** The rule for clients: send `thanks` after each answer. The behaviours differ in the answers. */
export const toyClients: ClientSet = {
  protocol: 'toy',
  side: 'client',
  version: '1',
  behaviours: [
    { name: 'plain', title: 'answers' },
    { name: 'twice', title: 'answers twice' },
  ],
  rules: [
    { ...clientRule('plain', ['plain']), judge: (trace) => thanks(trace, 'plain') },
    { ...clientRule('twice', ['twice']), judge: (trace) => thanks(trace, 'twice') },
  ],
  async serve(connection, tools) {
    let isComplete = true;
    for (let next = 0; ; next += 1) {
      const isOver = () => (connection.ended === null ? undefined : null);
      const found = await connection.until('question', () => connection.log[next] ?? isOver()).catch(() => null);
      if (found === null) return { isComplete };
      const { ask: word } = dictionaryOf(found.json);
      if (found.by === 'us' || word === undefined || word === 'thanks') continue;
      if (word === 'crash') throw new CannotTell('told to crash');
      isComplete = word !== 'cut';
      const behaviour = tools.behaviourFor(String(word));
      connection.send(JSON.stringify({ answer: behaviour }));
      if (behaviour === 'twice') connection.send(JSON.stringify({ answer: behaviour }));
    }
  },
};

function clientRule(name: string, scenarios: readonly string[]) {
  return { ...description, id: `toy/client/${name}`, sentence: 'Clients say thanks.', scenarios };
}

function* thanks({ frames, isComplete }: Trace, behaviour: string) {
  for (const [frame, { by, json }] of frames.entries()) {
    const next = frames[frame + 1];
    if (by !== 'agent' || dictionaryOf(json).answer !== behaviour || next?.by === 'agent') continue;
    if (next === undefined && !isComplete) continue;
    yield { frame, wrong: dictionaryOf(next?.json).ask === 'thanks' ? null : 'nobody says thanks' };
  }
}

/** A client's end of a channel, with the answers that it has received. */
export function toyClient(channel: Channel): {
  heard: unknown[];
  ask(word: string): void;
  until(count: number): Promise<void>;
} {
  const heard: unknown[] = [];
  const watchers = new Set<() => void>();
  channel.open({
    frame({ json }) {
      heard.push(dictionaryOf(json).answer);
      for (const watcher of watchers) watcher();
    },
    fault() {},
    end() {},
  });
  return {
    heard,
    ask: (word) => channel.send(JSON.stringify({ ask: word })),
    until: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (heard.length < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
  };
}

export { CannotTell, PeerWrong };
