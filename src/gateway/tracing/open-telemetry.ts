// Sends spans to a collector through OpenTelemetry's own library (decision 0024). The library is installed by those who
// want traces, and loaded only if the standard variables name an endpoint; the library reads all other variables itself.
import type * as Api from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { messageOf } from '../../core/model/errors.ts';
import type { Log } from '../log.ts';
import type { OpenSpan, Tracer } from './tracer.ts';

/** A tracer with a queue of spans that are still to be sent. */
export interface SendingTracer extends Tracer {
  /** Sends what is queued; no longer than that, ms. Never rejects. */
  close(limitMs: number): Promise<void>;
}

/** Where the spans come from. */
export interface TracedProgram {
  /** The variables; the library reads those of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly name: string;
  readonly version: string;
  readonly log: Log;
}

/** The least time between two lines about spans that are not sent, ms. */
const betweenLinesMs = 60_000;

interface Exporting {
  readonly package: string;
  load(): Promise<{ readonly OTLPTraceExporter: new () => SpanExporter }>;
}

/** By the value of `OTEL_EXPORTER_OTLP_PROTOCOL`. */
const exporters: ReadonlyMap<string, Exporting> = new Map([
  [
    'http/protobuf',
    {
      package: '@opentelemetry/exporter-trace-otlp-proto@0.223',
      load: () => import('@opentelemetry/exporter-trace-otlp-proto'),
    },
  ],
  [
    'http/json',
    {
      package: '@opentelemetry/exporter-trace-otlp-http@0.223',
      load: () => import('@opentelemetry/exporter-trace-otlp-http'),
    },
  ],
]);

/** The lines of the newest packages that run on Node 20 (decision 0024). */
const packages = ['@opentelemetry/api@1.9', '@opentelemetry/sdk-trace-base@2', '@opentelemetry/resources@2'];

/**
 * The tracer that the variables ask for; undefined if they ask for none, or for one that cannot be had. The log then says
 * why, and the program goes on.
 */
export async function openTelemetry(program: TracedProgram): Promise<SendingTracer | undefined> {
  const { env, log } = program;
  const endpoint = endpointIn(env);
  if (endpoint === null) return undefined;
  const protocol = variable(env, 'TRACES_PROTOCOL') ?? variable(env, 'PROTOCOL') ?? 'http/protobuf';
  const exporting = exporters.get(protocol);
  if (exporting === undefined) {
    log('warn', `no traces: the protocol is none of ${[...exporters.keys()].join(', ')}`, { protocol });
    return undefined;
  }
  if (!URL.canParse(endpoint)) {
    // The library would fall back to an address of its own.
    log('warn', 'no traces: the endpoint is no URL');
    return undefined;
  }
  try {
    return await createTracer(program, exporting);
  } catch (thrown) {
    const install = `npm install ${[...packages, exporting.package].join(' ')}`;
    log('warn', `no traces: OpenTelemetry's library cannot be loaded; ${install}`, { reason: messageOf(thrown) });
    return undefined;
  }
}

/** The endpoint that the variables name; null if they name none or switch traces off. */
function endpointIn(env: TracedProgram['env']): string | null {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return null;
  const wanted = env.OTEL_TRACES_EXPORTER?.trim() || 'otlp';
  if (!wanted.split(',').some((name) => name.trim() === 'otlp')) return null;
  return variable(env, 'TRACES_ENDPOINT') ?? variable(env, 'ENDPOINT') ?? null;
}

/** An empty variable counts as absent, as the standard says. */
function variable(env: TracedProgram['env'], name: string): string | undefined {
  return env[`OTEL_EXPORTER_OTLP_${name}`]?.trim() || undefined;
}

async function createTracer({ name, version, log }: TracedProgram, exporting: Exporting): Promise<SendingTracer> {
  const [api, sdk, resources, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/resources'),
    exporting.load(),
  ]);
  const report = rarely((reason) => log('warn', 'spans are not sent', { reason }));
  const quiet = () => {};
  const logger = { error: report, warn: report, info: quiet, debug: quiet, verbose: quiet };
  api.diag.setLogger(logger, { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true });
  const own = { 'service.name': name, 'service.version': version };
  const provider = new sdk.BasicTracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes(own))
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    // Its queue is bounded: spans are lost when the collector cannot keep up, and nobody waits.
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer(name, version);
  return {
    begin: (span, facts) => opened(api, tracer, tracer.startSpan(span, { attributes: facts, root: true })),
    close: (limitMs) => settledWithin(provider.shutdown(), limitMs, report),
  };
}

function opened(api: typeof Api, tracer: Api.Tracer, span: Api.Span): OpenSpan {
  const inside = api.trace.setSpan(api.ROOT_CONTEXT, span);
  return {
    child: (name, facts) => opened(api, tracer, tracer.startSpan(name, { attributes: facts }, inside)),
    end(facts, error) {
      span.setAttributes(facts);
      if (error !== null) span.setAttribute('error.type', error).setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** An unreachable collector would be reported every few seconds. */
function rarely(write: (text: string) => void): (text: string) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (text) => {
    const now = performance.now();
    if (now - last < betweenLinesMs) return;
    last = now;
    write(reasonIn(text).slice(0, 300));
  };
}

/** The library reports an error as an object in JSON. */
function reasonIn(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    const { message, code }: { message?: unknown; code?: unknown } = JSON.parse(text);
    return String(message || code || text);
  } catch {
    return text;
  }
}

async function settledWithin(work: Promise<void>, limitMs: number, report: (text: string) => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      report('the collector takes too long');
      resolve();
    }, limitMs);
  });
  const settled = work.catch((thrown: unknown) => report(messageOf(thrown)));
  await Promise.race([settled, limit]);
  clearTimeout(timer);
}
