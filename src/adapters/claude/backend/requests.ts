// The control requests of the gateway and their answers. Each is answered once, by the agent or by its deadline
// (docs/protocols/claude.md 3.1, 3.2).
import type { Env } from '../../../core/contract/adapter/action.ts';
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { type ErrorCode, type Outcome, refused } from '../../../core/model/errors.ts';
import { NewestSet } from '../../../core/model/newest.ts';

import type { AgentResponseFrame } from '../wire/agent.ts';

/** The answer of the agent, or the error that ended the request. */
export type Answer = { readonly response: unknown } | { readonly code: ErrorCode; readonly error: string };

/** A request to the agent. */
export type ControlRequest = Dictionary & { readonly subtype: string };

/** The open requests of one agent. */
export interface Requests {
  /** Sends the request. `done` is called exactly once, unless the connection ends first. */
  ask(request: ControlRequest, done: (answer: Answer) => void): void;
  answer(frame: AgentResponseFrame): void;
  /** Handles a timer. Returns whether the timer was a deadline of a request. */
  onTimer(timer: string): boolean;
}

/** The number of ended requests that are remembered, to recognise late answers. */
const memory = 64;

const codes: ReadonlyMap<string, ErrorCode> = new Map([
  ['unsupported_request', 'unsupported'],
  ['invalid_mode', 'invalid'],
]);

/** Creates the requests to one agent. `timeoutMs`: how long the agent may take to answer. */
export function createRequests(env: Env, out: Outbox, timeoutMs: number): Requests {
  const open = new Map<string, { readonly subtype: string; done(answer: Answer): void }>();
  const ended = new NewestSet<string>(memory);

  function finish(id: string, answer: Answer): void {
    const request = open.get(id);
    open.delete(id);
    ended.add(id);
    request?.done(answer);
  }

  return {
    ask(request, done) {
      const id = env.id('request');
      open.set(id, { subtype: request.subtype, done });
      out.send({ type: 'control_request', request_id: id, request });
      out.timer(timerOf(id), timeoutMs);
    },
    answer({ response }) {
      const { request_id: id } = response;
      if (!open.has(id)) {
        if (!ended.has(id)) out.note('repair', 'control_response: ignored an answer that nobody waits for');
        return;
      }
      out.timer(timerOf(id), null);
      finish(id, answerIn(response));
    },
    onTimer(timer) {
      if (!timer.startsWith('deadline:')) return false;
      const id = timer.slice('deadline:'.length);
      const request = open.get(id);
      if (request !== undefined)
        finish(id, { code: 'timeout', error: `the agent did not answer ${request.subtype} in time` });
      return true;
    },
  };
}

function answerIn(response: AgentResponseFrame['response']): Answer {
  if (response.subtype === 'success') return { response: response.response };
  const error = typeof response.error === 'string' ? response.error : 'the agent gave no reason';
  return { code: codes.get(response.error_code ?? '') ?? 'agent-refused', error: error.slice(0, 2_000) };
}

function timerOf(id: string): string {
  return `deadline:${id}`;
}

/** The outcome of a command whose request got this answer. */
export function outcomeOf(
  answer: Answer,
  data: (response: Dictionary) => object | undefined = () => undefined,
): Outcome {
  if ('error' in answer) return refused(answer.code, answer.error);
  const decoded = data(isDictionary(answer.response) ? answer.response : {});
  return decoded === undefined ? { ok: true } : { ok: true, data: decoded };
}
