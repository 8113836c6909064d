// docs/guides/eca-*.md: each setting starts a server as that editor would, from where it would, and the server answers; the
// configuration is one, and what the guides point at is there. Only the way to the program and the agents' programs are put in.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseConfig } from '../../src/config/config.ts';
import { startEditor } from '../support/editor-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guides = join(root, 'docs/guides');
const read = (name: string) => readFileSync(join(guides, `${name}.md`), 'utf8');
const fences = (name: string, language: string) =>
  [...read(name).matchAll(/```(\w+)\n([\s\S]*?)```/gu)].flatMap((found) =>
    found[1] === language ? [found[2] ?? ''] : [],
  );

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-eca-guide-')));
const project = join(folder, 'my project');
const bin = join(folder, 'bin');
const program = join(bin, 'patchbay-eca');
const env = { PATCHBAY_AGENT: '', PATCHBAY_CONFIG: '', XDG_CONFIG_HOME: join(folder, 'config') };

beforeAll(() => {
  for (const directory of [project, bin, join(env.XDG_CONFIG_HOME, 'agent-patchbay')]) {
    mkdirSync(directory, { recursive: true });
  }
  // What `npm install` puts there: one executable file.
  const words = `exec "${process.execPath}" "${join(root, 'dist/cli/patchbay-eca.js')}" "$@"`;
  writeFileSync(program, `#!/bin/sh\n${words}\n`, { mode: 0o755 });
  const telling = [process.execPath, join(root, 'test/support/telling-pi.mjs')];
  const config = { defaultAgent: 'demo', agents: { pi: { protocol: 'pi', command: telling } } };
  writeFileSync(join(env.XDG_CONFIG_HOME, 'agent-patchbay', 'patchbay.json'), JSON.stringify(config));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** How one editor starts a server: the words behind its program, and where. */
interface Start {
  readonly path: string;
  readonly words: readonly string[];
  readonly cwd: string;
}

/** `'("a" "b")` behind `(setq name`: a list of strings, and nothing that is not closed. */
function elisp(name: string): readonly string[] {
  const code = fences('eca-emacs', 'elisp').find((lines) => lines.includes(`(setq ${name} `)) ?? '';
  const bare = code.replaceAll(/"(?:[^"\\]|\\.)*"/gu, '');
  expect(bare.trim()).toBe(`(setq ${name} '(${' '.repeat(bare.split(' ').length - 3)}))`);
  return [...code.matchAll(/"([^"]*)"/gu)].map((found) => found[1] ?? '');
}

/** The strings of a table of Lua in which every brace is closed. */
function lua(code: string): ReadonlyMap<string, string> {
  expect(code).toMatch(/^require\("eca"\)\.setup\(\{\n(?: {2}\w+ = "[^"]*",\n)*\}\)\n$/u);
  return new Map([...code.matchAll(/(\w+) = "([^"]*)"/gu)].map((found) => [found[1] ?? '', found[2] ?? '']));
}

const VsCode = z.strictObject({ 'eca.serverPath': z.string(), 'eca.serverArgs': z.string().optional() });
const cut = (args: string | undefined) => (args?.trim() ? args.split(' ') : []);

/** The one code in a table's row. */
function cell(name: string, setting: string): string {
  return new RegExp(`\\| ${setting} \\| \`([^\`]+)\` \\|`, 'u').exec(read(name))?.[1] ?? '';
}

const starts: [editor: string, starts: () => readonly Start[]][] = [
  [
    'eca-emacs',
    () => {
      const [path = '', ...words] = elisp('eca-custom-command');
      const more = elisp('eca-extra-args');
      return [words, [...words, ...more]].map((line) => ({ path, words: line, cwd: project }));
    },
  ],
  [
    'eca-vscode',
    () =>
      fences('eca-vscode', 'json')
        .map((code) => VsCode.parse(JSON.parse(code)))
        .flatMap(({ 'eca.serverPath': path, 'eca.serverArgs': args }) => [
          { path, words: ['server', ...cut(args)], cwd: bin },
          // The first versions passed all of it as one word.
          { path, words: ['server', ...(args === undefined ? [] : [args])], cwd: bin },
        ]),
  ],
  [
    'eca-neovim',
    () =>
      fences('eca-neovim', 'lua')
        .map(lua)
        .map((options) => ({
          path: options.get('server_path') ?? '',
          words: ['server', ...cut(options.get('server_args'))],
          cwd: project,
        })),
  ],
  [
    'eca-intellij',
    () =>
      // Nothing in the field becomes one empty word.
      [cell('eca-intellij', 'Server args'), ''].map((args) => ({
        path: cell('eca-intellij', 'Server path'),
        words: ['server', ...args.split(' ')],
        cwd: project,
      })),
  ],
];

describe.each(starts)('%s', (_editor, startsOf) => {
  test('each setting starts a server that answers from the agent it names', async () => {
    const all = startsOf();
    expect(all.length).toBeGreaterThanOrEqual(2);
    for (const { path, words, cwd } of all) {
      expect(['patchbay-eca', '/usr/local/bin/patchbay-eca']).toContain(path);
      const editor = startEditor(program, words, { cwd, env });
      await editor.open(project);
      const isNamed = words.join(' ').includes('--patchbay-agent pi');
      const model = isNamed ? 'telling-1' : 'demo-small';
      await editor.until(`the model ${model}`, (message) => JSON.stringify(message).includes(model));
      await editor.request('shutdown', {});
      editor.notify('exit', {});
      expect((await editor.exited).code).toBe(0);
    }
  });

  test('it leads to what it points at', () => {
    expect(linksOf(_editor).filter((link) => !existsSync(join(guides, link)))).toEqual([]);
    expect(linksOf(_editor)).toContain('eca-agents.md');
  });
});

function linksOf(name: string): readonly string[] {
  return [...read(name).matchAll(/\]\((?!https?:)([^)#]+)/gu)].map((found) => found[1] ?? '');
}

describe('eca-agents', () => {
  test('its configuration, and where the extension lies', () => {
    const [code = '', ...others] = fences('eca-agents', 'json');
    expect(others).toEqual([]);
    const config = parseConfig(JSON.parse(code));
    expect([config.defaultAgent, Object.keys(config.agents)]).toEqual([
      'pi',
      ['demo', 'pi', 'claude-code', 'chat', 'eca'],
    ]);
    const extension = config.agents.pi?.command?.at(-1) ?? '';
    const [, inside = ''] = extension.split('/node_modules/agent-patchbay/');
    expect(existsSync(join(root, inside))).toBe(true);
    expect(dirname(inside)).toBe('dist/extensions');
  });

  test('its commands: the path of the program, and a server that answers by hand', async () => {
    const [install = '', byHand = ''] = fences('eca-agents', 'sh');
    expect(install).toBe('npm install --global agent-patchbay\ncommand -v patchbay-eca\n');
    expect(await run('command -v patchbay-eca')).toBe(`${program}\n`);
    expect(await run(byHand)).toMatch(/^Content-Length: \d+\r\n\r\n\{"jsonrpc":"2\.0","id":1,"result":\{/u);
  });

  test('it leads to what it points at', () => {
    expect(linksOf('eca-agents').filter((link) => !existsSync(join(guides, link)))).toEqual([]);
  });
});

function run(command: string): Promise<string> {
  const path = [bin, process.env.PATH ?? ''].join(delimiter);
  return new Promise((resolve, reject) => {
    execFile(
      '/bin/sh',
      ['-c', command],
      { cwd: project, env: { ...process.env, ...env, PATH: path } },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${error.message}\n${stderr}`));
      },
    );
  });
}
