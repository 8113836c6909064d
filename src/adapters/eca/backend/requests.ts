// Requests and notifications to an ECA server. Each request is answered once, by the server or by its deadline. One
// JSON-RPC message per frame, never with a null `error` (docs/protocols/eca.md 5.6).

import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import { type ErrorCode, type Outcome, refused } from '../../../core/model/errors.ts';
import { rpcCodes } from '../json-rpc.ts';
import { RpcError, type ServerMessage } from '../wire/server.ts';

/** The end of a request. */
export type Answer = { readonly result: unknown } | { readonly code: ErrorCode; readonly error: string };

/** The open requests of one server. */
export interface Requests {
  /** Sends a request and returns its id. `done` is called exactly once, unless the connection ends first. */
  ask(method: string, params: object, done: (answer: Answer) => void): number;
  /** Removes the deadline of the request. */
  dropDeadline(id: number): void;
  tell(method: string, params: object): void;
  answer(message: Extract<ServerMessage, { kind: 'response' }>): void;
  /** Handles a timer. Returns whether the timer was a deadline of a request. */
  onTimer(timer: string): boolean;
}

const codes: ReadonlyMap<unknown, ErrorCode> = new Map<unknown, ErrorCode>([
  [rpcCodes.methodNotFound, 'unsupported'],
  [rpcCodes.invalidParams, 'invalid'],
]);

/** Creates the requests to one server. `timeoutMs`: how long the server may take to answer. */
export function createRequests(out: Outbox, timeoutMs: number): Requests {
  const open = new Map<number, { readonly method: string; done(answer: Answer): void }>();
  let last = 0;

  function finish(id: number, answer: Answer): void {
    const request = open.get(id);
    open.delete(id);
    request?.done(answer);
  }

  return {
    ask(method, params, done) {
      last += 1;
      open.set(last, { method, done });
      out.send({ jsonrpc: '2.0', id: last, method, params });
      out.timer(timerOf(last), timeoutMs);
      return last;
    },
    dropDeadline(id) {
      if (open.has(id)) out.timer(timerOf(id), null);
    },
    tell: (method, params) => out.send({ jsonrpc: '2.0', method, params }),
    answer({ id: answeredId, result, error }) {
      const id = typeof answeredId === 'string' ? Number(answeredId) : answeredId;
      if (typeof id !== 'number' || !open.has(id)) {
        // Ignore an answer after its deadline silently.
        const isLate = typeof id === 'number' && id <= last;
        if (!isLate) out.note('repair', 'an answer that nobody waits for was ignored');
        return;
      }
      out.timer(timerOf(id), null);
      finish(id, error === undefined ? { result } : failureIn(error));
    },
    onTimer(timer) {
      if (!timer.startsWith('deadline:')) return false;
      const id = Number(timer.slice('deadline:'.length));
      const method = open.get(id)?.method;
      if (method !== undefined) finish(id, { code: 'timeout', error: `the agent did not answer ${method} in time` });
      return true;
    },
  };
}

function failureIn(error: unknown): Answer {
  const { code, message } = RpcError.catch({ code: undefined, message: '' }).parse(error);
  const words = message === '' ? 'the agent gave no reason' : message.slice(0, 2_000);
  return { code: codes.get(code) ?? 'agent-refused', error: words };
}

function timerOf(id: number): string {
  return `deadline:${id}`;
}

/**
 * The outcome of a command whose request got this answer. `data` reads the result; undefined if the result is
 * malformed.
 */
export function outcomeOf(answer: Answer, data?: (result: unknown) => object | undefined): Outcome {
  if ('error' in answer) return refused(answer.code, answer.error);
  if (data === undefined) return { ok: true };
  const decoded = data(answer.result);
  return decoded === undefined ? refused('agent-refused', 'the agent answered oddly') : { ok: true, data: decoded };
}
