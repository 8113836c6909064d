// Rules on what the messages of the agent have in common: sessions, ids and lanes (docs/protocols/rpc-message.md 1.1;
// docs/protocols/claude.md 4.2).
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { laneOf, type Message, type View } from '../view/view.ts';
import { claudeRules } from './claude-rule.ts';

/** Message types of a turn, which share the envelope fields. */
const enveloped: ReadonlySet<string> = new Set(['stream_event', 'assistant', 'user', 'result', 'system']);
/** Message types that belong to a lane. */
const laned: ReadonlySet<string> = new Set(['stream_event', 'assistant', 'user']);

const of = ({ fromAgent }: View, types: ReadonlySet<string>): readonly Message[] =>
  fromAgent.filter(({ type }) => types.has(type));

const main = ['text'];
const everyType = ['user', 'assistant', 'result', 'stream_event', 'system'].map((type) => `message:${type}`);

export const frameRules = claudeRules({
  'message-type': {
    section: '1.1',
    sentence: 'Everything that the agent says is a JSON object with a type.',
    scenarios: main,
    covers: everyType,
    *judge({ fromAgent, unreadable }) {
      for (const { frame } of fromAgent) yield { frame, wrong: null };
      for (const { frame, says } of unreadable) yield { frame, wrong: says };
    },
  },
  'session-same': {
    section: '1.1',
    sentence:
      'All messages of a turn carry the same session_id: what is said, what the system tells, and the result. An init may begin another session.',
    scenarios: main,
    covers: everyType,
    isMeasured: true,
    *judge({ turns }) {
      for (const { messages } of turns) {
        let first: unknown;
        for (const { frame, type, json } of messages) {
          if (!enveloped.has(type) || typeof json.session_id !== 'string') continue;
          if (first === undefined || json.subtype === 'init') first = json.session_id;
          const wrong = `${json.session_id} where the turn began with ${String(first)}`;
          yield { frame, wrong: json.session_id === first ? null : wrong };
        }
      }
    },
  },
  'uuid-own': {
    section: '1.1',
    sentence: 'No two messages share a uuid.',
    scenarios: main,
    covers: everyType,
    isMeasured: true,
    *judge(view) {
      const seen = new Set<unknown>();
      for (const { frame, json } of of(view, enveloped)) {
        if (typeof json.uuid !== 'string') continue;
        yield { frame, wrong: seen.has(json.uuid) ? `uuid ${json.uuid} for the second time` : null };
        seen.add(json.uuid);
      }
    },
  },
  'parent-known': {
    section: '1.1',
    sentence: 'A parent_tool_use_id names a call that was made before.',
    scenarios: ['subagent'],
    covers: ['message:assistant', 'message:user'],
    isMeasured: true,
    *judge(view) {
      for (const { frame, json } of of(view, laned)) {
        const lane = laneOf(json);
        if (lane === null) continue;
        const isKnown = view.calls.calls.some((call) => call.id === lane && call.frame < frame);
        // The sub-agent may have started before the recording.
        if (isKnown || view.isFromStart) yield { frame, wrong: isKnown ? null : `nobody called ${lane}` };
      }
    },
  },
  'init-first': {
    section: '1.1',
    sentence: 'Each turn tells its init before its first message.',
    scenarios: main,
    covers: ['system:init'],
    level: 'SHOULD',
    isMeasured: true,
    *judge({ turns, isFromStart }) {
      for (const { messages } of isFromStart ? turns : turns.slice(1)) {
        const first = messages.find(
          (message) => laned.has(message.type) && laneOf(message.json) === null && isSpoken(message),
        );
        if (first === undefined) continue;
        const init = messages.find(({ type, json }) => type === 'system' && json.subtype === 'init');
        const wrong = init !== undefined && init.frame < first.frame ? null : 'a turn that begins without init';
        yield { frame: first.frame, wrong };
      }
    },
  },
});

/** Whether the model is the author. Text of the agent itself may come earlier in the user's role. */
function isSpoken({ type, json }: Message): boolean {
  return type !== 'user' && dictionaryOf(json.message).model !== '<synthetic>';
}
