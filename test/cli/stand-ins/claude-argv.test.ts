// The command line of Claude Code, as people and the SDK write it.
import { describe, expect, test } from 'vitest';
import { parseClaudeArgv } from '../../../src/cli/stand-ins/claude/argv.ts';

/** Words are separated by blanks; `''` is the empty one. */
const parse = (line: string) =>
  parseClaudeArgv(
    line
      .split(' ')
      .filter(Boolean)
      .map((word) => (word === "''" ? '' : word)),
  );

describe('values', () => {
  test.each<[string, Record<string, string>]>([
    ['--model opus', { '--model': 'opus' }],
    ['--model=opus', { '--model': 'opus' }],
    ['--model=a=b', { '--model': 'a=b' }],
    ['--model a --model b', { '--model': 'b' }],
    ['--setting-sources=', { '--setting-sources': '' }],
    ['--append-system-prompt --resume', { '--append-system-prompt': '--resume' }],
    ['-r abc', { '--resume': 'abc' }],
    ['-r -c', {}],
    ['--debug --verbose', {}],
    ['--debug api --verbose', { '--debug': 'api' }],
    ['--allowedTools Bash Read --print', { '--allowedTools': 'Read' }],
    ['--allowed-tools Bash', { '--allowedTools': 'Bash' }],
    ['--allowedTools=Bash,Read', { '--allowedTools': 'Bash,Read' }],
    ['--patchbay-agent demo --model x', { '--patchbay-agent': 'demo', '--model': 'x' }],
    ['--patchbay-config=a.json', { '--patchbay-config': 'a.json' }],
    ['--newer-option value', { '--newer-option': 'value' }],
    ['--newer-option=value', { '--newer-option': 'value' }],
    ['--newer-option --print', {}],
    ['--constructor x', { '--constructor': 'x' }],
  ])('%s', (line, values) => {
    expect(Object.fromEntries(parse(line).values)).toEqual(values);
  });
});

describe('words that belong to no option', () => {
  test.each([
    ['-p hello world', ['hello', 'world']],
    ['-p --model opus hello', ['hello']],
    ['--verbose hello', ['hello']],
    ["--replay-user-messages ''", []],
    ['auth status --json', ['auth', 'status']],
    ['-p -- --model', ['--model']],
    ['-p -', ['-']],
    ['--add-dir a b -p c', ['c']],
  ])('%s', (line, words) => {
    expect(parse(line).words).toEqual(words);
  });
});

describe('what is given', () => {
  test.each([
    ['--model=opus', ['--model', ['--model=opus'], false, false]],
    ['--mcp-config {} []', ['--mcp-config', ['--mcp-config', '{}', '[]'], false, false]],
    ['-p', ['--print', ['-p'], true, false]],
    ['--output-format json', ['--output-format', ['--output-format', 'json'], true, false]],
    ['--permission-prompt-tool=stdio', ['--permission-prompt-tool', ['--permission-prompt-tool=stdio'], false, true]],
    ['--newer x', ['--newer', ['--newer', 'x'], false, false]],
  ])('%s', (line, [name, words, ours, idle]) => {
    expect(parse(line).given).toEqual([{ name, words, ours, idle }]);
  });

  test('our own options are not among it', () => {
    const { given, has } = parse('--patchbay-agent demo -c');
    expect(given.map(({ name }) => name)).toEqual(['--continue']);
    expect([has('--continue'), has('--resume')]).toEqual([true, false]);
  });
});

describe('how to speak', () => {
  test.each([
    ['', { print: false, help: false, version: false, input: 'text', output: 'text' }],
    ['-p', { print: true }],
    ['--help', { help: true }],
    ['-h', { help: true }],
    ['-v', { version: true }],
    [
      '--output-format stream-json --verbose --input-format stream-json',
      { input: 'stream-json', output: 'stream-json' },
    ],
    ['--output-format=json', { output: 'json' }],
  ])('%s', (line, expected) => {
    expect(parse(line)).toMatchObject(expected);
  });

  test.each([
    ['--output-format xml', /^--output-format must be text or json or stream-json, not xml$/u],
    ['--input-format=json', /^--input-format must be text or stream-json, not json$/u],
    [
      '--patchbay-agnet demo',
      /^unknown option --patchbay-agnet; the options of Patchbay are --patchbay-agent, --patchbay-config$/u,
    ],
    ['--patchbay-agent --print', /^--patchbay-agent needs a name$/u],
    ['--patchbay-config', /^--patchbay-config needs a file$/u],
  ])('%s is refused', (line, sentence) => {
    expect(() => parse(line)).toThrow(sentence);
  });
});
