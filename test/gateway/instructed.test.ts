// How each agent that can is started with instructions for its model: the rest of its start is as it was.
import { expect, test } from 'vitest';
import { adapters } from '../../src/adapters/index.ts';
import type { Start } from '../../src/core/contract/adapter.ts';
import type { Instructions } from '../../src/core/contract/instructions.ts';

const start: Start = { words: ['--verbose'], options: { system: 'You chat.' } };
const both = { text: 'Be brief.', addition: 'Rhyme.' };

test.each<[string, Instructions, Partial<Start>]>([
  // The line feed: where the words are the path of a file, pi reads that.
  ['pi', both, { words: ['--verbose', '--system-prompt', 'Be brief.\n', '--append-system-prompt', 'Rhyme.\n'] }],
  ['pi', { text: '/etc/passwd' }, { words: ['--verbose', '--system-prompt', '/etc/passwd\n'] }],
  ['pi', { addition: '--no-tools' }, { words: ['--verbose', '--append-system-prompt', '--no-tools\n'] }],
  ['pi-legacy', both, { words: ['--verbose', '--system-prompt', 'Be brief.\n', '--append-system-prompt', 'Rhyme.\n'] }],
  ['claude', both, { words: ['--verbose', '--system-prompt=Be brief.', '--append-system-prompt=Rhyme.'] }],
  ['claude', { text: '--bare' }, { words: ['--verbose', '--system-prompt=--bare'] }],
  ['anthropic', both, { options: { system: 'Be brief.\n\nRhyme.' } }],
  ['anthropic', { text: 'Be brief.' }, { options: { system: 'Be brief.' } }],
  ['anthropic', { addition: 'Rhyme.' }, { options: { system: 'You chat.\n\nRhyme.' } }],
])('%s %j', (id, instructions, changed) => {
  expect(adapters.get(id)?.instructed?.(start, instructions)).toEqual({ ...start, ...changed });
});

test('all others take none', () => {
  const able = [...adapters.values()].filter(({ instructed }) => instructed !== undefined).map(({ id }) => id);
  expect(able.sort()).toEqual(['anthropic', 'claude', 'pi', 'pi-legacy']);
});
