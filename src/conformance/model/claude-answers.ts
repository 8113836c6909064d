// Answers of the fake model for Claude Code: as in answers.ts, with the names and arguments of Claude Code's tools.
import { type Block, cut, type Scenario } from './answers.ts';

const text = (...deltas: string[]): Block => ({ type: 'text', deltas });
const call = (name: string, input: object): Block => ({
  type: 'tool_use',
  name,
  deltas: cut(JSON.stringify(input), 7),
});
const bash = (command: string): Block => call('Bash', { command, description: 'A test' });

const questions = [
  {
    question: 'Which colour?',
    header: 'Colour',
    multiSelect: false,
    options: [
      { label: 'Red', description: 'Like a rose' },
      { label: 'Blue', description: 'Like the sky' },
    ],
  },
];

const answers: Record<string, Scenario> = {
  'claude-tool': () => [
    { blocks: [text('I run ', 'one.'), bash('echo hello')] },
    { blocks: [text('It is ', 'done.')] },
  ],
  'claude-tools': () => [
    { blocks: [text('I run ', 'two tools.'), bash('echo hello'), bash('echo world')] },
    { blocks: [text('Both tools ', 'are done.')] },
  ],
  'claude-toolerr': () => [
    {
      blocks: [
        text('Trying.'),
        bash('echo oops >&2; exit 3'),
        call('Read', { file_path: 'does-not-exist.txt' }),
        call('NoSuchTool', { a: 1 }),
      ],
    },
    { blocks: [text('All of them failed.')] },
  ],
  // Writing a file needs permission.
  'claude-write': () => [
    { blocks: [text('I write.'), bash('echo written > patchbay-conformance.txt')] },
    { blocks: [text('That ', 'was it.')] },
  ],
  'claude-agent': () => [
    {
      blocks: [
        text('I send somebody.'),
        call('Task', {
          description: 'A look',
          prompt: '[[claude-scout]] look around',
          subagent_type: 'general-purpose',
          run_in_background: false,
        }),
      ],
    },
    { blocks: [text('Somebody ', 'came back.')] },
  ],
  'claude-scout': () => [
    { blocks: [text('I look.'), bash('echo here')] },
    { blocks: [text('There is ', 'something.')] },
  ],
  'claude-ask': () => [
    { blocks: [text('A question.'), call('AskUserQuestion', { questions })] },
    { blocks: [text('Thank you.')] },
  ],
  // Claude Code retries by itself, with growing delays.
  'claude-once': () => [{ blocks: [text('Better ', 'late.')], faults: [{ status: 529, error: 'overloaded_error' }] }],
};

/** Scenarios by name, as in `[[name]]`. */
export const claudeScenarios: ReadonlyMap<string, Scenario> = new Map(Object.entries(answers));
