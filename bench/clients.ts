// Programs between the made-up agent and us, each driven in its own protocol: give an order, get what was said.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import WebSocket from 'ws';
import { z } from 'zod';
import { type Order, wordsOf } from './agents/order.ts';
import { benchProgram, emitter, type Hearing, patchbay, type Running, type StartOptions, start } from './processes.ts';

/** A process under measurement. */
export interface Client {
  readonly pid: number;
  /** Carries out one run and gives all that was said, frames ended by LF. */
  run(order: Order, hear?: Hearing): Promise<readonly Buffer[]>;
  stop(): Promise<void>;
}

/** The frame of a prompt of pi. */
export const piPrompt = (order: Order) => JSON.stringify({ type: 'prompt', message: wordsOf(order) });
/** The frame of a prompt of Claude. */
export const claudePrompt = (order: Order) =>
  JSON.stringify({ type: 'user', message: { role: 'user', content: wordsOf(order) } });

/** An agent behind the gateway: its protocol and its command. */
export interface AgentCommand {
  readonly backend: string;
  readonly command: readonly string[];
}

/** The made-up agents. */
export const madeUpPi: AgentCommand = { backend: 'pi', command: emitter };
export const madeUpClaude: AgentCommand = {
  backend: 'claude',
  command: [process.execPath, benchProgram('agents/emit-claude.js')],
};

export const madeUpAcp: AgentCommand = {
  backend: 'acp',
  command: [process.execPath, benchProgram('agents/emit-acp.js')],
};

/** The gateway as shipped, Claude frames on its stdout; `node` are flags for Node itself. */
export function gatewayOnStdio({ backend, command: agent } = madeUpPi, node: readonly string[] = []): Client {
  const command = [
    process.execPath,
    ...node,
    patchbay,
    'stdio',
    '--frontend',
    'claude',
    '--backend',
    backend,
    '--',
    ...agent,
  ];
  return onStdio(command, claudePrompt, '{"type":"result"');
}

/** Reads the agent and drops what it reads; says how many bytes. */
export function discardingReader(): Client {
  const command = [process.execPath, benchProgram('agents/discard.js'), ...emitter];
  return onStdio(command, piPrompt, '');
}

/** Passes the agent's bytes on unread. */
export function rawRelay(): Client {
  const command = [process.execPath, benchProgram('agents/relay.js'), ...emitter];
  return onStdio(command, piPrompt, '{"type":"agent_settled"');
}

function onStdio(command: readonly string[], prompt: (order: Order) => string, ending: string): Client {
  const program = start(command);
  return {
    pid: program.pid,
    async run(order, hear) {
      const said = program.until(ending, hear);
      program.send(prompt(order));
      return await said;
    },
    stop: program.stop,
  };
}

/** What `serve --json` prints first. */
const Ready = z.looseObject({ url: z.string(), token: z.string() });

/** Starts the gateway's server; `node` are flags for Node itself. */
export async function startServer(options: readonly string[], node: readonly string[] = [], more: StartOptions = {}) {
  const program = start([process.execPath, ...node, patchbay, 'serve', '--json', ...options], more);
  const ready = Ready.parse(JSON.parse(Buffer.concat(await program.until('{"type":"ready"')).toString()));
  return { program, ...ready };
}

/**
 * Opens a WebSocket of the Claude frontend, in a session of its own. On a busy machine 3 s can pass between a connection and
 * the headers of its request; the server then answers 408, after which a client may repeat a request (RFC 9110 15.5.9).
 */
export async function openSocket(server: z.infer<typeof Ready>): Promise<WebSocket> {
  for (let left = 10; left > 0; left -= 1) {
    const socket = await tryToOpen(server);
    if (socket !== null) return socket;
  }
  throw new Error('no session could be opened: ten requests in a row took over 3 s to arrive (HTTP 408)');
}

/** Null when the server answers 408. */
function tryToOpen({ url, token }: z.infer<typeof Ready>): Promise<WebSocket | null> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/claude/ws`, [`bearer.${token}`], {
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket)).once('error', reject);
    socket.once('unexpected-response', (_request, { statusCode = 0 }) => {
      // The error that ends the attempt comes too late to matter.
      socket.terminate();
      if (statusCode === 408) resolve(null);
      else reject(new Error(`Unexpected server response: ${statusCode}`));
    });
  });
}

/** The gateway as shipped, Claude frames on a WebSocket. */
export async function gatewayOnWebSocket(
  { backend, command } = madeUpPi,
  node: readonly string[] = [],
): Promise<Client> {
  const server = await startServer(['--backend', backend, '--', ...command], node);
  const socket = await openSocket(server);
  const lineEnd = Buffer.from('\n');
  return {
    pid: server.program.pid,
    run: (order) =>
      new Promise((resolve, reject) => {
        const said: Buffer[] = [];
        const fail = (code: number, reason: Buffer) => reject(new Error(`the socket closed: ${code} ${reason}`));
        const hear = (frame: Buffer) => {
          said.push(frame, lineEnd);
          if (!frame.subarray(0, 16).includes('{"type":"result"')) return;
          socket.off('message', hear).off('close', fail);
          resolve(said);
        };
        socket.on('message', hear).on('close', fail);
        socket.send(claudePrompt(order));
      }),
    async stop() {
      socket.close();
      await server.program.stop();
    },
  };
}

/** A client of an ACP agent, in a session. */
export interface AcpSession {
  readonly program: Running;
  /** Sends a prompt. Returns how the line with the answer begins, up to `result` or `error`. */
  prompt(words: string): string;
}

/** Starts an ACP agent and opens a session. */
export async function startAcp(
  command: readonly string[],
  cwd: string,
  options: StartOptions = {},
): Promise<AcpSession> {
  const program = start(command, options);
  let ids = 0;
  const send = (method: string, params: object): string => {
    ids += 1;
    program.send(JSON.stringify({ jsonrpc: '2.0', id: ids, method, params }));
    return `"id":${ids},`;
  };
  const greeted = program.until('"id":1,"result"');
  send('initialize', { protocolVersion: 1, clientCapabilities: {} });
  await greeted;
  const opened = program.until('"id":2,"result"');
  send('session/new', { cwd, mcpServers: [] });
  const sessionId = /"sessionId":"([^"]+)"/u.exec(Buffer.concat(await opened).toString())?.[1];
  return { program, prompt: (text) => send('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }) };
}

/** The peer: pi-acp, an ACP adapter for pi, driven over ACP. */
export async function acpPeer(): Promise<Client> {
  const home = mkdtempSync(path.join(tmpdir(), 'patchbay-bench-'));
  const pi = path.join(home, 'pi.sh');
  writeFileSync(pi, `#!/bin/sh\nexec ${emitter.map((word) => `'${word}'`).join(' ')}\n`);
  chmodSync(pi, 0o755);
  // Its greeting would count as text of the model.
  writeFileSync(path.join(home, 'settings.json'), '{"quietStartup":true}');
  // An empty PATH keeps it from asking npm for news.
  const env = { PI_ACP_PI_COMMAND: pi, HOME: home, PI_CODING_AGENT_DIR: home, PATH: home };
  const peer = [process.execPath, path.resolve('node_modules/pi-acp/dist/index.js')];
  const { program, prompt } = await startAcp(peer, home, { env });
  return {
    pid: program.pid,
    run: (order) => program.until(`${prompt(wordsOf(order))}"result"`),
    async stop() {
      await program.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
