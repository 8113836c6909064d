// The package as its users have it: packed, installed into an empty folder, called by its names and imported.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-package-'));
const installed = join(folder, 'node_modules', manifest.name);

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}
let packed: Packed;

/** What a program prints; `input` is its stdin. Rejects when it fails. */
function run(program: string, args: readonly string[], { cwd = folder, input = '', loads = '' } = {}): Promise<string> {
  const env = { ...process.env, PATCHBAY_AGENT: 'demo', XDG_STATE_HOME: folder, PATCHBAY_TEST_LOADS: loads };
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { cwd, env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
    });
    child.stdin?.end(input);
  });
}

beforeAll(async () => {
  // The suite has built it already.
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  [packed] = JSON.parse(await run('npm', pack, { cwd: root }));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--silent'];
  await run('npm', ['install', ...quiet, join(folder, packed.filename)]);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('what is packed', () => {
  it('is a small set of files: no source map, no module of the source by itself', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths.length).toBeLessThan(280);
    expect(packed.unpackedSize).toBeLessThan(6_800_000);
    expect(paths.filter((path) => path.endsWith('.map'))).toEqual([]);
    expect(paths).toContain('dist/third-party-notices.txt');
  });

  it('brings the schema of patchbay.json along', () => {
    const schema = JSON.parse(readFileSync(join(installed, 'patchbay.schema.json'), 'utf8'));
    expect(Object.keys(schema.properties)).toContain('agents');
  });

  it('brings the schema of the frames of canonical along', () => {
    const schema = JSON.parse(readFileSync(join(installed, 'canonical.schema.json'), 'utf8'));
    expect(Object.keys(schema.definitions)).toEqual(expect.arrayContaining(['Event', 'Command']));
  });

  it('brings the schema of conformance reports along', () => {
    const schema = JSON.parse(readFileSync(join(installed, 'conformance-report.schema.json'), 'utf8'));
    expect(schema.properties.format.const).toBe('patchbay-conformance-report/1');
  });
});

const user = JSON.stringify({ type: 'user', message: { role: 'user', content: 'hello' } });
const streams = ['--input-format', 'stream-json', '--output-format', 'stream-json'];
const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}';

describe('its programs, installed', () => {
  it.each([
    ['agent-patchbay', /^\d+\.\d+\.\d+\n$/u],
    ['patchbay', /^\d+\.\d+\.\d+\n$/u],
    ['patchbay-pi', /^\d+\.\d+\.\d+\n$/u],
    ['patchbay-claude', /^\d+\.\d+\.\d+ \(Claude Code\)\n$/u],
    ['patchbay-eca', /^eca \d+\.\d+\.\d+\n$/u],
    ['patchbay-acp', /^\d+\.\d+\.\d+\n$/u],
  ])('npx %s tells its version', async (name, version) => {
    expect(await run('npx', ['--offline', name, '--version'])).toMatch(version);
  });

  it.each([
    ['patchbay-pi', ['--mode', 'rpc'], '{"type":"prompt","message":"hello"}\n', 'Hello! You said: hello'],
    ['patchbay-claude', ['-p', '--verbose', ...streams], `${user}\n`, 'Hello! You said: hello'],
    [
      'patchbay-eca',
      ['server'],
      `Content-Length: ${initialize.length}\r\n\r\n${initialize}`,
      '"result":{"models":["demo/demo-small"',
    ],
    ['patchbay-acp', [], `${initialize}\n`, '"result":{"protocolVersion":1'],
    ['patchbay', ['stdio', '--frontend', 'claude'], `${user}\n`, 'Hello! You said: hello'],
    ['patchbay', ['agents'], '', 'built in  (default)'],
    ['patchbay', ['conformance', '--list'], '', 'pi/'],
    ['patchbay', ['translate', '--from', 'pi', '--to', 'claude'], '{"type":"agent_start"}\n', ''],
  ])('%s %j answers', async (name, args, input, words) => {
    expect(await run(join(folder, 'node_modules/.bin', name), args, { input })).toContain(words);
  });
});

describe('what a program has loaded when it ends', () => {
  const hook = join(folder, 'loads.cjs');
  beforeAll(() => {
    const write =
      "require('node:fs').writeFileSync(process.env.PATCHBAY_TEST_LOADS, Object.keys(require.cache).join('\\n'))";
    writeFileSync(hook, `process.once('exit', () => ${write});`);
  });

  /** The names and the size of the files. Packages of others are named by their whole path. */
  async function loadedBy(program: string, args: readonly string[], input: string) {
    const loads = join(folder, `${program}.loads`);
    await run(process.execPath, ['--require', hook, join(installed, 'dist/cli', program), ...args], { input, loads });
    const files = readFileSync(loads, 'utf8')
      .split('\n')
      .filter((file) => file !== '' && file !== hook);
    return {
      names: files.map((file) => (file.startsWith(installed) ? basename(file) : file)),
      bytes: files.reduce((sum, file) => sum + statSync(file).size, 0),
      // By the beginning of one of its schemas.
      hasEventSchemas: files.some((file) => readFileSync(file, 'utf8').includes('event("turn-start"')),
    };
  }

  it.each([
    ['patchbay-pi.js', 'pi', ['--mode', 'rpc'], '{"type":"get_state"}\n'],
    ['patchbay-claude.js', 'claude', ['-p', '--verbose', ...streams], `${user}\n`],
    ['patchbay-eca.js', 'eca', ['server'], `Content-Length: ${initialize.length}\r\n\r\n${initialize}`],
    ['patchbay-acp.js', 'acp', [], `${initialize}\n`],
  ])('%s: its own client side and the agent side of the demo agent, no package', async (program, own, args, input) => {
    const { names, bytes, hasEventSchemas } = await loadedBy(program, args, input);
    // They take time to make, and only records of a store and frames of `canonical` are read by them.
    expect(hasEventSchemas).toBe(false);
    expect(names.filter((name) => /-side\d*\.cjs$/u.test(name)).sort()).toEqual(
      [`${own}-client-side.cjs`, 'demo-agent-side.cjs'].sort(),
    );
    expect(names.filter((name) => name.includes('/'))).toEqual([]);
    expect(names.filter((name) => /tape|player/u.test(name))).toEqual([]);
    expect(names.length).toBeLessThan(18);
    expect(bytes).toBeLessThan(1_150_000);
  });

  it('patchbay --version: the command line alone', async () => {
    const { names, bytes } = await loadedBy('main.js', ['--version'], '');
    expect(names.sort()).toEqual(['main.js', 'program.cjs', 'rolldown-runtime.cjs']);
    expect(bytes).toBeLessThan(120_000);
  });
});

describe("OpenTelemetry's library", () => {
  it('is not installed with it; who asks for traces is told what to install, and is served', async () => {
    expect(existsSync(join(folder, 'node_modules/@opentelemetry/sdk-trace-base'))).toBe(false);
    const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    const server = execFile(process.execPath, [join(installed, 'dist/cli/main.js'), 'serve', '--json'], {
      cwd: folder,
      env,
    });
    let [ready, logged] = ['', ''];
    server.stderr?.on('data', (text: string) => {
      logged += text;
    });
    server.stdout?.on('data', (text: string) => {
      ready += text;
      server.kill('SIGTERM');
    });
    const [code] = await once(server, 'close');
    expect({ code, ready: JSON.parse(ready) }).toMatchObject({ code: 0, ready: { type: 'ready' } });
    expect(JSON.parse(logged.split('\n')[0] ?? '')).toMatchObject({
      level: 'warn',
      text: expect.stringMatching(/^no traces: .*; npm install @opentelemetry\/api@1\.9 /u),
      reason: expect.stringContaining('@opentelemetry/'),
    });
  });
});

describe('its library, installed', () => {
  const script = `import { adapters, createGateway, owner, type Gateway, parseConfig } from 'agent-patchbay';
const gateway: Gateway = createGateway(parseConfig({ agents: {} }), { log: () => {} });
const title: string | undefined = adapters.get('demo')?.title;
process.stdout.write(\`\${title}: \${gateway.board.agents(owner).map(({ name }) => name).join()}\\n\`);
gateway.close('done');
// @ts-expect-error: a log is a function, so the types of the package are read
export const wrong = () => createGateway(parseConfig({}), { log: 1 });
`;

  it('has types and code that belong together', async () => {
    const options = {
      module: 'nodenext',
      target: 'es2023',
      strict: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['use.ts'] }));
    writeFileSync(join(folder, 'use.ts'), script);
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
    expect(await run(process.execPath, ['use.js'])).toBe(
      'built-in scripted agent, needs no key and no network: demo\n',
    );
  });

  it('has a client library that pages can load: nothing of Node, and one package', async () => {
    const code = readFileSync(join(installed, 'dist/client/index.js'), 'utf8');
    expect([...code.matchAll(/^import .* from "([^"]+)";$/gmu)].map(([, name]) => name)).toEqual([
      'eventsource-parser',
    ]);
    expect(code).not.toMatch(/node:|\bBuffer\b|\bprocess\b|\brequire\(/u);
    expect(Buffer.byteLength(code)).toBeLessThan(20_000);
  });

  it('has types of the frames of its client library', async () => {
    const use = `import { connect, type Event } from 'agent-patchbay/client';
export const client = () => connect({
  url: '', frontend: 'claude', session: '',
  onFrame: (frame) => frame.type === 'result' ? frame.total_cost_usd?.toFixed(2) : frame.type,
});
export const event: Event = { type: 'run-start' };
// @ts-expect-error: a client of claude sends no such frame
export const wrong = () => client().send({ type: 'nonsense' });
`;
    const options = { module: 'nodenext', target: 'es2023', strict: true, noEmit: true, types: ['node'] };
    const typeRoots = [join(root, 'node_modules/@types')];
    writeFileSync(join(folder, 'client.ts'), use);
    const config = { compilerOptions: { ...options, typeRoots }, files: ['client.ts'] };
    writeFileSync(join(folder, 'tsconfig.client.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [tsc, '-p', join(folder, 'tsconfig.client.json')]);
  });
});
