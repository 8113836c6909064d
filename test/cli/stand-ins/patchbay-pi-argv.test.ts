// The command line of pi, as patchbay-pi reads it.
import { describe, expect, test } from 'vitest';
import { modelWish, parsePiArgv } from '../../../src/cli/stand-ins/pi/argv.ts';

const line = (text: string) => parsePiArgv(text.split(' ').filter(Boolean));

describe('what pi is asked to do', () => {
  const rows: [line: string, instead: string | null][] = [
    ['', null],
    ['--mode rpc', null],
    ['--mode rpc --no-session --provider anthropic --model opus', null],
    // pi serves whatever else is on the line, as long as the mode says so.
    ['--mode rpc -p', null],
    ['--mode rpc hello', null],
    ['--mode text --mode rpc', null],
    ['--mode', null],
    ['--mode text', '--mode text'],
    ['--mode json', '--mode json'],
    ['--mode rpc --mode text', '--mode text'],
    ['--print', '--print'],
    ['-p hello', '-p'],
    ['hello', 'the message "hello"'],
    ['--model opus hello', 'the message "hello"'],
    ['--resume', '--resume'],
    ['-r --mode rpc', '-r'],
    ['--mode rpc --export file.jsonl', '--export'],
    ['--mode rpc --list-models', '--list-models'],
    ['--list-models opus', '--list-models'],
    ['--mode rpc @notes.md', '@notes.md'],
    ['install npm:x --mode rpc', 'install'],
    ['config', 'config'],
    ['--mode rpc list', null],
  ];
  test.each(rows)('%s', (text, instead) => {
    expect(line(text).instead).toBe(instead);
  });
});

describe('values and words', () => {
  const rows: [line: string, values: Record<string, string>, words?: string][] = [
    ['--provider a --model b', { '--provider': 'a', '--model': 'b' }],
    // The last one counts.
    ['--model a --model b', { '--model': 'b' }],
    // pi takes the next word, whatever it looks like.
    ['--system-prompt --verbose', { '--system-prompt': '--verbose' }],
    ['--append-system-prompt -p', { '--append-system-prompt': '-p' }],
    ['-e one.ts --extension two.ts', { '--extension': 'two.ts' }],
    ['--session', {}],
    ['--plan deep --model b', { '--model': 'b' }],
    ['--model=b', {}],
    ['--list-models --mode rpc', { '--mode': 'rpc' }],
    ['--__proto__ x --constructor y', {}],
    ['--patchbay-agent demo --model b', { '--patchbay-agent': 'demo', '--model': 'b' }, '--model b'],
    ['--no-session --patchbay-dialect legacy -c', { '--patchbay-dialect': 'legacy' }, '--no-session -c'],
    ['--patchbay-agent=demo --model b', { '--patchbay-agent': 'demo', '--model': 'b' }, '--model b'],
    ['--patchbay-config=a=b.json -c', { '--patchbay-config': 'a=b.json' }, '-c'],
    ['--session --patchbay-agent', { '--session': '--patchbay-agent' }],
  ];
  test.each(rows)('%s', (text, values, words = text) => {
    const argv = line(text);
    expect(Object.fromEntries(argv.values)).toEqual(values);
    expect(argv.words.join(' ')).toBe(words);
  });

  test.each([
    ['--patchbay-agent', '--patchbay-agent needs a name'],
    ['--patchbay-agent --mode rpc', '--patchbay-agent needs a name'],
    ['--patchbay-config=', '--patchbay-config needs a file'],
    ['--mode rpc --patchbay-dialect', '--patchbay-dialect needs a name'],
    [
      '--mode rpc --patchbay-foo bar',
      'unknown option --patchbay-foo; the options of Patchbay are --patchbay-agent, --patchbay-config, --patchbay-dialect',
    ],
    ['--patchbay-agents=demo', expect.stringMatching(/^unknown option --patchbay-agents;/u)],
  ])('an option of ours that is no good is refused, and is not pi’s: %s', (text, message) => {
    expect(() => line(text)).toThrow(expect.objectContaining({ code: 'invalid', message }));
  });

  test('options keep their order, and their first name', () => {
    expect(line('-e a.ts --plan deep -c --system-prompt -c').given.map(({ name, words }) => [name, ...words])).toEqual([
      ['--extension', '-e', 'a.ts'],
      ['--plan', '--plan'],
      ['--continue', '-c'],
      ['--system-prompt', '--system-prompt', '-c'],
    ]);
  });

  test.each([
    ['--help', { help: true }],
    ['--mode rpc -h', { help: true }],
    ['--version', { version: true }],
    ['-v', { version: true }],
    ['--system-prompt --help --model -v', { help: false, version: false }],
  ])('%s', (text, expected) => {
    expect(line(text)).toMatchObject(expected);
  });
});

describe('the model that it asks for', () => {
  const rows: [line: string, wish: object][] = [
    ['', {}],
    ['--provider anthropic --model opus', { provider: 'anthropic', model: 'opus' }],
    ['--model opus', { model: 'opus' }],
    ['--provider anthropic', { provider: 'anthropic' }],
    ['--model openai/gpt-4o', { provider: 'openai', model: 'gpt-4o' }],
    ['--provider openrouter --model anthropic/opus', { provider: 'openrouter', model: 'anthropic/opus' }],
    ['--model sonnet:high', { model: 'sonnet', thinking: 'high' }],
    ['--model openai/gpt-4o:low', { provider: 'openai', model: 'gpt-4o', thinking: 'low' }],
    ['--model sonnet:high --thinking low', { model: 'sonnet', thinking: 'low' }],
    // Ollama's names have a colon as well.
    ['--model llama3:8b', { model: 'llama3:8b' }],
    ['--thinking medium', { thinking: 'medium' }],
    ['--model /odd', { model: '/odd' }],
  ];
  test.each(rows)('%s', (text, wish) => {
    expect(modelWish(line(text))).toEqual(wish);
  });
});
