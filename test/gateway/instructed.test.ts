// Instructions for the model change the launch of each agent that takes them, and leave the rest of the launch as it
// was.
import { expect, test } from 'vitest';
import { adapters } from '../../src/adapters/index.ts';
import type { Instructions } from '../../src/core/contract/adapter/instructions.ts';
import type { AgentLaunch } from '../../src/core/contract/adapter/launch.ts';

const start: AgentLaunch = { argv: ['--verbose'], options: { system: 'You chat.' } };
const both = { text: 'Be brief.', addition: 'Rhyme.' };

test.each<[string, Instructions, Partial<AgentLaunch>]>([
  // The line feed keeps pi from reading the text as the path of a file.
  ['pi', both, { argv: ['--verbose', '--system-prompt', 'Be brief.\n', '--append-system-prompt', 'Rhyme.\n'] }],
  ['pi', { text: '/etc/passwd' }, { argv: ['--verbose', '--system-prompt', '/etc/passwd\n'] }],
  ['pi', { addition: '--no-tools' }, { argv: ['--verbose', '--append-system-prompt', '--no-tools\n'] }],
  ['pi-legacy', both, { argv: ['--verbose', '--system-prompt', 'Be brief.\n', '--append-system-prompt', 'Rhyme.\n'] }],
  ['claude', both, { argv: ['--verbose', '--system-prompt=Be brief.', '--append-system-prompt=Rhyme.'] }],
  ['claude', { text: '--bare' }, { argv: ['--verbose', '--system-prompt=--bare'] }],
  ['anthropic', both, { options: { system: 'Be brief.\n\nRhyme.' } }],
  ['anthropic', { text: 'Be brief.' }, { options: { system: 'Be brief.' } }],
  ['anthropic', { addition: 'Rhyme.' }, { options: { system: 'You chat.\n\nRhyme.' } }],
])('%s %j', (id, instructions, changed) => {
  expect(adapters.get(id)?.agent?.withInstructions?.(start, instructions)).toEqual({ ...start, ...changed });
});

test('all others take none', () => {
  const able = [...adapters.values()].filter(({ agent }) => agent?.withInstructions !== undefined).map(({ id }) => id);
  expect(able.sort()).toEqual(['anthropic', 'claude', 'pi', 'pi-legacy']);
});
