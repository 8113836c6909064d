// What the fake model says to Claude Code, beside scenarios.ts: the same kinds of answers with the names and arguments of
// its own tools, and what only it can be asked for.
import { type Block, cut, type Fault, type Scenario } from '../../src/conformance/model/answers.ts';

const text = (...deltas: string[]): Block => ({ type: 'text', deltas });
const thinking = (...deltas: string[]): Block => ({ type: 'thinking', deltas, signature: 'c2lnbmVkIQ==' });
const whole = (block: { type: string; [key: string]: unknown }): Block => ({ type: 'whole', block, deltas: [] });
const call = (name: string, input: object): Block => ({
  type: 'tool_use',
  name,
  deltas: cut(JSON.stringify(input), 7),
});
const bash = (command: string): Block => call('Bash', { command, description: 'A test' });
const refusals = (status: number, error: string, count = 20): Fault[] =>
  Array.from({ length: count }, () => ({ status, error }));
const never = [text('Never said.')];

const scout = (more: object): Block => {
  const prompt = '[[cc-scout]] look around';
  return call('Task', { description: 'A look', prompt, subagent_type: 'general-purpose', ...more });
};

/** What the user is asked. */
export const questions = [
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

const size = {
  question: 'Which size?',
  header: 'Size',
  multiSelect: false,
  options: [
    { label: 'Small', description: 'Fits a pocket' },
    { label: 'Large', description: 'Fits a wall' },
  ],
};

const answers: Record<string, Scenario> = {
  'cc-tools': () => [
    {
      blocks: [
        thinking('Two ', 'at once.'),
        text('I run ', 'two tools.'),
        bash('echo hello'),
        call('Read', { file_path: 'notes.txt' }),
      ],
    },
    { blocks: [text('Both tools ', 'are done.')] },
  ],
  /** Needs permission, for it writes. */
  'cc-write': () => [
    { blocks: [text('I write.'), bash('echo written > out.txt')] },
    { blocks: [text('That ', 'was it.')] },
  ],
  'cc-write-two': () => [
    { blocks: [text('I write twice.'), bash('echo one > one.txt'), bash('echo two > two.txt')] },
    { blocks: [text('Both ', 'were asked.')] },
  ],
  'cc-edit': () => [
    { blocks: [call('Read', { file_path: 'notes.txt' })] },
    { blocks: [call('Edit', { file_path: 'notes.txt', old_string: 'alpha', new_string: 'omega' })] },
    { blocks: [text('Edited.')] },
  ],
  'cc-errors': () => [
    {
      blocks: [
        text('Trying.'),
        bash('echo oops >&2; exit 3'),
        call('Read', { file_path: 'does-not-exist.txt' }),
        call('NoSuchTool', { a: 1 }),
        call('Read', { wrong: 'argument' }),
      ],
    },
    { blocks: [text('All of them failed.')] },
  ],
  'cc-slow-after-tool': () => [
    { blocks: [bash('echo quick'), text('While it runs', ' on')], lingers: 40 },
    { blocks: [text('Long done.')] },
  ],
  'cc-abort-tool': () => [
    { blocks: [text('Running.'), bash('touch started; for i in $(seq 1 300); do sleep 0.1; done')] },
  ],
  'cc-abort-args': () => [
    {
      blocks: [text('Now a tool.'), { type: 'tool_use', name: 'Bash', deltas: ['{"comm', 'and":"echo ', 'x'] }],
      endless: true,
    },
  ],
  'cc-ask': () => [
    { blocks: [text('A question.'), call('AskUserQuestion', { questions })] },
    { blocks: [text('Thank you.')] },
  ],
  'cc-ask-two': () => [
    { blocks: [text('Two questions.'), call('AskUserQuestion', { questions: [...questions, size] })] },
    { blocks: [text('Thank you ', 'twice.')] },
  ],
  'cc-plan': () => [
    { blocks: [text('My plan.'), call('ExitPlanMode', { plan: '1. Do it.' })] },
    { blocks: [text('Planned.')] },
  ],
  'cc-agent': () => [
    { blocks: [text('I send somebody.'), scout({ run_in_background: false })] },
    { blocks: [text('Somebody ', 'came back.')] },
  ],
  /** It goes on behind the end of the turn, and its end begins a turn that nobody asked for. */
  'cc-agent-background': () => [
    { blocks: [text('I send somebody off.'), scout({})] },
    { blocks: [text('Somebody ', 'is on the way.')] },
  ],
  'cc-scout': () => [
    { blocks: [text('I look.'), call('Read', { file_path: 'notes.txt' })] },
    { blocks: [text('There is ', 'alpha and beta.')] },
  ],
  'cc-mcp': () => [{ blocks: [text('I add.'), call('mcp__calc__add', { a: 2, b: 3 })] }, { blocks: [text('Added.')] }],
  'cc-blocks': () => [
    {
      blocks: [
        whole({ type: 'redacted_thinking', data: 'aGlkZGVu' }),
        text('Between.'),
        whole({ type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: {} }),
        whole({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_01', content: [] }),
        text('After.'),
      ],
    },
  ],
  'cc-future': () => [{ blocks: [text('Before.'), whole({ type: 'hologram', beam: 7 }), text('After.')] }],
  'cc-400': () => [{ blocks: never, faults: refusals(400, 'invalid_request_error') }],
  'cc-401': () => [{ blocks: never, faults: refusals(401, 'authentication_error') }],
  'cc-429': () => [{ blocks: never, faults: refusals(429, 'rate_limit_error') }],
  'cc-529': () => [{ blocks: never, faults: refusals(529, 'overloaded_error') }],
  'cc-529-once': () => [{ blocks: [text('Better ', 'late.')], faults: refusals(529, 'overloaded_error', 1) }],
  'cc-error-midstream': () => [
    {
      blocks: [text('Whole ', 'again.')],
      faults: [{ after: [text('Half a ', 'sentence')], error: 'overloaded_error' }],
    },
  ],
  'cc-cut-midstream': () => [
    { blocks: [text('Whole ', 'again.')], faults: [{ after: [text('Half a ', 'sentence')], stops: 'cut' }] },
  ],
  'cc-no-stop': () => [
    { blocks: [text('Whole ', 'again.')], faults: [{ after: [text('Half a ', 'sentence')], stops: 'end' }] },
  ],
};

/** By name, as in `[[name]]`. */
export const claudeScenarios: ReadonlyMap<string, Scenario> = new Map(Object.entries(answers));
