// Which agent stands behind patchbay-pi, and what of pi's command line reaches it.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chainVariable, findProgram } from '../../../src/cli/stand-ins/chosen-agent.ts';
import { chooseAgent } from '../../../src/cli/stand-ins/pi/agent.ts';
import { parsePiArgv } from '../../../src/cli/stand-ins/pi/argv.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-behind-')));
const file = join(folder, 'patchbay.json');
const agents = {
  real: { protocol: 'pi', command: ['pi', '--mode', 'rpc', '--model', 'from-config'] },
  old: { protocol: 'pi-legacy', command: ['old-pi', '--mode', 'rpc'] },
  far: { protocol: 'pi', url: 'ws://127.0.0.1:1/' },
};
writeFileSync(file, JSON.stringify({ agents, defaultAgent: 'real' }));
const self = join(folder, 'patchbay-pi.js');
writeFileSync(self, '');

const choose = (line: string, env: Record<string, string> = {}) =>
  chooseAgent(parsePiArgv(line.split(' ').filter(Boolean)), {
    env: { PATCHBAY_CONFIG: file, PATH: '', ...env },
    self,
    home: folder,
  });
const wake = { type: 'query', subject: 'state' };

describe('who is chosen', () => {
  test.each([
    ['the default of the file', '', {}, 'real'],
    ['the one in the environment', '', { PATCHBAY_AGENT: 'old' }, 'old'],
    ['the one on the command line', '--patchbay-agent far', { PATCHBAY_AGENT: 'old' }, 'far'],
    ['demo, which is always there', '', { PATCHBAY_AGENT: 'demo' }, 'demo'],
    ['an empty variable is none', '', { PATCHBAY_AGENT: '' }, 'real'],
  ])('%s', (_name, line, env, name) => {
    const chosen = choose(line, env);
    expect([chosen.name, chosen.config.defaultAgent, chosen.remarks]).toEqual([name, name, []]);
  });

  test.each([
    ['an agent that nobody configured', '--patchbay-agent nobody', /no agent named nobody; there are demo, real/u],
    ['a name off the prototype', '--patchbay-agent constructor', /no agent named constructor/u],
    ['a file that is not there', '--patchbay-config nowhere.json', /cannot read nowhere\.json/u],
  ])('%s is refused', (_name, line, sentence) => {
    expect(() => choose(line)).toThrow(sentence);
  });

  const programs = (name: string, make: (path: string) => void) => {
    const path = join(folder, name);
    mkdirSync(path);
    make(join(path, 'pi'));
    return path;
  };
  const executable = (path: string) => {
    writeFileSync(path, '');
    chmodSync(path, 0o755);
  };
  const none = programs('none', () => {});
  const plain = programs('plain', (path) => writeFileSync(path, ''));
  const directory = programs('directory', (path) => mkdirSync(path));
  const ourselves = programs('ourselves', (path) => {
    chmodSync(self, 0o755);
    symlinkSync(self, path);
  });
  const real = programs('real', executable);

  test('with nothing configured: the first pi of the PATH that can be started and is not ourselves', () => {
    const path = [none, plain, directory, ourselves, real].join(delimiter);
    expect(findProgram('pi', path, self)).toBe(join(real, 'pi'));
    const { name, config, remarks } = choose('--model x', { PATCHBAY_CONFIG: '', PATH: path });
    expect(config.agents[name]?.command).toEqual([join(real, 'pi'), '--mode', 'rpc', '--model', 'x']);
    expect(remarks).toEqual([expect.stringMatching(/no .*patchbay\.json: .*\/real\/pi answers; set PATCHBAY_AGENT/u)]);
  });

  test.each(['', '.', `${delimiter}/nowhere`])('what lies in the working directory is not taken: PATH=%j', (path) => {
    const here = process.cwd();
    process.chdir(real);
    try {
      expect(findProgram('pi', path, self)).toBeNull();
    } finally {
      process.chdir(here);
    }
  });

  test('with nothing configured and no pi: the demo agent', () => {
    const { name, remarks } = choose('', {
      PATCHBAY_CONFIG: '',
      PATH: [none, plain, directory, ourselves].join(delimiter),
    });
    expect([name, remarks]).toEqual(['demo', [expect.stringMatching(/no pi on the PATH: the demo agent answers/u)]]);
  });
});

describe('what a pi hears', () => {
  const commandOf = (line: string, env: Record<string, string>) => {
    const { config, name, opening, remarks } = choose(line, env);
    return { words: config.agents[name]?.command?.slice(3).join(' '), opening, remarks };
  };

  test.each([
    ['--mode rpc --no-session', '--model from-config --mode rpc --no-session'],
    ['', '--model from-config --mode rpc'],
    // For pi the last one counts, which is the client's.
    ['--model mine -e a.ts --plan deep', '--model from-config --mode rpc --model mine -e a.ts --plan deep'],
    ['--patchbay-dialect legacy --continue', '--model from-config --mode rpc --continue'],
  ])('%s', (line, words) => {
    expect(commandOf(line, {})).toEqual({ words, opening: [wake], remarks: [] });
  });

  test.each([
    [
      '--mode rpc --provider a --model b --system-prompt be-brief',
      '--mode rpc --provider a --model b --system-prompt be-brief',
      [],
    ],
    // 0.13.2 would take the value of an option that it does not know for a message.
    ['-e a.ts --model b -ne --plan deep', '--mode rpc --model b', ['a legacy pi does not know --extension, --plan']],
  ])('a legacy one: %s', (line, words, remarks) => {
    expect(commandOf(line, { PATCHBAY_AGENT: 'old' })).toEqual({ words, opening: [wake], remarks });
  });
});

describe('what another agent is asked', () => {
  test.each([
    ['', [], []],
    ['--mode rpc --no-session --verbose -ne', [], []],
    ['--provider demo --model demo-large', [{ type: 'set-model', provider: 'demo', model: 'demo-large' }], []],
    [
      '--model demo-large:high',
      [
        { type: 'set-model', model: 'demo-large' },
        { type: 'set-thinking', level: 'high' },
      ],
      [],
    ],
    ['--provider demo', [], ['the agent demo does not take --provider']],
    ['--session a.jsonl', [], ['the agent demo does not take --session']],
    [
      '--system-prompt x -e a.ts -e b.ts -c --plan',
      [],
      ['the agent demo does not take --system-prompt, --extension, --continue, --plan'],
    ],
  ])('%s', (line, opening, remarks) => {
    expect(choose(line, { PATCHBAY_AGENT: 'demo' })).toMatchObject({ opening, remarks });
  });

  test('one that can switch sessions is asked to', () => {
    const { opening, remarks } = choose('--session a.jsonl --continue', { PATCHBAY_AGENT: 'far' });
    expect(opening).toEqual([{ type: 'switch-session', path: 'a.jsonl' }]);
    expect(remarks).toEqual(['the agent far does not take --continue']);
  });
});

describe('circles', () => {
  const chainOf = (env: Record<string, string>) => {
    const { config, name } = choose('', env);
    return config.agents[name]?.env?.[chainVariable];
  };

  test('an agent that is a program inherits who is above it', () => {
    expect(chainOf({})).toBe(`${file}#real`);
    expect(chainOf({ [chainVariable]: `${file}#old` })).toBe(`${file}#old\n${file}#real`);
  });

  const chain = (...names: string[]) => ({ [chainVariable]: names.map((name) => `${file}#${name}`).join('\n') });

  test('one that a tool of its own starts again is served, a few generations deep', () => {
    expect(chainOf(chain('real', 'old', 'real', 'real'))?.split('\n')).toHaveLength(5);
  });

  test('one that is above more often than that is refused, and how to start it all the same is told', () => {
    expect(() => choose('', chain('real', 'old', 'real', 'real', 'real'))).toThrow(
      /leads back to patchbay-pi itself.*\(if that is meant, begin its command with env -u PATCHBAY_CHAIN\)$/u,
    );
  });

  test('one that is no program starts nothing, so there is no circle', () => {
    const { config } = choose('', { PATCHBAY_AGENT: 'far', [chainVariable]: `${file}#far` });
    expect(config.agents.far?.env).toBeUndefined();
  });
});
