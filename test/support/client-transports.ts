// Every way in which a client reaches a gateway, each as a channel at the client's end. Knows no protocol.

import { PassThrough } from 'node:stream';
import { adapters } from '../../src/adapters/index.ts';
import type { Channel } from '../../src/core/contract/channel.ts';
import { owner } from '../../src/core/contract/principal.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { streamFraming } from '../../src/transports/framing/framings.ts';
import { listen } from '../../src/transports/http/server.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { connectEventSource } from '../../src/transports/sse/client.ts';
import { stdioChannel } from '../../src/transports/stdio.ts';
import { connectWebSocket } from '../../src/transports/websocket/dial.ts';

/** A client's end of a connection, and what to free behind it. */
export interface Reached {
  readonly channel: Channel;
  dispose(): Promise<void>;
}

/** Connects a client of that frontend to an agent of that gateway. */
export type Reach = (gateway: Gateway, frontend: string, agent: string) => Promise<Reached>;

const request = (frontend: string, agent: string) => ({ frontend, agent, options: {} });

async function memory(gateway: Gateway, frontend: string, agent: string): Promise<Reached> {
  const [near, channel] = memoryPair();
  const served = gateway.serveClient(near, request(frontend, agent));
  return { channel, dispose: () => served };
}

async function stdio(gateway: Gateway, frontend: string, agent: string): Promise<Reached> {
  const [toUs, fromUs] = [new PassThrough(), new PassThrough()];
  const framing = streamFraming(adapters.get(frontend)?.framing.stdio ?? 'jsonl');
  const near = stdioChannel({ input: toUs, output: fromUs, label: 'gateway', framing });
  const served = gateway.serveClient(near, request(frontend, agent));
  return { channel: stdioChannel({ input: fromUs, output: toUs, label: 'client', framing }), dispose: () => served };
}

async function websocket(gateway: Gateway, frontend: string, agent: string): Promise<Reached> {
  const server = await listen({ board: gateway.board });
  const url = `${server.url.replace('http', 'ws')}/v1/${frontend}/ws?agent=${agent}`;
  const framing = adapters.get(frontend)?.framing.websocket;
  return { channel: connectWebSocket(url, { token: server.token, framing }), dispose: () => server.close() };
}

async function sse(gateway: Gateway, frontend: string, agent: string): Promise<Reached> {
  const server = await listen({ board: gateway.board });
  const { id } = gateway.board.createSession({ agent }, owner);
  const base = `${server.url}/v1/${frontend}/sessions/${id}`;
  const channel = connectEventSource({
    streamUrl: `${base}/events`,
    sendUrl: `${base}/frames`,
    token: server.token,
    envelope: adapters.get(frontend)?.envelope?.({}),
  });
  return { channel, dispose: () => server.close() };
}

/** By name. */
export const clientTransports: ReadonlyMap<string, Reach> = new Map([
  ['memory', memory],
  ['stdio', stdio],
  ['websocket', websocket],
  ['sse', sse],
]);
