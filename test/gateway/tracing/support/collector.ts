// A collector on loopback that takes OTLP over HTTP.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { within } from '../../../../src/conformance/bounded-wait.ts';

/** A request that came. */
export interface Delivery {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A span as the collector reads it. */
export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[];
}

export interface Collector {
  readonly url: string;
  readonly deliveries: readonly Delivery[];
  /** The spans of all deliveries in JSON. */
  spans(): CollectedSpan[];
  /** The attributes of the resource, of the first delivery. */
  resource(): Record<string, string>;
  /** Resolves when that many requests have come. */
  came(count: number): Promise<void>;
  close(): Promise<void>;
}

/** `answers`: default, yes. One that does not answer keeps the requests open, and refuses them when it is closed. */
export async function openCollector(answers = true): Promise<Collector> {
  const deliveries: Delivery[] = [];
  const held: ServerResponse[] = [];
  const watchers = new Set<() => void>();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      deliveries.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(pieces) });
      if (answers) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      else held.push(response);
      for (const watcher of [...watchers]) watcher();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const read = () => deliveries.flatMap(({ body }) => JSON.parse(body.toString()).resourceSpans);
  return {
    url: `http://127.0.0.1:${port}`,
    deliveries,
    spans: () => read().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }: { spans: object[] }) => spans)),
    resource: () => factsOf(read()[0].resource),
    came: (count) =>
      within(`${count} deliveries`, watchers, () => (deliveries.length >= count ? null : undefined)).then(() => {}),
    async close() {
      // After 400, the library does not try again.
      for (const response of held) response.writeHead(400).end();
      server.close();
      server.closeIdleConnections();
      await once(server, 'close');
    },
  };
}

/** The attributes of a span or a resource. */
export function factsOf({ attributes }: Pick<CollectedSpan, 'attributes'>): Record<string, string> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
}

/** One line for each span in the order in which they began, indented; `!` marks an error. */
export function collectedTree(spans: readonly CollectedSpan[], parent = '', indent = ''): string[] {
  const order = (one: CollectedSpan, other: CollectedSpan) =>
    Number(BigInt(one.startTimeUnixNano) - BigInt(other.startTimeUnixNano));
  return spans
    .filter(({ parentSpanId = '' }) => parentSpanId === parent)
    .sort(order)
    .flatMap((span) => [
      `${indent}${span.name}${span.status.code === 2 ? ' !' : ''}`,
      ...collectedTree(spans, span.spanId, `${indent}  `),
    ]);
}
