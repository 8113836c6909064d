// Which agent stands behind patchbay-claude, and what of Claude Code's command line reaches it.
import { chmodSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chainVariable } from '../../../src/cli/stand-ins/chosen-agent.ts';
import { chooseAgent, withGreeting } from '../../../src/cli/stand-ins/claude/agent.ts';
import { parseClaudeArgv } from '../../../src/cli/stand-ins/claude/argv.ts';
import type { StoredIds } from '../../../src/cli/stand-ins/stored-ids.ts';
import type { Instructions } from '../../../src/core/contract/adapter/instructions.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-behind-claude-')));
const file = join(folder, 'patchbay.json');
const agents = {
  real: { protocol: 'claude', command: ['claude', '--model', 'from-config'] },
  pi: { protocol: 'pi', command: ['pi', '--mode', 'rpc'] },
  far: { protocol: 'claude', url: 'ws://127.0.0.1:1/' },
};
writeFileSync(file, JSON.stringify({ agents, defaultAgent: 'real' }));
const self = join(folder, 'patchbay-claude.js');
writeFileSync(self, '');
const kept = join(folder, 'kept.jsonl');
writeFileSync(kept, '{"type":"session","version":3,"id":"x"}\n');
const notes = join(folder, 'notes.md');
writeFileSync(notes, '# mine\n');

const id = '0f3a2b1c-0000-4000-8000-000000000001';
const other = '0f3a2b1c-0000-4000-8000-000000000002';
const gone = '0f3a2b1c-0000-4000-8000-000000000003';
const foreign = '0f3a2b1c-0000-4000-8000-000000000004';
const known = [
  { id, agent: 'pi', cwd: folder, file: kept },
  { id: gone, agent: 'pi', cwd: folder, file: join(folder, 'gone.jsonl') },
  { id: foreign, agent: 'demo', cwd: folder, file: kept },
];
const stored: StoredIds = {
  list: () => [],
  find: (wanted) => known.find((entry) => entry.id === wanted) ?? null,
  latest: (agent, cwd) => known.find((entry) => entry.agent === agent && entry.cwd === cwd) ?? null,
  holding: (agent, at) => known.find((entry) => entry.agent === agent && entry.file === at) ?? null,
  save: () => {},
  remove: () => {},
};

const choose = (line: string, env: Record<string, string> = {}, cwd = folder) =>
  chooseAgent(parseClaudeArgv(line.split(' ').filter(Boolean)), {
    env: { PATCHBAY_CONFIG: file, PATH: '', ...env },
    self,
    home: folder,
    cwd,
    stored,
  });
const demo = { PATCHBAY_AGENT: 'demo' };
const pi = { PATCHBAY_AGENT: 'pi' };
const wake = { type: 'query', subject: 'state' };

describe('an agent of this protocol that is a program', () => {
  const base =
    'claude --model from-config -p --output-format stream-json --input-format stream-json --verbose --include-partial-messages';
  const commandOf = (line: string) => {
    const { config, name } = choose(line);
    return config.agents[name]?.command?.join(' ');
  };

  test.each([
    [
      'its own words first, then what it must do, then the client’s',
      `--model mine --session-id ${id}`,
      `--model mine --session-id ${id}`,
    ],
    [
      'what is for us stays here',
      `-p --verbose --output-format json --replay-user-messages --session-id ${id}`,
      `--session-id ${id}`,
    ],
    ['what nobody knows goes on', `--newer x --session-id=${id}`, `--newer x --session-id=${id}`],
    ['resumed: no other id', `--resume=${id}`, `--resume=${id}`],
    ['continued: no other id', '-c', '-c'],
  ])('%s', (_name, line, behind) => {
    expect(commandOf(line)).toBe(`${base} ${behind}`);
  });

  test('it is given the id that our frames carry', () => {
    const { session, config, name } = choose('--resume abc --fork-session');
    expect(config.agents[name]?.command?.slice(-2)).toEqual(['--session-id', session]);
  });

  test('nothing is asked of it, and all is heard', () => {
    expect(choose('--model x --mcp-config {} --resume abc')).toMatchObject({ opening: [wake], remarks: [] });
  });

  test('a claude on the PATH is one, and the environment tells it who is above', () => {
    const bin = join(folder, 'claude');
    writeFileSync(bin, '');
    chmodSync(bin, 0o755);
    const { config, name, remarks } = choose('--model x', { PATCHBAY_CONFIG: '', PATH: folder });
    expect(config.agents[name]).toMatchObject({ protocol: 'claude', env: { [chainVariable]: `${bin}#claude` } });
    expect(config.agents[name]?.command?.[0]).toBe(bin);
    expect(remarks).toEqual([expect.stringMatching(/no .*patchbay\.json: .*\/claude answers/u)]);
  });

  test('with nothing configured and no claude the demo agent answers, and says so', () => {
    const { name, remarks } = choose('', { PATCHBAY_CONFIG: '' });
    expect([name, remarks]).toEqual([
      'demo',
      [expect.stringMatching(/no claude on the PATH: the demo agent answers/u)],
    ]);
  });
});

describe('another agent is asked', () => {
  test.each<[string, string, Record<string, string>, object[], string[]]>([
    ['for the model', '--model demo-large', demo, [{ type: 'set-model', model: 'demo-large' }], []],
    ['not for its own model', '--model default', demo, [], []],
    ['for the mode', '--permission-mode plan', demo, [{ type: 'set-mode', mode: 'plan' }], []],
    ['not for the mode that all have', '--permission-mode default', pi, [], []],
    ['not to ask', '--dangerously-skip-permissions', demo, [{ type: 'set-mode', mode: 'bypassPermissions' }], []],
    ['for a budget', '--max-thinking-tokens 4096', pi, [{ type: 'set-thinking', budgetTokens: 4096 }], []],
    ['for no thinking', '--thinking disabled', pi, [{ type: 'set-thinking', budgetTokens: 0 }], []],
    ['not for thinking as it likes', '--thinking adaptive', pi, [], []],
    ['for a level', '--effort high', pi, [{ type: 'set-thinking', level: 'high' }], []],
    ['for a name', '--name talk', pi, [{ type: 'set-name', name: 'talk' }], []],
    ['for a stored conversation', `--resume ${id}`, pi, [{ type: 'switch-session', path: kept }], []],
    ['for one by its path', `--resume ${kept}`, pi, [{ type: 'switch-session', path: kept }], []],
    ['for the last one here', '--continue', pi, [{ type: 'switch-session', path: kept }], []],
    [
      'and what it cannot do is told',
      '--permission-mode plan',
      pi,
      [],
      ['the agent pi does not take --permission-mode'],
    ],
    [
      'and so is what nobody could ask it for, once each',
      '--mcp-config {} --max-turns 3 --max-turns 4 --newer x',
      pi,
      [],
      ['the agent pi does not take --mcp-config, --max-turns, --newer'],
    ],
    ['but not what goes without saying', '-p --verbose --setting-sources= --strict-mcp-config --debug', pi, [], []],
    [
      'a tool that is to be asked for permissions',
      '--permission-prompt-tool mcp__x',
      demo,
      [],
      ['the tool mcp__x cannot be asked for permissions here'],
    ],
  ])('%s', (_name, line, env, opening, remarks) => {
    expect(choose(line, env)).toMatchObject({ opening: [wake, ...opening], remarks });
  });
});

describe('instructions for the model', () => {
  const texts = join(folder, 'system.md');
  writeFileSync(texts, 'From a file.\n');
  const chosen = (words: readonly string[], env: Record<string, string>) =>
    chooseAgent(parseClaudeArgv(words), {
      env: { PATCHBAY_CONFIG: file, PATH: '', ...env },
      self,
      home: folder,
      cwd: folder,
      stored,
    });

  test.each<[string, string[], object[]]>([
    ['--system-prompt', ['--system-prompt', 'Be brief.'], [{ type: 'set-instructions', text: 'Be brief.' }]],
    ['--append-system-prompt', ['--append-system-prompt=Rhyme.'], [{ type: 'set-instructions', addition: 'Rhyme.' }]],
    [
      'both in files',
      ['--system-prompt-file', texts, '--append-system-prompt-file', texts],
      [{ type: 'set-instructions', text: 'From a file.\n', addition: 'From a file.\n' }],
    ],
    ['empty ones', ['--system-prompt', '', '--append-system-prompt='], []],
  ])('%s: before the agent is started', (_, words, opening) => {
    expect(chosen(words, pi)).toMatchObject({ opening: [...opening, wake], remarks: [], awaitsGreeting: true });
  });

  test('a file that is not there is an error', () => {
    expect(() => chosen(['--system-prompt-file', join(folder, 'none.md')], pi)).toThrow(
      /^--system-prompt-file: ENOENT/u,
    );
  });

  test.each<[string, string[], string[]]>([
    ['told', ['--system-prompt', 'Be brief.'], ['the agent demo does not take --system-prompt']],
    // As the Agent SDK 0.1.30 always says it.
    ['not told where they are empty', ['--system-prompt', '', '--append-system-prompt=', '--mcp-config', ''], []],
  ])('an agent that takes none: %s', (_, words, remarks) => {
    expect(chosen(words, demo)).toMatchObject({ opening: [wake], remarks, awaitsGreeting: false });
  });

  test('a program of this protocol reads them itself', () => {
    expect(choose('--system-prompt x')).toMatchObject({ opening: [wake], remarks: [], awaitsGreeting: false });
  });

  test.each<[string, string[], Instructions | null, object[]]>([
    ['nothing', ['--system-prompt', 'a'], null, [{ type: 'set-instructions', text: 'a' }]],
    ['the same', ['--system-prompt', 'a'], { text: 'b' }, [{ type: 'set-instructions', text: 'b' }]],
    ['more', ['--system-prompt', 'a'], { addition: 'b' }, [{ type: 'set-instructions', text: 'a', addition: 'b' }]],
    ['all', [], { text: 'a' }, [{ type: 'set-instructions', text: 'a' }]],
  ])('a greeting that says %s of them', (_, words, said, opening) => {
    expect(withGreeting(chosen(words, pi), said).opening).toEqual([...opening, wake]);
  });
});

describe('sessions', () => {
  test.each<[string, string, Record<string, string>, string, boolean]>([
    ['the id that was asked for', `--session-id ${id}`, {}, id, true],
    ['that of the one that goes on', `--resume ${other}`, {}, other, true],
    ['the one that was asked for, when it forks', `--resume ${other} --fork-session --session-id ${id}`, {}, id, true],
    ['another agent: that of the one that goes on', `--resume ${id}`, pi, id, false],
    ['another agent: that of the last one here', '--continue', pi, id, false],
    ['another agent: that of the one in the file', `--resume ${kept}`, pi, id, false],
    ['an agent elsewhere names no session of ours', `--session-id ${id}`, { PATCHBAY_AGENT: 'far' }, id, false],
  ])('%s', (_name, line, env, session, isNamedByAgent) => {
    expect(choose(line, env)).toMatchObject({ session, isNamedByAgent });
  });

  test.each([
    ['none asked for', ''],
    ['a fork', `--resume ${id} --fork-session`],
    ['continued', '--continue'],
  ])('%s: a new id', (_name, line) => {
    expect(choose(line).session).toMatch(/^[\da-f-]{36}$/u);
    expect(choose(line).session).not.toBe(id);
  });

  test.each([
    ['what is no id', '--session-id one', demo, /--session-id must be a UUID/u],
    ['an unknown one', `--resume ${other}`, pi, new RegExp(`^No conversation found with session ID: ${other}$`, 'u')],
    ['one whose file is gone', `--resume ${gone}`, pi, /^No conversation found/u],
    ['one of another agent', `--resume ${foreign}`, pi, /^No conversation found/u],
    ['a directory', `--resume ${folder}`, pi, /^No conversation found/u],
    ['a file that is none, which pi would empty', `--resume ${notes}`, pi, /^No conversation found/u],
    ['any, by an agent that keeps none', `--resume ${id}`, demo, /No conversation found .*agent demo cannot continue/u],
    ['a fork', `--resume ${id} --fork-session`, pi, /the agent pi cannot fork/u],
  ])('%s is refused', (_name, line, env, sentence) => {
    expect(() => choose(line, env)).toThrow(sentence);
  });

  test('the last one is that of this directory', () => {
    expect(() => choose('--continue', pi, '/elsewhere')).toThrow(/^No conversation found to continue$/u);
  });
});

describe('questions', () => {
  test.each([
    ['', true],
    ['--permission-prompt-tool=stdio', false],
    ['--permission-prompt-tool mcp__x', true],
  ])('%s: nobody is there: %s', (line, isUnattended) => {
    expect(choose(line).isUnattended).toBe(isUnattended);
  });
});

test('an agent that leads back to us is refused', () => {
  const above = Array.from({ length: 4 }, () => `${file}#real`).join('\n');
  expect(() => choose('', { [chainVariable]: above })).toThrow(/leads back to patchbay-claude itself/u);
});
