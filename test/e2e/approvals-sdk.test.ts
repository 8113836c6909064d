// The real Claude Agent SDK is asked what the real pi may do: `canUseTool` through `patchbay-claude`, pi with our
// extension behind it.
import type { CanUseTool, SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { resultsIn, type TalkOptions, takeTurns, talk } from '../support/agent-sdk.ts';
import { type ApprovalRig, startApprovalRig, traceCommand } from '../support/approval-rig.ts';

// pi takes seconds to start on a machine that has other work.
vi.setConfig({ testTimeout: 60_000 });

let rig: ApprovalRig;
beforeAll(async () => {
  rig = await startApprovalRig();
});
afterAll(() => rig?.close());

const good = { thrown: null, code: 0, signal: null };
const over = 'So much for that.';
const talkToPi = (settings: TalkOptions) => talk({ ...settings, env: { PATCHBAY_CONFIG: rig.config } });

interface Question {
  readonly name: string;
  readonly input: unknown;
  readonly toolUseID: string;
}

/** Answers with that, and writes down what was asked. */
function answering(answer: Awaited<ReturnType<CanUseTool>>): { canUseTool: CanUseTool; asked: Question[] } {
  const asked: Question[] = [];
  return {
    asked,
    async canUseTool(name, input, { toolUseID }) {
      asked.push({ name, input, toolUseID });
      return answer;
    },
  };
}

test.each<[name: string, answer: Awaited<ReturnType<CanUseTool>>, made: readonly boolean[], told: object]>([
  [
    'allows',
    { behavior: 'allow' },
    [true, false],
    { isError: false, text: expect.stringContaining('allows was made') },
  ],
  [
    'denies',
    { behavior: 'deny', message: 'not on my disk' },
    [false, false],
    { isError: true, text: expect.stringContaining('Denied: not on my disk') },
  ],
  [
    'changes',
    { behavior: 'allow', updatedInput: { command: traceCommand('changed') } },
    [false, true],
    { isError: false, text: expect.stringContaining('changed was made') },
  ],
])('canUseTool %s', async (name, answer, made, told) => {
  const { canUseTool, asked } = answering(answer);
  const went = await talkToPi({ prompt: `[[trace]] ${name}`, options: { canUseTool } });
  expect(went).toMatchObject(good);
  expect(asked).toEqual([
    { name: 'bash', input: { command: traceCommand(name) }, toolUseID: expect.stringMatching(/^toolu_/u) },
  ]);
  expect(resultsIn(went.messages)).toEqual([over]);
  expect([rig.hasMade(name), rig.hasMade('changed')]).toEqual(made);
  expect(await rig.told(name)).toEqual([told]);
});

test('a denial is told in the result of its turn, by the tool’s name', async () => {
  const { canUseTool } = answering({ behavior: 'deny', message: 'no' });
  const went = await talkToPi({ prompt: '[[traces]] two of them', options: { canUseTool } });
  expect(went.messages.at(-1)).toMatchObject({
    subtype: 'success',
    permission_denials: ['two', 'of', 'them'].map((name) => ({
      tool_name: 'bash',
      tool_input: { command: traceCommand(name) },
    })),
  });
});

test('an interrupt while the question is open withdraws it, and the next turn is as any other', async () => {
  const turns = takeTurns(['[[trace]] interrupted', '[[trace]] afterwards']);
  const signals: AbortSignal[] = [];
  let interrupt = async (): Promise<unknown> => undefined;
  const canUseTool: CanUseTool = async (_name, _input, { signal }) => {
    signals.push(signal);
    if (signals.length > 1) return { behavior: 'allow' };
    const withdrawn = new Promise((resolve) => signal.addEventListener('abort', resolve));
    await interrupt();
    await withdrawn;
    return { behavior: 'allow' };
  };
  const went = await talkToPi({
    prompt: turns.prompts,
    options: { canUseTool },
    during(message: SDKMessage, query) {
      interrupt = () => query.interrupt();
      turns.heard(message);
    },
  });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  expect(resultsIn(went.messages)).toEqual([expect.stringMatching(/^failed: /u), over]);
  expect(['interrupted', 'afterwards'].map(rig.hasMade)).toEqual([false, true]);
  expect(went).toMatchObject(good);
});

test('without canUseTool nobody can be asked: denied at once', async () => {
  const went = await talkToPi({ prompt: '[[trace]] unasked' });
  expect(went).toMatchObject(good);
  expect(resultsIn(went.messages)).toEqual([over]);
  expect(rig.hasMade('unasked')).toBe(false);
});
