// Brings to another gateway what clients say to its sessions (decision 0033), and answers such a request: one line of JSON for each
// item as soon as it is settled, and an empty line as a sign of life.
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, Agent as SecureAgent } from 'node:https';
import type { Deliver, Delivery, Settlement } from '../../core/contract/delivery.ts';
import type { GatewayApi } from '../../core/contract/gateway/gateway-api.ts';
import { owner } from '../../core/contract/principal.ts';
import { GatewayError, type Problem } from '../../core/model/errors.ts';
import { jsonlDecoder } from '../framing/jsonl.ts';
import type { HopSecret } from './hop.ts';
import { hopHeader, signHop } from './hop.ts';

/** Times in ms: until an answer begins, of silence in an answer, and between two signs of life (docs/limits.md 11.10). */
const limits = { answerMs: 15_000, silenceMs: 60_000, signMs: 20_000 };

/** Longest line of an answer, bytes: an outcome may have the messages of a session. */
const longestLine = 64 * 1024 * 1024;

const unreachable: Problem = { code: 'timeout', message: 'the gateway that has the session does not answer' };
const lost: Problem = {
  code: 'timeout',
  message: 'the gateway that has the session is gone; the command may have been carried out',
};

/** Deliveries to other gateways. */
export interface Deliveries {
  readonly deliver: Deliver;
  /** Cuts all. */
  close(): void;
}

/** Creates the deliveries of a gateway. */
export function createDeliveries({ secret }: Pick<HopSecret, 'secret'>): Deliveries {
  const agents = { http: new Agent({ keepAlive: true }), https: new SecureAgent({ keepAlive: true }) };
  return {
    deliver({ to, session, items, taken, settled, over }) {
      const { protocol, hostname, port } = new URL(to);
      const isSecure = protocol === 'https:';
      const target = `/v1/sessions/${session}/deliveries`;
      const body = Buffer.from(JSON.stringify(items));
      const sent = (isSecure ? httpsRequest : httpRequest)({
        host: hostname.replace(/^\[|\]$/gu, ''),
        port: port === '' ? undefined : port,
        method: 'POST',
        path: target,
        agent: isSecure ? agents.https : agents.http,
        headers: {
          // The rights of the client were checked where it is connected.
          [hopHeader]: signHop(secret, to, { method: 'POST', target, body }, owner),
          'content-type': 'application/json',
          'content-length': String(body.length),
        },
      });
      const late = setTimeout(() => sent.destroy(new Error('no answer')), limits.answerMs);
      let isOver = false;
      const end = (problem: Problem) => {
        clearTimeout(late);
        if (isOver) return;
        isOver = true;
        over(problem);
      };
      sent.once('error', () => end(unreachable));
      sent.once('close', () => end(lost));
      sent.once('response', (answer: IncomingMessage) => {
        clearTimeout(late);
        if (answer.statusCode !== 200) {
          answer.resume();
          return end(unreachable);
        }
        answer.setTimeout(limits.silenceMs, () => answer.destroy());
        readOutcomes(answer, settled);
        answer.once('error', () => end(lost));
        answer.once('close', () => end(lost));
        taken();
      });
      sent.end(body);
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function readOutcomes(answer: IncomingMessage, settled: Delivery['settled']): void {
  const decoder = jsonlDecoder(
    {
      frame({ json }) {
        // Signed by a request to it: a gateway has written this.
        const { at, ...settlement } = json as { at: number } & Settlement;
        settled(at, settlement);
      },
      fault: () => void answer.destroy(),
    },
    { maxFrameBytes: longestLine },
  );
  answer.on('data', (chunk: Uint8Array) => decoder.push(chunk));
}

/** Answers a delivery. Rejects with what `board.deliver` rejects with. */
export async function takeDelivery(board: GatewayApi, session: string, items: unknown): Promise<Response> {
  if (board.deliver === undefined || !Array.isArray(items)) throw new GatewayError('invalid', 'no delivery');
  let left = items.length;
  let signs: NodeJS.Timeout | undefined;
  let write = (_text: string): void => {};
  let finish = (): void => {};
  // What is settled at once waits until somebody reads.
  const early: string[] = [];
  await board.deliver(session, items, (at, settlement) => {
    left -= 1;
    const line = `${JSON.stringify({ at, ...settlement })}\n`;
    early.push(line);
    write(line);
    if (left === 0) finish();
  });
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let isOpen = true;
      finish = () => {
        clearInterval(signs);
        if (isOpen) controller.close();
        isOpen = false;
      };
      write = (text) => {
        if (isOpen) controller.enqueue(Buffer.from(text));
      };
      // The head goes out with the first byte.
      for (const line of ['\n', ...early.splice(0)]) write(line);
      if (left === 0) return finish();
      signs = setInterval(() => write('\n'), limits.signMs);
    },
    cancel() {
      clearInterval(signs);
      write = () => {};
      finish = () => {};
    },
  });
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } });
}
