// Requests to an ACP agent, and answers to its own. Each request of ours is answered once, by the agent or by its deadline.
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import { type ErrorCode, type Outcome, refused } from '../../../core/model/errors.ts';
import { notificationMessage, type RpcError, type RpcId, requestMessage, rpcCodes } from '../json-rpc.ts';

/** The end of a request. `code`: of the agent; null if the agent did not answer in time. */
export type Answer =
  | { readonly result: unknown }
  | { readonly code: number | null; readonly error: string; readonly data?: unknown };

/** The open requests to one agent. */
export interface Requests {
  /** Sends a request. `done` is called exactly once, unless the connection ends first. Returns the id. */
  ask(method: string, params: object, done: (answer: Answer) => void, deadline?: 'deadline' | 'none'): number;
  tell(method: string, params: object): void;
  /** Forgets a request: its answer is ignored. */
  drop(id: number): void;
  answered(id: RpcId, answer: { readonly result: unknown } | { readonly error: RpcError }): void;
  /** Handles a timer. Returns whether the timer was a deadline of a request. */
  onTimer(timer: string): boolean;
}

/** `timeoutMs`: how long the agent may take to answer. */
export function createRequests(out: Outbox, timeoutMs: number): Requests {
  const open = new Map<number, { readonly method: string; done(answer: Answer): void }>();
  let last = -1;

  function finish(id: number, answer: Answer): void {
    const request = open.get(id);
    open.delete(id);
    request?.done(answer);
  }

  return {
    ask(method, params, done, deadline = 'deadline') {
      last += 1;
      open.set(last, { method, done });
      out.send(requestMessage(last, method, params));
      if (deadline === 'deadline') out.timer(timerOf(last), timeoutMs);
      return last;
    },
    tell: (method, params) => out.send(notificationMessage(method, params)),
    drop: (id) => void open.delete(id),
    answered(id, answer) {
      if (typeof id !== 'number' || !open.has(id)) {
        // An answer behind its deadline, or to a prompt that was given up, is ignored silently.
        const isLate = typeof id === 'number' && id <= last;
        if (!isLate) out.note('repair', 'an answer that nobody waits for was ignored');
        return;
      }
      out.timer(timerOf(id), null);
      finish(id, 'result' in answer ? answer : failureIn(answer.error));
    },
    onTimer(timer) {
      if (!timer.startsWith('deadline:')) return false;
      const id = Number(timer.slice('deadline:'.length));
      const method = open.get(id)?.method;
      if (method !== undefined) finish(id, { code: null, error: `the agent did not answer ${method} in time` });
      return true;
    },
  };
}

/** Some agents say the reason in `data` alone. */
function failureIn({ code, message, data }: RpcError): Answer {
  const words = typeof data === 'string' && !message.includes(data) ? `${message}: ${data}` : message;
  const error = words === '' ? 'the agent gave no reason' : words.slice(0, 2_000);
  return { code, error, ...(data === undefined ? {} : { data }) };
}

function timerOf(id: number): string {
  return `deadline:${id}`;
}

const codes: ReadonlyMap<number | null, ErrorCode> = new Map<number | null, ErrorCode>([
  [null, 'timeout'],
  [rpcCodes.methodNotFound, 'unsupported'],
  [rpcCodes.invalidParams, 'invalid'],
  [rpcCodes.notFound, 'not-found'],
  [rpcCodes.loginNeeded, 'unauthorized'],
]);

/** The outcome of a command whose request got this answer. */
export function outcomeOf(answer: Answer): Outcome {
  if ('error' in answer) return refused(codes.get(answer.code) ?? 'agent-refused', answer.error);
  return { ok: true };
}
