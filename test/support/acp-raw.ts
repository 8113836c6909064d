// An ACP client that may send any bytes: a byte stream to a gateway in this process.
import { PassThrough } from 'node:stream';
import { methods } from '@agentclientprotocol/sdk';
import { within } from '../../src/conformance/bounded-wait.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { stdioChannel } from '../../src/transports/stdio.ts';
import { type AcpRow, at, isJson, type Json, rowOf } from './acp-traces.ts';

/** A connection on which anything may be said. */
export interface RawAcp {
  /** What the gateway has said, and the messages of the client that are messages. */
  readonly rows: readonly AcpRow[];
  write(bytes: string): void;
  say(message: object): void;
  /** Sends a request and resolves with the answer, the first one with that id from now on. */
  ask(method: string, params: object, id?: unknown): Promise<Json>;
  until(label: string, fits: (message: Json) => boolean, from?: number): Promise<Json>;
  /** Resolves when that holds, now or later. */
  untilAll(label: string, holds: () => boolean): Promise<true>;
  /** Opens a session and returns the id. */
  open(cwd: string): Promise<string>;
  /** Resolves with the stop reason of a whole turn. */
  prompt(sessionId: string, text: string, id?: unknown): Promise<unknown>;
  /** All that was answered to those bytes: messages without a method. */
  answersTo(bytes: string): Promise<Json[]>;
}

/** Connects, and says hello. */
export async function connectRaw(gateway: Gateway, agent?: string): Promise<RawAcp> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  void gateway.serveClient(stdioChannel({ input, output, label: 'raw' }), { frontend: 'acp', agent, options: {} });
  const rows: AcpRow[] = [];
  const watchers = new Set<() => void>();
  let rest = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) rows.push(rowOf('out', JSON.parse(line)));
    for (const look of [...watchers]) look();
  });
  let asked = 0;
  const heard = (from: number) =>
    rows.slice(from).flatMap(({ dir, json }) => (dir === 'out' && isJson(json) ? [json] : []));

  const lately = () =>
    rows
      .slice(-5)
      .map(({ line }) => line.slice(0, 300))
      .join('\n');

  const it: RawAcp = {
    rows,
    write(bytes) {
      for (const line of bytes.split('\n')) {
        const row = requestIn(line);
        if (row !== null) rows.push(row);
      }
      input.write(bytes);
    },
    say: (message) => it.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    async ask(method, params, id) {
      asked += 1;
      const name = id === undefined ? `asked-${asked}` : id;
      const from = rows.length;
      it.say({ id: name, method, params });
      return it.until(
        `the answer to ${method}`,
        (message) => message.method === undefined && message.id === name,
        from,
      );
    },
    until: (label, fits, from = 0) => within(label, watchers, () => heard(from).find(fits), lately),
    untilAll: (label, holds) => within(label, watchers, () => (holds() ? true : undefined), lately),
    async open(cwd) {
      return String(at((await it.ask(methods.agent.session.new, { cwd, mcpServers: [] })).result, 'sessionId'));
    },
    async prompt(sessionId, text, id) {
      const answer = await it.ask(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }, id);
      return at(answer.result, 'stopReason') ?? answer.error;
    },
    async answersTo(bytes) {
      const from = rows.length;
      it.write(bytes);
      // The gateway answers in the order in which it is asked.
      const mark = await it.ask('_mark', {});
      return heard(from).filter((message) => message.method === undefined && message.id !== mark.id);
    },
  };
  await it.ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
  return it;
}

/** What a judge may take for a message of the client: a line that the gateway reads, with a method and a lawful id. */
function requestIn(line: string): AcpRow | null {
  if (line.length > 32 * 1024 * 1024) return null;
  try {
    const json: unknown = JSON.parse(line.replace(/^\ufeff/u, ''));
    if (!isJson(json) || typeof json.method !== 'string') return null;
    const { id = null } = json;
    const isLawful = id === null || typeof id === 'string' || (Number.isInteger(id) && Math.abs(Number(id)) <= 2 ** 53);
    return isLawful ? rowOf('in', { jsonrpc: '2.0', ...json }) : null;
  } catch {
    return null;
  }
}
