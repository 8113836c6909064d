// A whole gateway and clients of the relay protocol: on the network, on a WebSocket, or owning the process.

import { PassThrough } from 'node:stream';
import { afterEach } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { owner } from '../../src/core/contract/principal.ts';
import type { Command } from '../../src/core/model/command.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import type { Gateway, StartOptions } from '../../src/gateway/gateway.ts';
import { listen } from '../../src/transports/http/server.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { stdioChannel } from '../../src/transports/stdio.ts';
import { connectWebSocket } from '../../src/transports/websocket/dial.ts';
import { register } from './register.ts';
import { createRelayClient, type RelayClient, relay, type Told } from './relay.ts';

const disposals: (() => unknown)[] = [];

/** Each test file that uses this rig calls this once, because files may share the modules. */
export function useRelay(): void {
  register(relay);
  afterEach(async () => {
    for (const dispose of disposals.splice(0).reverse()) await dispose();
  });
}

/** A program that refuses everything, and says where it works: the agent `placed`. */
const placed = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, type } = JSON.parse(line);
    const error = process.cwd();
    process.stdout.write(JSON.stringify({ id, type: 'response', command: type, success: false, error }) + '\\n');
  });`;

/** A gateway with the demo agent, and what it logs. */
export function openGateway(config: object = {}, ports: Partial<Parameters<typeof createGateway>[1]> = {}) {
  const agents = { placed: { protocol: 'pi', command: [process.execPath, '-e', placed] } };
  const rows: unknown[] = [];
  const log = (...row: unknown[]) => void rows.push(row);
  const gateway = createGateway(parseConfig({ agents, defaultAgent: 'demo', ...config }), { log, ...ports });
  disposals.push(() => gateway.close('the test is over'));
  return { gateway, rows };
}

const request = { frontend: 'relay', options: {} };

/** A client on the network, without its socket. */
export function onNetwork(
  gateway: Gateway,
  more: { agent?: string; session?: string } = {},
): RelayClient & { leave(): void } {
  const [near, far] = memoryPair();
  gateway.board.connect(near, { ...request, ...more, principal: owner });
  return { ...createRelayClient(far), leave: () => far.close('normal', 'the client leaves') };
}

/** A client that owns the process. */
export function onStdio(gateway: Gateway, opening?: StartOptions, agent?: string) {
  const [toUs, fromUs] = [new PassThrough(), new PassThrough()];
  const near = stdioChannel({ input: toUs, output: fromUs, label: 'gateway' });
  const served = gateway.serveClient(near, { ...request, agent }, opening);
  // Its two ends apart: one that writes nothing more reads on.
  const far = stdioChannel({ input: fromUs, output: new PassThrough(), label: 'client' });
  const send = (line: unknown) => void toUs.write(`${String(line)}\n`);
  return {
    ...createRelayClient({ ...far, send }),
    served,
    half: () => void toUs.end(),
    leave: () => void fromUs.destroy(),
  };
}

/** A client on the network. */
export async function onWebSocket(gateway: Gateway): Promise<RelayClient> {
  const server = await listen({ board: gateway.board });
  const channel = connectWebSocket(`${server.url.replace('http', 'ws')}/v1/relay/ws`, { token: server.token });
  disposals.push(() => server.close());
  return createRelayClient(channel);
}

/** A prompt of text. */
export const prompt = (text: string): Command => ({ type: 'prompt', content: [{ type: 'text', text }] });

/** Whether that is the end of a run of the session of that name. */
export const isOver =
  (name: string) =>
  ({ of, event }: Told) =>
    of === name && event?.type === 'run-end';
