// Rules on the agent's requests to its client: tool permissions and questions (docs/protocols/claude.md 3.5, 3.6, 5.2).
// All are measured: the document behind that page does not describe these requests.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { each, type Finding } from '../../check/rule.ts';
import { type Ended, failureOf, isEnded } from '../view/turns.ts';
import type { AgentRequest, View } from '../view/view.ts';
import { claudeRules, type Row } from './claude-rule.ts';

const leaves = ({ agentRequests }: View): AgentRequest[] =>
  agentRequests.filter(({ subtype }) => subtype === 'can_use_tool');
const forTools = (view: View): AgentRequest[] =>
  leaves(view).filter(({ request }) => request.tool_name !== 'AskUserQuestion');
const verdictOf = ({ answer }: AgentRequest) => dictionaryOf(answer?.response.response);

const row = { section: '1.1', isMeasured: true, covers: ['control:can_use_tool'] } as const;

const rows: Record<string, Row> = {
  'ask-id-own': {
    ...row,
    scenarios: ['allow', 'change'],
    sentence: 'No two requests of the agent share a request_id.',
    covers: ['message:control_request'],
    *judge({ agentRequests }) {
      const seen = new Set<unknown>();
      for (const { frame, id } of agentRequests) {
        yield { frame, wrong: seen.has(id) ? `request_id ${String(id)} for the second time` : null };
        seen.add(id);
      }
    },
  },
  'can-use-tool-known': {
    ...row,
    scenarios: ['allow', 'deny'],
    sentence: 'The call that leave is asked for was made before, by that tool.',
    *judge(view) {
      for (const ask of forTools(view)) {
        const { tool_use_id: id, tool_name: name } = ask.request;
        const call = callOf(view, ask);
        if (call === undefined && !view.isFromStart) continue;
        const called = call?.name === name ? null : `${String(id)} is a call of ${String(call?.name)}`;
        yield { frame: ask.frame, wrong: call === undefined ? `nobody called ${String(id)}` : called };
      }
    },
  },
  'can-use-tool-waits': {
    ...row,
    reads: 'both',
    scenarios: ['allow', 'deny', 'change'],
    sentence: 'A call that leave is asked for has no result before it is answered or withdrawn.',
    judge: (view) => waits(view),
  },
  'deny-reason': {
    ...row,
    reads: 'both',
    scenarios: ['deny'],
    level: 'SHOULD',
    sentence: 'The result of a call that was denied gives the message of the denial.',
    covers: ['control:can_use_tool', 'block:tool_result'],
    judge: denyReason,
  },
  'deny-listed': {
    ...row,
    reads: 'both',
    scenarios: ['deny'],
    sentence: 'What was denied is in the permission_denials of the result.',
    covers: ['control:can_use_tool', 'message:result'],
    judge: denyListed,
  },
  'deny-goes-on': {
    ...row,
    reads: 'both',
    scenarios: ['deny'],
    sentence:
      'A denial without interrupt ends the call and not the turn: it comes to a good end, unless something else fails.',
    covers: ['control:can_use_tool', 'message:result'],
    judge: denyGoesOn,
  },
  'changed-input': {
    ...row,
    reads: 'both',
    scenarios: ['change'],
    level: 'SHOULD',
    sentence:
      'What the client changed in the input is what the tool is given: a word that is new there shows in the result.',
    judge: changedInput,
  },
  'cancel-known': {
    ...row,
    scenarios: ['withdraw'],
    sentence: 'control_cancel_request names a request of the agent.',
    covers: ['message:control_cancel_request'],
    judge: ({ cancels, isFromStart }) =>
      each(
        cancels.filter(({ ask }) => ask !== undefined || isFromStart),
        ({ ask }) => (ask === undefined ? 'there is no such request' : null),
      ),
  },
  'ask-over': {
    ...row,
    reads: 'both',
    scenarios: ['withdraw'],
    sentence: 'When the turn is over nothing that was asked in it is open: it was answered, or is withdrawn.',
    covers: ['message:control_cancel_request'],
    judge: askOver,
  },
};

export const askRules = claudeRules(rows);

function callOf(view: View, { request, frame }: AgentRequest) {
  return view.calls.calls.findLast(({ id, frame: at }) => id === request.tool_use_id && at < frame);
}

/** Denials that reached the agent while it waited. */
function denied(view: View): (AgentRequest & { readonly answeredAt: number })[] {
  return forTools(view).flatMap((ask) => {
    if (verdictOf(ask).behavior !== 'deny' || ask.answer === null) return [];
    const isLate = ask.cancelled !== null && ask.cancelled < ask.answer.frame;
    return isLate ? [] : [{ ...ask, answeredAt: ask.answer.frame }];
  });
}

function* waits(view: View): Generator<Finding> {
  for (const ask of forTools(view)) {
    const [result] = callOf(view, ask)?.results ?? [];
    if (result === undefined) continue;
    const over = Math.min(ask.answer?.frame ?? Number.POSITIVE_INFINITY, ask.cancelled ?? Number.POSITIVE_INFINITY);
    yield { frame: result.frame, wrong: over < result.frame ? null : 'nobody has answered yet' };
  }
}

function* denyReason(view: View): Generator<Finding> {
  for (const ask of denied(view)) {
    const { message, interrupt } = verdictOf(ask);
    const [result] = callOf(view, ask)?.results ?? [];
    // A denial that also interrupts ends the turn, so no model reads its message.
    if (result === undefined || interrupt === true || typeof message !== 'string' || message === '') continue;
    const isShown = JSON.stringify(result.block.content ?? '').includes(JSON.stringify(message).slice(1, -1));
    yield { frame: result.frame, wrong: isShown ? null : `it does not say ${JSON.stringify(message)}` };
  }
}

/** The turn that holds the frame, if that turn has ended. */
function turnOf(view: View, frame: number): Ended | null {
  return view.turns.filter(isEnded).find(({ from, result }) => from <= frame && frame < result.frame) ?? null;
}

const endOf = (view: View, frame: number) => turnOf(view, frame)?.result ?? null;

function* denyListed(view: View): Generator<Finding> {
  for (const { request, frame } of denied(view)) {
    const end = endOf(view, frame);
    const { permission_denials: list } = end?.json ?? {};
    if (end === null || !Array.isArray(list)) continue;
    const isListed = list.some((one) => dictionaryOf(one).tool_use_id === request.tool_use_id);
    yield { frame: end.frame, wrong: isListed ? null : `${String(request.tool_use_id)} is missing` };
  }
}

function* denyGoesOn(view: View): Generator<Finding> {
  for (const ask of denied(view)) {
    const turn = turnOf(view, ask.frame);
    const isStopped =
      view.agentRequests.some((one) => verdictOf(one).interrupt === true) ||
      view.requests.some(({ subtype }) => subtype === 'interrupt');
    if (turn === null || isStopped || hasFailedOtherwise(view, turn)) continue;
    const { frame, json } = turn.result;
    yield { frame, wrong: json.is_error === false ? null : 'the turn failed' };
  }
}

/** Whether the turn shows another cause of failure: a limit, an API error, a truncated message. */
function hasFailedOtherwise(view: View, turn: Ended): boolean {
  const { subtype, terminal_reason: reason, api_error_status: status } = turn.result.json;
  const isLimit = /^error_(?!during_execution$)/u.test(String(subtype));
  return isLimit || reason === 'api_error' || typeof status === 'number' || failureOf(view, turn) !== null;
}

const words = (input: unknown): Set<string> => new Set(JSON.stringify(input ?? {}).match(/changed-[\w-]+/gu) ?? []);

function* changedInput(view: View): Generator<Finding> {
  for (const ask of forTools(view)) {
    const { behavior, updatedInput } = verdictOf(ask);
    const [result] = callOf(view, ask)?.results ?? [];
    const before = words(ask.request.input);
    const added = [...words(updatedInput)].filter((word) => !before.has(word));
    if (behavior !== 'allow' || result === undefined || added.length === 0) continue;
    const resultText = JSON.stringify(result.block);
    yield {
      frame: result.frame,
      wrong: added.every((word) => resultText.includes(word)) ? null : `${added[0]} is not in it`,
    };
  }
}

function* askOver(view: View): Generator<Finding> {
  for (const ask of leaves(view)) {
    const end = endOf(view, ask.frame);
    // A sub-agent in the background may go on asking.
    if (end === null || (callOf(view, ask)?.lane ?? null) !== null || ask.request.agent_id !== undefined) continue;
    const isOver =
      (ask.answer !== null && ask.answer.frame < end.frame) || (ask.cancelled !== null && ask.cancelled < end.frame);
    yield { frame: end.frame, wrong: isOver ? null : `request ${String(ask.id)} is still open` };
  }
}
