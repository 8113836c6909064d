// `patchbay serve` and OpenTelemetry's library: nothing of it is loaded without the standard variables, and with them the last
// spans are sent before the program ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, expect, it } from 'vitest';
import { type Collector, collectedTree, openCollector } from '../../gateway/tracing/support/collector.ts';

const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-traces-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hook = join(folder, 'loads.cjs');
const loads = join(folder, 'loads');
writeFileSync(
  hook,
  `process.once('exit', () => require('node:fs').writeFileSync(${JSON.stringify(loads)}, Object.keys(require.cache).join('\\n')));`,
);

const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0)) await dispose();
});

async function collect(answers?: boolean): Promise<Collector> {
  const collector = await openCollector(answers);
  disposals.push(() => collector.close());
  return collector;
}

/** Serves one run with these variables, and stops at its end. */
async function served(variables: Readonly<Record<string, string>>, drainMs = 60_000) {
  const config = join(folder, 'patchbay.json');
  writeFileSync(config, JSON.stringify({ limits: { drainMs } }));
  const words = ['--require', hook, main, 'serve', '--json', '--config', config];
  const server = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
  });
  let logged = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    logged += text;
  });
  const exited = once(server, 'close');
  const [line] = await once(createInterface({ input: server.stdout }), 'line');
  const { url, token } = JSON.parse(String(line));
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  await post('/v1/sessions', { id: 'one' });
  const events = await fetch(`${url}/v1/pi/sessions/one/events`, { headers });
  await post('/v1/pi/sessions/one/frames', { type: 'prompt', message: 'tool' });
  let told = '';
  for await (const chunk of events.body ?? []) {
    told += Buffer.from(chunk).toString();
    // A second signal would end everything at once.
    if (told.includes('"agent_end"') && !server.killed) server.kill('SIGTERM');
  }
  const [code] = await exited;
  const packages = readFileSync(loads, 'utf8').match(/@opentelemetry\/[\w-]+/gu) ?? [];
  return { code, logged, packages: new Set(packages) };
}

it('loads nothing of the library without the variables', async () => {
  const { code, packages } = await served({});
  expect({ code, packages }).toEqual({ code: 0, packages: new Set() });
});

it('sends the last spans before it ends', async () => {
  const collector = await collect();
  const { code, packages, logged } = await served({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  });
  expect(code).toBe(0);
  expect(packages).toContain('@opentelemetry/sdk-trace-base');
  expect(logged).not.toContain('spans');
  expect(collectedTree(collector.spans())).toEqual([
    'invoke_agent demo',
    '  turn',
    '    execute_tool lookup',
    '  turn',
  ]);
});

it('ends as well if the collector hangs', async () => {
  const collector = await collect(false);
  const { code, logged } = await served({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, 200);
  expect(code).toBe(0);
  expect(logged).toContain('the collector takes too long');
});
