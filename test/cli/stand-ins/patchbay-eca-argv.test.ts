// The command line of eca, as patchbay-eca reads it.
import { describe, expect, test } from 'vitest';
import { parseEcaArgv } from '../../../src/cli/stand-ins/eca/argv.ts';

const line = (text: string) => parseEcaArgv(text.split(' '));

describe('what is asked for', () => {
  const nothing = { help: false, version: false, verbose: false, serves: false };
  const rows: [line: string, expected: object][] = [
    ['', {}],
    ['server', { serves: true }],
    ['--version', { version: true }],
    ['--help', { help: true }],
    ['-h', { help: true }],
    ['server --help', { serves: true, help: true }],
    ['server --verbose', { serves: true, verbose: true }],
    ['--verbose server', { serves: true, verbose: true }],
    ['server --log-level debug', { serves: true, verbose: true }],
    ['server --log-level=debug', { serves: true, verbose: true }],
    ['server --log-level debug --log-level info', { serves: true }],
    ['server --log-level error', { serves: true }],
    // IntelliJ passes an empty word where nothing was typed, others one for each blank too many.
    ['server ', { serves: true }],
    ['server  --verbose  ', { serves: true, verbose: true }],
  ];
  test.each(rows)('%j', (text, expected) => {
    expect(line(text)).toMatchObject({ ...nothing, ...expected });
  });
});

describe('values, and the words for an eca behind us', () => {
  const rows: [line: string, values: Record<string, string>, words: string][] = [
    ['server', {}, ''],
    ['server --log-level warn', { '--log-level': 'warn' }, '--log-level warn'],
    ['server --config-file=/a=b.json', { '--config-file': '/a=b.json' }, '--config-file=/a=b.json'],
    ['--config-file x server -h', { '--config-file': 'x' }, '--config-file x -h'],
    ['server --patchbay-agent pi --verbose', { '--patchbay-agent': 'pi' }, '--verbose'],
    ['server --patchbay-agent=pi', { '--patchbay-agent': 'pi' }, ''],
    ['server --patchbay-config /a.json', { '--patchbay-config': '/a.json' }, ''],
    ['server --patchbay-agent a --patchbay-agent b', { '--patchbay-agent': 'b' }, ''],
  ];
  test.each(rows)('%j', (text, values, words) => {
    const argv = line(text);
    expect(Object.fromEntries(argv.values)).toEqual(values);
    expect(argv.words.join(' ')).toBe(words);
  });

  test.each([
    ['all of the editor’s setting in one word', ['server', '--log-level debug --patchbay-agent  pi ']],
    ['with an equals sign', ['server', '--log-level=debug --patchbay-agent=pi']],
  ])('%s', (_name, words) => {
    const argv = parseEcaArgv(words);
    expect([argv.verbose, argv.values.get('--patchbay-agent')]).toEqual([true, 'pi']);
  });

  test('a value that is a word of its own may have blanks', () => {
    const { values } = parseEcaArgv(['server', '--patchbay-config', '/my files/patchbay.json']);
    expect(values.get('--patchbay-config')).toBe('/my files/patchbay.json');
    expect(parseEcaArgv(['server', '--config-file=/my files/a.json']).values.get('--config-file')).toBe(
      '/my files/a.json',
    );
  });
});

describe('what is no command line of eca is refused', () => {
  const known = '--help, -h, --version, --verbose, --log-level, --config-file, --patchbay-agent, --patchbay-config';
  const rows: [line: string, message: string][] = [
    ['server --frobnicate', `unknown option --frobnicate; the options are ${known}`],
    ['server -v', `unknown option -v; the options are ${known}`],
    ['server --constructor', `unknown option --constructor; the options are ${known}`],
    ['server --log-level', '--log-level needs a level'],
    ['server --log-level --verbose', '--log-level needs a level'],
    ['server --log-level=', '--log-level needs a level'],
    ['server --log-level loud', '--log-level must be one of error, warn, info, debug, not loud'],
    ['server --config-file', '--config-file needs a file'],
    ['server --config-file --x', '--config-file needs a file'],
    ['server --verbose=1', '--verbose takes no value'],
    ['serve', 'unknown command serve; the only command is server'],
    ['server now', 'unknown command now; the only command is server'],
    ['--verbose server server', 'unknown command server; the only command is server'],
    ['server --patchbay-agent', '--patchbay-agent needs a name'],
    ['server --patchbay-agent --verbose', '--patchbay-agent needs a name'],
    ['server --patchbay-config=', '--patchbay-config needs a file'],
    [
      'server --patchbay-foo x',
      'unknown option --patchbay-foo; the options of Patchbay are --patchbay-agent, --patchbay-config',
    ],
  ];
  test.each(rows)('%j', (text, message) => {
    expect(() => line(text)).toThrow(expect.objectContaining({ code: 'invalid', message }));
  });
});
