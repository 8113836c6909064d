// The worked example of docs/conformance/add-a-check.md: the check set of an echo protocol, with rules, a check, a
// scenario, and a mutant for each check. The page quotes this file, and a test runs it.
import {
  CannotTell,
  type Check,
  type Connection,
  PeerWrong,
  type Tools,
} from '../../../src/conformance/check/check.ts';
import { each, type Rule, requiredBy, type Scenario, type Trace } from '../../../src/conformance/check/rule.ts';
import { type AgentSet, rulesOver, withContext } from '../../../src/conformance/check/sets.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import { changesOutput, type Mutant } from './mutant.ts';

// View: what the rules read, derived from a trace once.
interface Call {
  readonly frame: number;
  readonly text: unknown;
  readonly answer: { readonly frame: number; readonly text: unknown } | null;
}
interface View {
  readonly calls: readonly Call[];
  readonly isComplete: boolean;
}

function viewOf({ frames, isComplete }: Trace): View {
  const lines = frames.map(({ by, json }, frame) => ({ by, frame, json: dictionaryOf(json) }));
  const answers = lines.filter(({ by, json }) => by === 'agent' && json.answer !== undefined);
  const calls = lines
    .filter(({ by, json }) => by === 'client' && json.text !== undefined)
    .map(({ frame, json: { id, text } }): Call => {
      const answer = answers.find((one) => one.json.id === id && one.frame > frame);
      return { frame, text, answer: answer === undefined ? null : { frame: answer.frame, text: answer.json.answer } };
    });
  return { calls, isComplete };
}

// Rules: one finding for each place to which a rule applies.
const rules: readonly Rule<View>[] = [
  {
    id: 'echo/answered',
    section: '2.1',
    level: 'MUST',
    basis: 'specification',
    sentence: 'Each call has an answer with its id.',
    covers: ['call'],
    scenarios: ['call'],
    judge: ({ calls, isComplete }) =>
      each(
        calls.filter(({ answer }) => answer !== null || isComplete),
        ({ answer }) => (answer === null ? 'there is no answer with this id' : null),
      ),
  },
  {
    id: 'echo/same-text',
    section: '2.2',
    level: 'MUST',
    basis: 'specification',
    sentence: 'An answer has the text of its call.',
    covers: ['answer'],
    scenarios: ['call'],
    judge: ({ calls }) =>
      each(
        calls.flatMap(({ answer, text }) => (answer === null ? [] : [{ ...answer, asked: text }])),
        ({ text, asked }) => (text === asked ? null : `must be ${JSON.stringify(asked)}`),
      ),
  },
];

// Context: what scenarios and checks work with.
interface CheckContext {
  readonly connection: Connection;
  call(id: string, text: string): void;
  answered(id: string): Promise<void>;
}

async function createContext(tools: Tools): Promise<CheckContext> {
  const connection = await tools.connect();
  return {
    connection,
    call: (id, text) => connection.send(JSON.stringify({ id, text })),
    async answered(id) {
      const isIt = (json: unknown) => dictionaryOf(json).id === id;
      await connection.until(`answer to ${id}`, () =>
        connection.log.find(({ by, json }) => by === 'peer' && isIt(json)),
      );
    },
  };
}

// Scenario: a conversation for the rules to read. A scenario judges nothing.
const scenarios: readonly Scenario<Promise<CheckContext>>[] = [
  {
    name: 'call',
    title: 'Two calls, one behind the other.',
    async run(pending) {
      const context = await pending;
      for (const id of ['1', '2']) {
        context.call(id, `hello ${id}`);
        await requiredBy('echo/answered', () => context.answered(id));
      }
    },
  },
];

// Check: for what no recording can show.
const checks: readonly Check<Promise<CheckContext>>[] = [
  {
    id: 'echo/survives-garbage',
    section: '1',
    level: 'SHOULD',
    basis: 'specification',
    sentence: 'A line that is no JSON does not end the connection.',
    covers: ['call'],
    input: 'a line that is no JSON, then a call',
    expected: 'an answer to the call',
    async run(pending) {
      const context = await pending;
      context.call('before', 'x');
      // Preparation must not fail this check: another check covers it.
      await context.answered('before').catch((thrown: unknown) => {
        throw thrown instanceof PeerWrong ? new CannotTell(thrown.message) : thrown;
      });
      context.connection.send('no JSON');
      context.call('behind', 'y');
      await context.answered('behind');
    },
  },
];

/** The check set. */
export const echoAgent: AgentSet = {
  protocol: 'echo',
  side: 'agent',
  version: '1',
  usual: {},
  ...withContext(createContext, { checks, scenarios }),
  rules: rulesOver(viewOf, rules),
};

/** A broken agent for each check. */
export const echoMutants: readonly Mutant[] = [
  {
    fault: 'the second call has no answer',
    caughtBy: ['answered'],
    make: changesOutput((frame) => (frame.id === '2' ? null : frame)),
  },
  {
    fault: 'answers are in capital letters',
    caughtBy: ['same-text'],
    make: changesOutput((frame) => ({ ...frame, answer: String(frame.answer).toUpperCase() })),
  },
  {
    fault: 'garbage ends the connection',
    caughtBy: ['survives-garbage'],
    make: () => ({
      raw(_text, link) {
        link.close();
        return [];
      },
    }),
  },
];
