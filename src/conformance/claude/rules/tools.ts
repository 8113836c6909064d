// Rules on tool calls and their results in the native dialect (docs/protocols/rpc-message.md 4.3, 5.3;
// docs/protocols/claude.md 4.9). tool-results.ts has the rules that hold in both dialects.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { each, type Finding } from '../../check/rule.ts';
import type { Call } from '../view/tool-calls.ts';
import type { Turn, View } from '../view/view.ts';
import { claudeRules } from './claude-rule.ts';

const covers = ['block:tool_use', 'block:tool_result'];

export const toolRules = claudeRules({
  'tool-id-own': {
    section: '4.3',
    sentence: 'No two calls that are open share an id.',
    scenarios: ['tools'],
    covers,
    isMeasured: true,
    judge: ({ calls }) =>
      each(calls.calls, ({ again }) =>
        again === null ? null : `it is used again in message ${again} of the exchange`,
      ),
  },
  'tool-result-lane': {
    section: '4.3',
    sentence: 'A result comes where its call was made: on the main thread, or in the same sub-agent.',
    scenarios: ['tools', 'subagent'],
    covers,
    isMeasured: true,
    judge: ({ calls }) =>
      each(
        calls.results.filter(({ call }) => call !== undefined),
        ({ call, lane }) => (call?.lane === lane ? null : `${String(call?.id)} was called on another lane`),
      ),
  },
  'tool-answered': {
    section: '4.3',
    sentence: 'Each call of a message that ended in tool_use has its result before the turn is over.',
    scenarios: ['tools', 'toolfail', 'allow', 'deny'],
    covers,
    judge: answered,
  },
  'tool-result-order': {
    section: '4.3',
    sentence: 'The results of a message come before the model speaks again on that thread.',
    scenarios: ['tools'],
    covers,
    isMeasured: true,
    judge: resultsBeforeNext,
  },
  'tool-failure': {
    reads: 'both',
    section: '5.3',
    sentence: 'The result of a tool that failed has is_error true.',
    scenarios: ['toolfail', 'deny'],
    covers: ['block:tool_result'],
    *judge({ calls, agentRequests }) {
      for (const { call, block, frame } of calls.results) {
        const ask = agentRequests.find(({ request }) => request.tool_use_id === call?.id);
        const response = dictionaryOf(ask?.answer?.response.response);
        const isDenied = ask?.cancelled === null && response.behavior === 'deny';
        // Only a denial shows from outside that the tool cannot have run.
        if (call === undefined || !isDenied || (ask?.answer?.frame ?? frame) >= frame) continue;
        yield { frame, wrong: block.is_error === true ? null : `${call.id} was denied, and its result is no error` };
      }
    },
  },
});

/** Calls that require a result. The calls of a truncated message cannot have run and require none. */
function owedIn(view: View, turn: Turn): Call[] {
  const end = turn.result?.frame ?? Number.POSITIVE_INFINITY;
  return view.calls.calls.filter(({ frame, lane }) => {
    if (lane !== null || frame < turn.from || frame > end) return false;
    const message = view.stream.messages.findLast((one) => one.lane === null && one.frame <= frame);
    if (message === undefined || message.stop === null || frame > message.stop)
      return turn.result?.json.is_error === false;
    return dictionaryOf(message.delta?.event.delta).stop_reason === 'tool_use';
  });
}

function* answered(view: View): Generator<Finding> {
  for (const turn of view.turns) {
    if (turn.result === null) continue;
    const { frame: end } = turn.result;
    yield* each(owedIn(view, turn), ({ id, results }) =>
      results.some(({ frame }) => frame < end) ? null : `the turn is over, and ${id} has no result`,
    );
  }
}

function* resultsBeforeNext(view: View): Generator<Finding> {
  const { messages } = view.stream;
  for (const call of view.calls.calls) {
    const message = messages.findLast(({ lane, frame }) => lane === call.lane && frame <= call.frame);
    if (message === undefined || message.isCut) continue;
    const next = messages.find(({ lane, frame }) => lane === call.lane && frame > call.frame);
    const [result] = call.results;
    if (next === undefined || result === undefined) continue;
    yield { frame: next.frame, wrong: result.frame < next.frame ? null : `${call.id} has no result yet` };
  }
}
