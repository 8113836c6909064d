// What the model is told before anything is said: an agent hears of it when it is started, or nobody does.
import { expect, test } from 'vitest';
import type { Instructions } from '../../../src/core/contract/adapter/instructions.ts';
import type { Command } from '../../../src/core/model/command.ts';
import { longestInstructions } from '../../../src/core/session/agent/session-instructions.ts';
import { createSessionRig } from '../../support/core/session-rig.ts';

const told = (instructions: Instructions): Command => ({ type: 'set-instructions', ...instructions });

function rigOf(takesInstructions = true) {
  const started: (Instructions | undefined)[] = [];
  const rig = createSessionRig({ takesInstructions, started: (instructions) => void started.push(instructions) });
  const { submit, prompt, answers, problems } = rig;
  return { rig, submit, prompt, answers, problems, started };
}

test('are what its agent is started with, and every agent after that one', () => {
  const { rig, submit, prompt, started, answers } = rigOf();
  submit(told({ text: 'Be brief.', addition: 'Rhyme.' }));
  expect([started, answers]).toEqual([[], ['set-instructions: ok']]);
  prompt('one');
  rig.agent.wire.end({ reason: 'it died' });
  prompt('two');
  expect(started).toEqual(Array.from({ length: 2 }, () => ({ text: 'Be brief.', addition: 'Rhyme.' })));
});

test('the last ones before the start count', () => {
  const { submit, prompt, started } = rigOf();
  submit(told({ text: 'Be brief.' }));
  submit(told({ addition: 'Rhyme.' }));
  prompt('one');
  expect(started).toEqual([{ addition: 'Rhyme.' }]);
});

test('the same ones may be given again, others come too late', () => {
  const { submit, prompt, answers, started } = rigOf();
  submit(told({ text: 'Be brief.' }));
  prompt('one');
  submit(told({ text: 'Be brief.' }));
  submit(told({ text: 'Be long.' }));
  expect(answers).toEqual(['set-instructions: ok', 'set-instructions: ok', 'set-instructions: conflict']);
  expect(started).toHaveLength(1);
});

test.each<[string, Instructions, boolean, string]>([
  ['an agent that takes none', { text: 'x' }, false, 'unsupported: this agent takes no instructions'],
  ['a NUL, which no command line can hold', { addition: 'a\0b' }, true, 'limit: instructions are text without NUL'],
  [
    'a text that no command line can hold',
    { text: 'é'.repeat(longestInstructions / 2 + 1) },
    true,
    `limit: instructions of ${longestInstructions + 2} bytes: ${longestInstructions} is the most`,
  ],
])('%s is refused, and nothing is started for it', (_, instructions, takes, words) => {
  const { submit, prompt, answers, problems, started } = rigOf(takes);
  submit(told(instructions));
  expect(`${answers[0]?.split(': ')[1]}: ${problems[0]}`).toBe(words);
  expect(started).toEqual([]);
  prompt('one');
  expect(started).toEqual([undefined]);
});
