// Which agent stands behind patchbay-eca, and where its configuration is looked for.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chainVariable, userConfigFile } from '../../../src/cli/stand-ins/chosen-agent.ts';
import { chooseAgent } from '../../../src/cli/stand-ins/eca/agent.ts';
import { parseEcaArgv } from '../../../src/cli/stand-ins/eca/argv.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-behind-eca-')));
const place = (...path: string[]) => {
  const made = join(folder, ...path);
  mkdirSync(made, { recursive: true });
  return made;
};
const write = (directory: string, defaultAgent: string) => {
  const file = join(directory, 'patchbay.json');
  const agents = {
    [defaultAgent]: { protocol: 'pi', command: ['pi', '--mode', 'rpc'] },
    far: { protocol: 'pi', url: 'ws://127.0.0.1:1/' },
    inner: { protocol: 'eca', command: ['eca', 'server', '--log-level', 'error'] },
  };
  writeFileSync(file, JSON.stringify({ agents, defaultAgent }));
  return file;
};

/** A home with a configuration, one without, and a project that somebody else has made. */
const home = place('home');
write(place('home', '.config', 'agent-patchbay'), 'users');
const xdg = place('xdg');
write(place('xdg', 'agent-patchbay'), 'xdgs');
const empty = place('empty');
const project = place('project');
write(project, 'projects');
const named = write(place('named'), 'named');
const self = join(folder, 'patchbay-eca.js');
writeFileSync(self, '');

const choose = (line: string, env: Record<string, string> = {}, at = home) =>
  chooseAgent(parseEcaArgv(`server ${line}`.split(' ')), { env: { PATH: '', ...env }, self, home: at });

describe('who is chosen', () => {
  test.each<[string, string, Record<string, string>, string]>([
    ['the default of the user’s file', '', {}, 'users'],
    ['an agent of it', '--patchbay-agent far', {}, 'far'],
    ['the file where XDG_CONFIG_HOME says', '', { XDG_CONFIG_HOME: xdg }, 'xdgs'],
    ['a relative XDG_CONFIG_HOME is none', '', { XDG_CONFIG_HOME: 'xdg' }, 'users'],
    ['the file in the environment', '', { PATCHBAY_CONFIG: named }, 'named'],
    ['the file on the command line', `--patchbay-config ${named}`, { PATCHBAY_CONFIG: 'nowhere.json' }, 'named'],
    ['the name in the environment', '', { PATCHBAY_AGENT: 'far' }, 'far'],
    ['the name on the command line', '--patchbay-agent demo', { PATCHBAY_AGENT: 'far' }, 'demo'],
    ['empty variables are none', '', { PATCHBAY_AGENT: '', PATCHBAY_CONFIG: '', XDG_CONFIG_HOME: '' }, 'users'],
  ])('%s', (_name, line, env, name) => {
    const chosen = choose(line, env);
    expect([chosen.name, chosen.config.defaultAgent, chosen.remarks]).toEqual([name, name, []]);
  });

  test('never one of the project that the editor has started us in', () => {
    const here = process.cwd();
    process.chdir(project);
    try {
      expect(choose('', {}).name).toBe('users');
      const without = choose('', {}, empty);
      expect([without.name, Object.keys(without.config.agents)]).toEqual(['demo', ['demo']]);
    } finally {
      process.chdir(here);
    }
  });

  test('with nothing configured: an eca on the PATH, started as editors start it', () => {
    const bin = place('bin');
    const eca = join(bin, 'eca');
    writeFileSync(eca, '');
    chmodSync(eca, 0o755);
    const { name, config, opening, remarks } = choose('--log-level debug', { PATH: bin }, empty);
    expect(name).toBe('eca');
    expect(config.agents.eca).toMatchObject({ protocol: 'eca', command: [eca, 'server', '--log-level', 'debug'] });
    expect(opening).toEqual([{ type: 'query', subject: 'state' }]);
    expect(remarks).toEqual([
      `no ${userConfigFile({ env: {}, home: empty })}: ${eca} answers; set PATCHBAY_AGENT or PATCHBAY_CONFIG, or write that file, to choose another`,
    ]);
  });

  test('with nothing at all: the demo agent, and it is told where to write who else', () => {
    const { name, opening, remarks } = choose('', {}, empty);
    expect([name, opening]).toEqual(['demo', []]);
    expect(remarks).toEqual([
      `no ${join(empty, '.config/agent-patchbay/patchbay.json')} and no eca on the PATH: the demo agent answers; set PATCHBAY_AGENT or PATCHBAY_CONFIG, or write that file, to choose another`,
    ]);
  });

  test.each([
    ['an agent that nobody configured', '--patchbay-agent nobody', {}, /no agent named nobody; there are demo, users/u],
    ['a file that is not there', '--patchbay-config nowhere.json', {}, /cannot read nowhere\.json/u],
    ['ourselves, round and round', '', { [chainVariable]: circle() }, /leads back to patchbay-eca itself/u],
  ])('%s is refused', (_name, line, env, sentence) => {
    expect(() => choose(line, env)).toThrow(sentence);
  });
});

function circle(): string {
  return Array(4)
    .fill(`${userConfigFile({ env: {}, home })}#users`)
    .join('\n');
}

describe('what reaches the agent', () => {
  test.each([
    ['inner', '--config-file /x --patchbay-agent inner --verbose', ['--config-file', '/x', '--verbose'], []],
    ['users', '--config-file /x --verbose', [], ['the agent users does not take --config-file']],
    ['users', '--log-level debug', [], []],
  ])('of %s: %s', (name, line, more, remarks) => {
    const chosen = choose(line);
    const before = name === 'inner' ? ['eca', 'server', '--log-level', 'error'] : ['pi', '--mode', 'rpc'];
    expect(chosen.config.agents[name]?.command).toEqual([...before, ...more]);
    expect(chosen.remarks).toEqual(remarks);
  });

  test.each([
    ['a program is started at once', '', [{ type: 'query', subject: 'state' }]],
    ['a far one is not', '--patchbay-agent far', []],
  ])('%s', (_name, line, opening) => {
    expect(choose(line).opening).toEqual(opening);
  });
});
