// Rules on how a Claude client answers requests of its agent (docs/protocols/claude.md 3.5 to 3.8) and handles unknown
// messages.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import { each } from '../../check/rule.ts';
import type { AgentRequest, View } from '../view/view.ts';
import { clientRules } from './client-rule.ts';

const asking = ['permission', 'parallel', 'unknown'];

/**
 * Requests that every client answers. A client does not answer a dialog that it has not declared
 * (docs/protocols/claude.md 3.6).
 */
const answered: ReadonlySet<string> = new Set(['can_use_tool', 'hook_callback', 'mcp_message']);

/** Successful answers to requests of this subtype, with their requests. */
const successes = ({ agentRequests }: View, subtype: string) =>
  agentRequests.flatMap((ask) => {
    if (ask.subtype !== subtype || ask.answer?.response.subtype !== 'success') return [];
    return [{ frame: ask.answer.frame, ask, answer: dictionaryOf(ask.answer.response.response) }];
  });

/** All answers, including those to no request. */
const answersIn = ({ fromClient }: View) =>
  fromClient
    .filter(({ type }) => type === 'control_response')
    .map(({ frame, json }) => ({ frame, response: dictionaryOf(json.response) }));

const askOf = ({ agentRequests }: View, id: unknown, before: number): AgentRequest | undefined =>
  agentRequests.findLast((ask) => ask.id === id && ask.frame < before);

/** Whether the client interrupted after that frame. */
const isInterrupted = ({ requests }: View, from: number): boolean =>
  requests.some(({ subtype, frame }) => subtype === 'interrupt' && frame > from);

const knownTypes: ReadonlySet<string> = new Set([
  ...['assistant', 'user', 'result', 'system', 'stream_event', 'control_request', 'control_response'],
  ...['control_cancel_request', 'keep_alive', 'tool_progress', 'auth_status'],
]);

function rpcFault(message: Dictionary, answer: unknown): string | null {
  // A notification needs no answer (docs/protocols/claude.md 3.14).
  if (message.id === undefined) return null;
  if (!isDictionary(answer)) return 'mcp_response must be an object';
  if (answer.jsonrpc !== '2.0') return 'mcp_response is no JSON-RPC 2.0';
  if (answer.id !== message.id) return `the id is ${JSON.stringify(answer.id)}, not ${JSON.stringify(message.id)}`;
  return (answer.result === undefined) === (answer.error === undefined) ? 'it must have a result or an error' : null;
}

/** Rules on answers. */
export const answerRules = clientRules({
  'ask-answered': {
    reads: 'both',
    sentence: 'What the agent asks is answered: permissions, hooks, messages to tool servers.',
    scenarios: asking,
    covers: ['control:can_use_tool', 'message:control_request'],
    *judge(view) {
      for (const { frame, subtype, answer, cancelled } of view.agentRequests) {
        if (!answered.has(subtype) || cancelled !== null || isInterrupted(view, frame)) continue;
        if (answer !== null) yield { frame, wrong: null };
        else if (view.isComplete) yield { frame, wrong: 'nobody answers it' };
      }
    },
  },
  'answer-once': {
    reads: 'both',
    sentence: 'What the agent asks is answered once.',
    scenarios: asking,
    covers: ['message:control_response'],
    judge: (view) => {
      const seen = new Map<AgentRequest, number>();
      const known = answersIn(view).flatMap(({ frame, response }) => {
        const ask = askOf(view, response.request_id, frame);
        if (ask === undefined) return [];
        seen.set(ask, (seen.get(ask) ?? 0) + 1);
        return [{ frame, count: seen.get(ask) }];
      });
      return each(known, ({ count }) => (count === 1 ? null : 'it was answered before'));
    },
  },
  'answer-asked': {
    reads: 'both',
    sentence: 'An answer has the request_id of what was asked.',
    scenarios: asking,
    covers: ['message:control_response'],
    *judge(view) {
      for (const { frame, response } of answersIn(view)) {
        const { request_id: id } = response;
        const isAsked = askOf(view, id, frame) !== undefined;
        if (isAsked || view.isFromStart)
          yield { frame, wrong: isAsked ? null : `nobody asked as ${JSON.stringify(id)}` };
      }
    },
  },
  'permission-call': {
    reads: 'both',
    sentence: 'A permission that names its call names the one that was asked for.',
    scenarios: asking,
    covers: ['control:can_use_tool'],
    judge: (view) =>
      each(
        successes(view, 'can_use_tool').filter(({ answer }) => answer.toolUseID !== undefined),
        ({ answer, ask }) =>
          answer.toolUseID === ask.request.tool_use_id ? null : `${JSON.stringify(answer.toolUseID)} was not asked for`,
      ),
  },
  'withdrawn-left': {
    reads: 'both',
    level: 'SHOULD',
    sentence: 'What the agent has withdrawn is not allowed any more when its turn is over.',
    scenarios: ['withdrawn'],
    covers: ['message:control_cancel_request'],
    *judge({ agentRequests, fromAgent }) {
      for (const { cancelled, answer } of agentRequests) {
        if (cancelled === null) continue;
        // An answer that crossed the cancellation on the wire was in time.
        const isLate = fromAgent.some(
          ({ type, frame }) => type === 'result' && frame > cancelled && answer !== null && frame < answer.frame,
        );
        const isWrong = isLate && answer?.response.subtype === 'success';
        yield { frame: answer?.frame ?? cancelled, wrong: isWrong ? 'it was withdrawn' : null };
      }
    },
  },
  'server-answer': {
    reads: 'both',
    sentence: 'A tool server answers a request of JSON-RPC under its id, with a result or an error.',
    scenarios: ['mcp'],
    covers: ['message:control_request'],
    judge: (view) =>
      each(successes(view, 'mcp_message'), ({ ask, answer }) =>
        rpcFault(dictionaryOf(ask.request.message), answer.mcp_response),
      ),
  },
  'unknown-ignored': {
    reads: 'both',
    level: 'SHOULD',
    sentence: 'A client goes on behind messages that it does not know.',
    scenarios: ['unknown'],
    covers: ['message:control_response'],
    *judge(view) {
      for (const { frame, type } of view.fromAgent) {
        if (knownTypes.has(type)) continue;
        const ask = view.agentRequests.find(
          (one) => one.frame > frame && answered.has(one.subtype) && one.cancelled === null,
        );
        // A client that interrupts has given up on the turn.
        const isAnswered = view.fromClient.some(
          ({ frame: at, json }) => at > (ask?.frame ?? frame) && dictionaryOf(json.request).subtype !== 'interrupt',
        );
        if (isAnswered) yield { frame, wrong: null };
        else if (view.isComplete && ask !== undefined)
          yield { frame, wrong: 'nothing was heard of the client since, and it was asked' };
      }
    },
  },
});
