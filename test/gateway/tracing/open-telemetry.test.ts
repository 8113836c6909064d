// Traces of a gateway through OpenTelemetry's library, as a collector gets them; and what a collector that refuses or hangs
// costs.

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openTelemetry, type SendingTracer } from '../../../src/gateway/tracing/open-telemetry.ts';
import { type Collector, collectedTree, factsOf, openCollector } from './support/collector.ts';
import { type DemoRun, demoRun } from './support/demo-run.ts';

const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
  vi.unstubAllEnvs();
});

async function collect(answers?: boolean): Promise<Collector> {
  const collector = await openCollector(answers);
  disposals.push(() => collector.close());
  return collector;
}

/** A tracer for these variables, and what was logged. */
async function trace(variables: Readonly<Record<string, string>>) {
  const logged: string[] = [];
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const tracer = await openTelemetry({
    env: process.env,
    name: 'patchbay',
    version: '1.2.3',
    log: (level, text, fields = {}) => logged.push([level, text, ...Object.values(fields)].join(' | ')),
  });
  return { tracer, logged };
}

function run(tracer: SendingTracer | undefined): DemoRun {
  if (tracer === undefined) throw new Error('no tracer');
  const demo = demoRun(tracer);
  disposals.push(() => demo.gateway.close('the test is over'));
  return demo;
}

const json = (endpoint: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
});

describe('off', () => {
  test.each([
    ['without variables', {}],
    ['with empty ones', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '' }],
    ['with the SDK disabled', { ...json('http://127.0.0.1:1'), OTEL_SDK_DISABLED: 'True' }],
    ['with no exporter', { ...json('http://127.0.0.1:1'), OTEL_TRACES_EXPORTER: 'none' }],
    ['with another exporter', { ...json('http://127.0.0.1:1'), OTEL_TRACES_EXPORTER: 'zipkin, console' }],
  ])('%s', async (_name, variables) => {
    expect(await trace(variables)).toEqual({ tracer: undefined, logged: [] });
  });

  test.each([
    ['an endpoint that is no URL', json('collector'), 'warn | no traces: the endpoint is no URL'],
    [
      'a protocol that has no exporter here',
      { ...json('http://127.0.0.1:1'), OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' },
      'warn | no traces: the protocol is none of http/protobuf, http/json | grpc',
    ],
  ])('%s, with a line', async (_name, variables, line) => {
    expect(await trace(variables)).toEqual({ tracer: undefined, logged: [line] });
  });
});

test('the traces of two runs, one with a tool and an approval and one that fails', async () => {
  const collector = await collect();
  const { tracer, logged } = await trace({
    ...json(collector.url),
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  const { prompt, hear, say } = run(tracer);
  prompt('ask tool');
  const { id } = await hear('extension_ui_request');
  say({ type: 'extension_ui_response', id, confirmed: true });
  await hear('agent_end');
  prompt('toolfail fail');
  await hear('agent_end');
  await tracer?.close(60_000);

  expect(collector.deliveries).toMatchObject([
    { path: '/v1/traces', headers: { 'content-type': 'application/json', 'x-key': 'secret' } },
  ]);
  expect(collector.resource()).toMatchObject({
    'service.name': 'patchbay',
    'service.version': '1.2.3',
    'deployment.environment.name': 'test',
    'telemetry.sdk.name': 'opentelemetry',
  });
  const spans = collector.spans();
  expect(collectedTree(spans)).toEqual([
    'invoke_agent robot',
    '  turn',
    '    await_approval write_note',
    '    execute_tool write_note',
    '  turn',
    '    execute_tool lookup',
    '  turn',
    'invoke_agent robot !',
    '  turn',
    '    execute_tool lookup !',
    '  turn',
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(2);
  const byTime = (edge: 'startTimeUnixNano' | 'endTimeUnixNano') => spans.every((span) => BigInt(span[edge]) > 0n);
  expect([byTime('startTimeUnixNano'), byTime('endTimeUnixNano')]).toEqual([true, true]);
  const [good, bad] = spans.filter(({ parentSpanId = '' }) => parentSpanId === '').map(factsOf);
  expect(good).toEqual({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'robot',
    'gen_ai.conversation.id': 's',
    'patchbay.agent.protocol': 'demo',
    'patchbay.run.outcome': 'completed',
  });
  expect(bad).toMatchObject({ 'patchbay.run.outcome': 'failed', 'error.type': 'provider' });
  expect(logged).toEqual([]);
});

test('protobuf where no protocol is named; the address of traces and the name of the service are the user’s', async () => {
  const collector = await collect();
  const { tracer } = await trace({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/in`,
    OTEL_SERVICE_NAME: 'mine',
  });
  const { prompt, hear } = run(tracer);
  prompt('tool');
  await hear('agent_end');
  await tracer?.close(60_000);
  const [delivery] = collector.deliveries;
  expect(delivery).toMatchObject({ path: '/in', headers: { 'content-type': 'application/x-protobuf' } });
  for (const words of ['mine', 'invoke_agent robot', 'turn', 'execute_tool lookup'])
    expect(delivery?.body.includes(words)).toBe(true);
});

test('spans are sent while the gateway runs', async () => {
  const collector = await collect();
  const { tracer } = await trace({ ...json(collector.url), OTEL_BSP_SCHEDULE_DELAY: '1' });
  disposals.push(() => tracer?.close(60_000));
  const { prompt, hear } = run(tracer);
  prompt('tool');
  await hear('agent_end');
  await collector.came(1);
});

describe('a collector that cannot be used', () => {
  /** A port at which nobody listens. */
  async function closedPort(): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    return port;
  }
  const quick = { OTEL_BSP_SCHEDULE_DELAY: '1', OTEL_EXPORTER_OTLP_TIMEOUT: '200' };

  test('refuses: runs go on, and one line says it', async () => {
    const { tracer, logged } = await trace({ ...json(`http://127.0.0.1:${await closedPort()}`), ...quick });
    const { prompt, hear } = run(tracer);
    for (let round = 0; round < 5; round += 1) {
      prompt('tools 5');
      await hear('agent_end');
    }
    await vi.waitUntil(() => logged.length > 0, { timeout: 60_000 });
    await tracer?.close(60_000);
    expect(logged).toEqual([expect.stringMatching(/^warn \| spans are not sent \| .*ECONNREFUSED/u)]);
  });

  test('hangs: runs go on, the queue has its bound, and the end waits no longer than it may', async () => {
    const collector = await collect(false);
    const { tracer, logged } = await trace({
      ...json(collector.url),
      OTEL_BSP_SCHEDULE_DELAY: '1',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
      OTEL_BSP_MAX_QUEUE_SIZE: '20',
      // Longer than a test.
      OTEL_BSP_EXPORT_TIMEOUT: '600000',
      OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
    });
    const { prompt, hear } = run(tracer);
    prompt('tool');
    await hear('agent_end');
    await collector.came(1);
    for (let round = 0; round < 5; round += 1) {
      prompt('tools 20');
      await hear('agent_end');
    }
    await tracer?.close(1);
    expect(logged).toEqual(['warn | spans are not sent | the collector takes too long']);
    // The first delivery is still under way; of over 100 spans, those of the queue are sent at the end.
    await collector.came(3);
    const sent = collector.deliveries.map(({ body }) => body.toString().split('"spanId"').length - 1);
    expect(sent.slice(1)).toEqual([10, 10]);
  });
});

test('what users are told to install is what the tests run, and nobody is made to install it', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  const source = readFileSync(`${root}/src/gateway/tracing/open-telemetry.ts`, 'utf8');
  const told = new Map(
    [...source.matchAll(/'(@opentelemetry\/[\w-]+)@([\d.]+)'/gu)].map(([, name, line]) => [name, line]),
  );
  expect([...told].sort()).toEqual([
    ['@opentelemetry/api', '1.9'],
    ['@opentelemetry/exporter-trace-otlp-http', '0.223'],
    ['@opentelemetry/exporter-trace-otlp-proto', '0.223'],
    ['@opentelemetry/resources', '2'],
    ['@opentelemetry/sdk-trace-base', '2'],
  ]);
  for (const [name, line] of told) expect(manifest.devDependencies[String(name)]).toMatch(`^${line}.`);
  const page = readFileSync(`${root}/docs/metrics.md`, 'utf8');
  const command = [...told]
    .filter(([name]) => name?.endsWith('-http') === false)
    .map(([name, line]) => `${name}@${line}`);
  expect([...command].sort()).toEqual(/^npm install (@opentelemetry.*)$/mu.exec(page)?.[1]?.split(' ').sort());
  // As peers they would keep npm from installing this package beside OpenTelemetry 3 (decision 0024).
  const { dependencies, peerDependencies = {}, optionalDependencies = {} } = manifest;
  const forced = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
  expect(forced.filter((name) => name.startsWith('@opentelemetry/'))).toEqual([]);
});

test('one file names the library', () => {
  const source = fileURLToPath(new URL('../../../src', import.meta.url));
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const naming = files.filter((file) => readFileSync(`${source}/${file}`, 'utf8').includes('@opentelemetry/'));
  expect(naming.map((file) => file.replaceAll('\\', '/'))).toEqual(['gateway/tracing/open-telemetry.ts']);
});
