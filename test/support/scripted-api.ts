// An HTTP server that answers each request to the Messages API as a test says, byte by byte. Knows no scenario.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { within } from '../../src/conformance/bounded-wait.ts';

/** A request that came in. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
  readonly response: ServerResponse;
}

/** A running server. */
export interface ScriptedApi {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Resolves with the request of that number, from 0, as soon as it is there. */
  request(at: number): Promise<Asked>;
  close(): Promise<void>;
}

/** One event of a stream. */
export function sse(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

/** Begins a stream with these events. */
export function stream({ response }: Asked, ...events: string[]): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(events.join(''));
}

/** An error answer. */
export function refuse({ response }: Asked, status: number, type: string, message: string, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1', ...headers });
  response.end(JSON.stringify({ type: 'error', error: { type, message } }));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Starts on a free port of 127.0.0.1. Answers each request with `answer`, or leaves it to the test. */
export async function startScriptedApi(answer: (asked: Asked) => void = () => {}): Promise<ScriptedApi> {
  const asked: Asked[] = [];
  const watchers = new Set<() => void>();

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body: Record<string, unknown> = JSON.parse(await bodyOf(request));
    const one = { path: request.url ?? '', headers: request.headers, body, response };
    asked.push(one);
    answer(one);
    for (const watcher of watchers) watcher();
  }

  const server = createServer((request, response) => {
    take(request, response).catch((thrown: unknown) => response.destroy(thrown instanceof Error ? thrown : undefined));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    request: (at) => within(`request ${at}`, watchers, () => asked[at]),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
