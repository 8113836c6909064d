// The gate by itself: what it asks in which mode, what each answer means, and that nothing runs without a clear yes.
import { afterEach, describe, expect, test, vi } from 'vitest';
import approvals, { type Context, type ToolCall, type Verdict } from '../../src/extensions/pi-approvals.ts';

afterEach(() => vi.unstubAllEnvs());

interface Ask {
  readonly call?: Partial<ToolCall>;
  readonly context?: Partial<Omit<Context, 'ui'>>;
  /** What the user answers, one text for each question. */
  readonly answers?: readonly (string | undefined)[];
}

/** Lets a tool be called in a pi that is not there. */
async function gate({ call = {}, context = {}, answers = [] }: Ask = {}) {
  const questions: { title: string; options?: string[]; how: object }[] = [];
  const left = [...answers];
  let handler: ((call: ToolCall, context: Context) => Promise<Verdict>) | undefined;
  approvals({
    on(event, registered) {
      expect(event).toBe('tool_call');
      handler = registered;
    },
  });
  const input = { command: 'ls' };
  const toolCall = { toolName: 'bash', toolCallId: 'c1', input, ...call };
  const verdict = await handler?.(toolCall, {
    hasUI: true,
    mode: 'rpc',
    ...context,
    ui: {
      async select(title, options, how) {
        questions.push({ title, options, how });
        return left.shift();
      },
      async input(title, _placeholder, how) {
        questions.push({ title, how });
        return left.shift();
      },
    },
  });
  return { verdict, questions, input: toolCall.input };
}

const blocked = (reason: string) => ({ block: true, reason });
const byUser = blocked('Denied by the user.');
const nonsense = blocked('Denied: the answer was not understood');

describe('an answer', () => {
  test.each<[answer: string | undefined, verdict: object | undefined]>([
    ['Allow', undefined],
    ['{"decision":"allow"}', undefined],
    ['Deny', byUser],
    ['{"decision":"deny"}', byUser],
    ['{"decision":"deny","reason":"not now"}', blocked('Denied: not now')],
    ['{"decision":"deny","reason":"  "}', byUser],
    ['{"decision":"deny","reason":7}', byUser],
    [undefined, blocked('Denied: the question was cancelled')],
    ['', nonsense],
    ['allow', nonsense],
    ['Yes', nonsense],
    ['true', nonsense],
    ['["allow"]', nonsense],
    ['{"decision":"allowed"}', nonsense],
    ['{"decision":"allow","input":"rm"}', nonsense],
    ['{"decision":"allow","input":["rm"]}', nonsense],
    ['{"decision":"allow","input":null}', nonsense],
    ['{"decision":"allow"', nonsense],
  ])('%o', async (answer, verdict) => {
    const result = await gate({ answers: [answer] });
    expect(result.verdict).toEqual(verdict);
    expect(result.input).toEqual({ command: 'ls' });
  });

  test.each<[said: string | undefined, verdict: object]>([
    ['not in this folder', blocked('Denied: not in this folder')],
    ['', byUser],
    [undefined, byUser],
  ])('that wants to say why: %o', async (said, verdict) => {
    const result = await gate({ answers: ['Deny and say why', said] });
    expect(result.verdict).toEqual(verdict);
    expect(result.questions.map(({ title }) => title.split('\n')[0])).toEqual(['Allow bash?', 'Why not?']);
  });

  test('with a changed input changes the very object that pi gives to the tool', async () => {
    const input = { command: 'rm -rf .', timeout: 5 };
    const answers = ['{"decision":"allow","input":{"command":"ls","__proto__":{"polluted":1},"more":[1]}}'];
    const result = await gate({ call: { input }, answers });
    expect(result.verdict).toBeUndefined();
    expect(result.input).toBe(input);
    expect(JSON.stringify(input)).toBe('{"command":"ls","__proto__":{"polluted":1},"more":[1]}');
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
  });

  test('with a changed input for an object that cannot be changed fails, and pi blocks what fails', async () => {
    const call = { input: Object.freeze({ command: 'ls' }) };
    await expect(gate({ call, answers: ['{"decision":"allow","input":{}}'] })).rejects.toThrow();
  });
});

describe('the question', () => {
  const choices = ['Allow', 'Deny', 'Deny and say why'];

  test('in RPC mode says all of the input in one line that a program can read', async () => {
    const { questions } = await gate({ call: { input: { text: 'a\nb\u2028' } } });
    const facts = JSON.stringify({ approval: 1, call: 'c1', name: 'bash', input: { text: 'a\nb\u2028' } });
    expect(questions).toEqual([{ title: `Allow bash?\n${facts}`, options: choices, how: {} }]);
  });

  test('at a terminal is short enough for its screen, and says what is missing', async () => {
    const { questions } = await gate({ context: { mode: 'tui' }, call: { input: { text: 'x'.repeat(5_000) } } });
    const title = questions[0]?.title ?? '';
    expect(title).toMatch(/^Allow bash\?\n\{\n {2}"text": "xxx/u);
    expect(title).toMatch(/x\n… 3016 characters more, not shown$/u);
    expect(title.length).toBeLessThan(2_100);
  });

  test.each([
    [['node', 'pi', '--mode', 'rpc'], true],
    [['node', 'pi'], false],
    [['node', 'pi', '--mode', 'text', 'rpc'], false],
  ])('in a pi that does not say its mode: %j', async (argv, isRpc) => {
    const real = process.argv;
    process.argv = argv;
    try {
      const { questions } = await gate({ context: { mode: undefined } });
      expect(questions[0]?.title.includes('"approval":1')).toBe(isRpc);
    } finally {
      process.argv = real;
    }
  });

  test('ends with the run, where pi says when that is', async () => {
    const { signal } = new AbortController();
    const { questions } = await gate({ context: { signal }, answers: ['Deny and say why'] });
    expect(questions.map(({ how }) => how)).toEqual([{ signal }, { signal }]);
  });

  test('is not asked where nobody hears it: nothing runs', async () => {
    const { verdict, questions } = await gate({ context: { hasUI: false }, answers: ['Allow'] });
    expect(verdict).toEqual(blocked('Denied: there is nobody to ask'));
    expect(questions).toEqual([]);
  });
});

test.each([
  ['bash', true],
  ['write, bash ,edit', true],
  ['write', false],
  ['Bash', false],
  ['bas', false],
  ['', true],
  [' , ', true],
])('PATCHBAY_ASK=%o', async (list, isAsked) => {
  vi.stubEnv('PATCHBAY_ASK', list);
  const { verdict, questions } = await gate({ answers: ['Deny'] });
  expect(questions).toHaveLength(isAsked ? 1 : 0);
  expect(verdict).toEqual(isAsked ? byUser : undefined);
});
