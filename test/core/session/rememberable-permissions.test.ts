// Standing permissions of clients on the network: what the agent has suggested, and nothing else (docs/threats.md T23).
import { expect, test } from 'vitest';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import type { CommandOf } from '../../../src/core/model/command.ts';
import { withRememberablePermissions } from '../../../src/core/session/rememberable-permissions.ts';

const rule = { type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: 'ls' }], destination: 'session' };
const wider = { ...rule, rules: [{ toolName: 'Bash' }] };
const mode = { type: 'setMode', mode: 'bypassPermissions', destination: 'userSettings' };

const transcript = emptyTranscript();
for (const [seq, suggestions] of [[rule, 7], undefined].entries()) {
  const event = { type: 'approval-request', id: `a${seq}`, name: 'Bash', input: {}, suggestions } as const;
  fold(transcript, { seq, at: 0, event });
}

const answer = (id: string, remember?: unknown[]): CommandOf<'answer-approval'> => ({
  type: 'answer-approval',
  id,
  decision: 'allow',
  ...(remember === undefined ? {} : { remember }),
});

test.each<[name: string, id: string, wishes: unknown[] | undefined, kept: unknown[] | undefined]>([
  ['none', 'a0', undefined, undefined],
  ['what was suggested', 'a0', [rule], [rule]],
  ['the same with its keys in another order', 'a0', [Object.fromEntries(Object.entries(rule).reverse())], [rule]],
  ['all of it', 'a0', [rule, 7], [rule, 7]],
  ['something wider', 'a0', [wider], []],
  ['something else beside it', 'a0', [mode, rule], [rule]],
  ['something where nothing was suggested', 'a1', [rule], []],
  ['something for a question that nobody asked', 'a2', [rule], []],
])('%s', (_name, id, wishes, kept) => {
  let drops = 0;
  const told = withRememberablePermissions(answer(id, wishes), transcript, () => {
    drops += 1;
  });
  expect([told, drops]).toEqual([answer(id, kept), wishes?.length === kept?.length ? 0 : 1]);
});

test.each([
  ['a0', 1],
  ['a1', 0],
])('a yes for the session, to %s: what the session keeps is not said to be dropped', (id, expected) => {
  let drops = 0;
  const command = { ...answer(id, [wider]), forSession: true };
  expect(
    withRememberablePermissions(command, transcript, () => {
      drops += 1;
    }),
  ).toEqual({ ...command, remember: [] });
  expect(drops).toBe(expected);
});
