// Rules on the end of a turn: exactly one result, as the last message, with correct figures
// (docs/protocols/rpc-message.md 6.5; docs/protocols/claude.md 4.12, 7).
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { each, type Finding } from '../../check/rule.ts';
import { blocksOf } from '../view/blocks.ts';
import {
  type Ended,
  failureOf,
  isEnded,
  isSeen,
  isWordOfError,
  lastAssistant,
  lastMessage,
  onMain,
} from '../view/turns.ts';
import { laneOf, type Message, type Turn, type View } from '../view/view.ts';
import { claudeRules } from './claude-rule.ts';

const ended = ({ turns }: View): Ended[] => turns.filter(isEnded);
const results = (view: View): { readonly frame: number; readonly turn: Ended; readonly json: Dictionary }[] =>
  ended(view).map((turn) => ({ frame: turn.result.frame, turn, json: turn.result.json }));
/** Excludes prompts: a `user` message may be a replay or come from another client. */
const isOfAgent = ({ isReplay, origin }: Dictionary) => isReplay !== true && dictionaryOf(origin).kind !== 'human';

/** Message types that belong to a turn. */
const modelOutput: ReadonlySet<string> = new Set(['stream_event', 'assistant', 'user']);
const covers = ['message:result'];

export const resultRules = claudeRules({
  'result-each-turn': {
    reads: 'both',
    section: '1.1',
    sentence: 'Each prompt comes to a result; prompts that join a running turn share one.',
    scenarios: ['text', 'tools'],
    covers,
    *judge({ prompts, turns, isComplete }) {
      const last = turns.findLast(({ result }) => result !== null)?.result?.frame ?? -1;
      for (const { frame } of prompts)
        if (frame < last || isComplete) yield { frame, wrong: frame < last ? null : 'nothing came of this prompt' };
    },
  },
  'result-once': {
    reads: 'both',
    section: '1.1',
    sentence: 'A turn has one result.',
    scenarios: ['text', 'tools'],
    covers,
    judge: (view) =>
      each(results(view), ({ turn }) => {
        // The first init is no repetition, wherever the recording begins.
        const isBegun =
          turn === view.turns[0] ||
          turn.prompts.length > 0 ||
          turn.messages.some(({ json }) => json.subtype === 'init');
        return isBegun || isQueued(view, turn) ? null : 'a second result for one turn';
      }),
  },
  'result-last': {
    reads: 'both',
    section: '1.1',
    sentence: 'The result is the last of its turn: what the model says, its calls and their results come before.',
    scenarios: ['text', 'tools'],
    covers,
    *judge(view) {
      for (const [at, turn] of view.turns.entries()) {
        const before = view.turns[at - 1];
        if (before?.result == null) continue;
        const late = lateIn(turn, isQueued(view, turn));
        const wrong = late === undefined ? null : `${late.type} behind the result`;
        yield { frame: late?.frame ?? before.result.frame, wrong };
      }
    },
  },
  'result-text': {
    section: '6.5',
    sentence: 'What a success has in result is the last text of the main thread.',
    scenarios: ['text', 'tools'],
    covers,
    level: 'SHOULD',
    isMeasured: true,
    *judge(view) {
      for (const { frame, turn, json } of results(view)) {
        // A structured result is no text.
        if (json.subtype !== 'success' || typeof json.result !== 'string' || 'structured_output' in json) continue;
        // The result of an error is not the model's text.
        if (json.is_error === true) continue;
        const texts = lastTexts(turn);
        if (texts.length === 0) continue;
        const isIt = json.result === texts.at(-1) || json.result === texts.join('');
        yield { frame, wrong: isIt ? null : `${JSON.stringify(json.result.slice(0, 60))} was not said last` };
      }
    },
  },
  'result-failed': {
    section: '6.5',
    sentence: 'A turn whose last message was cut, or is the word of an error, does not end well: is_error is true.',
    scenarios: ['interrupt', 'fail'],
    covers,
    isMeasured: true,
    *judge(view) {
      for (const { frame, turn, json } of results(view)) {
        const fault = failureOf(view, turn);
        if (fault !== null)
          yield { frame, wrong: json.is_error === true ? null : `${fault}, and is_error is not true` };
      }
    },
  },
  'result-turns': {
    section: '6.5',
    sentence:
      'num_turns of a turn that ended well is one more than the user messages that the agent wrote on the main thread.',
    scenarios: ['text', 'tools'],
    covers,
    level: 'SHOULD',
    isMeasured: true,
    *judge(view) {
      for (const { frame, turn, json } of results(view)) {
        // A command that no model sees has no turns. An aborted turn may not have counted all of them.
        if (json.num_turns === 0 || json.is_error === true || !isSeen(view, turn)) continue;
        const written = onMain(turn).filter(({ type, json }) => type === 'user' && isOfAgent(json));
        const due = written.length + 1;
        yield { frame, wrong: json.num_turns === due ? null : `num_turns ${String(json.num_turns)} instead of ${due}` };
      }
    },
  },
  'result-stop-reason': {
    section: '6.5',
    sentence: 'The stop_reason of a result is that of the last message of the main thread.',
    scenarios: ['text', 'interrupt'],
    covers,
    level: 'SHOULD',
    isMeasured: true,
    *judge(view) {
      for (const { frame, turn, json } of results(view)) {
        const last = lastMessage(view, turn);
        if (last?.delta == null || isWordOfError(turn)) continue;
        // A message whose stream broke may be asked for again without a stream.
        if (last.isCut && (lastAssistant(turn)?.frame ?? 0) > (last.stop ?? frame)) continue;
        const due = dictionaryOf(last.delta.event.delta).stop_reason ?? null;
        const { stop_reason: stopReason = null } = json;
        yield {
          frame,
          wrong: stopReason === due ? null : `stop_reason ${String(stopReason)} instead of ${String(due)}`,
        };
      }
    },
  },
  'denial-known': {
    section: '6.5',
    sentence: 'What permission_denials lists was called before, by that tool.',
    scenarios: ['deny'],
    covers: [...covers, 'block:tool_use'],
    isMeasured: true,
    judge: denialsKnown,
  },
});

function* denialsKnown(view: View): Generator<Finding> {
  // The calls of a sub-agent need not all be told.
  if (!view.isFromStart || view.fromAgent.some(({ json }) => laneOf(json) !== null)) return;
  for (const { frame, json } of results(view)) {
    const denials: readonly unknown[] = Array.isArray(json.permission_denials) ? json.permission_denials : [];
    for (const { tool_use_id: id, tool_name: name } of denials.map(dictionaryOf)) {
      const call = view.calls.calls.findLast((one) => one.id === id && one.frame < frame);
      const called = call?.name === name ? null : `${String(id)} is a call of ${String(call?.name)}`;
      yield { frame, wrong: call === undefined ? `nobody called ${String(id)}` : called };
    }
  }
}

/** An earlier prompt may still be without a result of its own. */
function isQueued({ turns }: View, turn: Turn): boolean {
  const before = turns.slice(0, turns.indexOf(turn));
  return before.reduce((waiting, { prompts }) => waiting + prompts.length, 0) > before.length;
}

/** The first main-thread message of a turn that nothing has begun. */
function lateIn(turn: Turn, isPrompted: boolean): Message | undefined {
  if (isPrompted) return undefined;
  const init = turn.messages.find(({ json }) => json.subtype === 'init')?.frame ?? Number.POSITIVE_INFINITY;
  const prompt = turn.prompts[0]?.frame ?? Number.POSITIVE_INFINITY;
  return onMain(turn).find(({ type, frame }) => modelOutput.has(type) && frame < init && frame < prompt);
}

/** The texts of the last message of a turn. */
function lastTexts(turn: Turn): string[] {
  const id = dictionaryOf(lastAssistant(turn)?.json.message).id;
  return onMain(turn)
    .filter(({ type, json }) => type === 'assistant' && dictionaryOf(json.message).id === id)
    .flatMap(({ json }) => blocksOf(json))
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
}
