// Rules on single messages of the agent, type by type (docs/protocols/rpc-message.md 1.1; docs/protocols/claude.md 4.2,
// 6.1, 7.1).
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { each, type Finding } from '../../check/rule.ts';
import { fields, misfit, orNull, type Shape, words } from '../../check/shape.ts';
import { blocksOf } from '../view/blocks.ts';
import { laneOf, type Message, type View } from '../view/view.ts';
import { claudeRules } from './claude-rule.ts';

/** Message types of a turn, which share the envelope fields. */
const enveloped: ReadonlySet<string> = new Set(['stream_event', 'assistant', 'user', 'result', 'system']);
/** Message types that belong to a lane. */
const laned: ReadonlySet<string> = new Set(['stream_event', 'assistant', 'user']);

const of = ({ fromAgent }: View, types: ReadonlySet<string>): readonly Message[] =>
  fromAgent.filter(({ type }) => types.has(type));
const ofType = ({ fromAgent }: View, type: string): readonly Message[] =>
  fromAgent.filter((message) => message.type === type);
const systems = (view: View, subtype: string) => ofType(view, 'system').filter(({ json }) => json.subtype === subtype);

/** A rule on the shape of the selected messages. */
const shaped = (find: (view: View) => Iterable<Message>, shape: Shape) => (view: View) =>
  each(find(view), ({ json }) => misfit(json, shape, 'message'));

const usage = fields({
  input_tokens: 'number',
  output_tokens: 'number',
  'cache_read_input_tokens?': 'number',
  'cache_creation_input_tokens?': 'number',
});

const apiMessage = fields({
  type: words('message'),
  role: words('assistant'),
  stop_reason: orNull('string'),
  stop_sequence: orNull('string'),
});

const knownBlocks: ReadonlyMap<unknown, Shape> = new Map<unknown, Shape>([
  ['text', fields({ text: 'string' })],
  ['thinking', fields({ thinking: 'string' })],
  ['tool_use', fields({ id: 'string', name: 'string', input: 'object' })],
  [
    'tool_result',
    fields({ tool_use_id: 'string', 'content?': { oneOf: ['string', ['object']] }, 'is_error?': 'boolean' }),
  ],
]);

function* blocksIn(view: View, type: string): Generator<Finding> {
  for (const { frame, json } of ofType(view, type))
    for (const block of blocksOf(json)) {
      const shape = knownBlocks.get(block.type);
      const wrong = shape === undefined ? null : misfit(block, shape, `the ${String(block.type)} block`);
      yield { frame, wrong: typeof block.type === 'string' ? wrong : 'a block without type' };
    }
}

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
  'session-id': {
    section: '1.1',
    sentence: 'Messages of a turn carry a session_id.',
    scenarios: main,
    covers: everyType,
    isMeasured: true,
    judge: (view) => each(of(view, enveloped), ({ json }) => misfit(json, fields({ session_id: 'string' }), 'message')),
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
  uuid: {
    section: '1.1',
    sentence: 'Messages of a turn carry a uuid.',
    scenarios: main,
    covers: everyType,
    isMeasured: true,
    judge: (view) => each(of(view, enveloped), ({ json }) => misfit(json, fields({ uuid: 'string' }), 'message')),
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
  'parent-field': {
    section: '1.1',
    sentence:
      'stream_event, assistant and user carry parent_tool_use_id: null on the main thread, else the call of the sub-agent.',
    scenarios: main,
    covers: ['message:stream_event', 'message:assistant', 'message:user'],
    isMeasured: true,
    judge: (view) =>
      each(of(view, laned), ({ json }) => misfit(json, fields({ parent_tool_use_id: orNull('string') }), 'message')),
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
  'assistant-shape': {
    section: '1.1',
    sentence: 'An assistant message holds the message of the API: id, role, model, a list of blocks, usage.',
    scenarios: main,
    covers: ['message:assistant'],
    judge: shaped(
      (view) => ofType(view, 'assistant'),
      fields({ message: fields({ id: 'string', role: 'string', model: 'string', content: ['object'], usage }) }),
    ),
  },
  'api-message': {
    section: '1.1',
    sentence:
      'message_start and assistant hold a message of the API: its type is message, its role is assistant, and it has a stop_reason and a stop_sequence, null at first.',
    scenarios: main,
    covers: ['message:assistant', 'event:message_start'],
    isMeasured: true,
    judge: (view) =>
      each(
        of(view, laned).flatMap(({ frame, type, json }) => {
          const { type: kind, message } = dictionaryOf(json.event);
          if (type === 'assistant') return [{ frame, message: json.message }];
          return kind === 'message_start' ? [{ frame, message }] : [];
        }),
        ({ message }) => misfit(message, apiMessage, 'message'),
      ),
  },
  'assistant-blocks': {
    section: '1.1',
    sentence:
      'The blocks of an assistant message have the fields of their kind: text, thinking, tool_use with id, name and input.',
    scenarios: ['text', 'think', 'tools'],
    covers: ['block:text', 'block:thinking', 'block:tool_use'],
    judge: (view) => blocksIn(view, 'assistant'),
  },
  'user-shape': {
    section: '1.1',
    sentence: 'A user message has the role user, and a text or a list of blocks for content.',
    scenarios: ['tools'],
    covers: ['message:user'],
    judge: shaped(
      (view) => ofType(view, 'user'),
      fields({ message: fields({ role: words('user'), content: { oneOf: ['string', ['object']] } }) }),
    ),
  },
  'tool-result-shape': {
    section: '1.1',
    sentence:
      'A tool_result block names its call, and has a text or a list of blocks for content; is_error is a boolean.',
    scenarios: ['tools', 'toolfail'],
    covers: ['block:tool_result'],
    judge: (view) => blocksIn(view, 'user'),
  },
  'system-subtype': {
    section: '1.1',
    sentence: 'A system message has a subtype.',
    scenarios: main,
    covers: ['message:system'],
    judge: shaped((view) => ofType(view, 'system'), fields({ subtype: 'string' })),
  },
  'init-shape': {
    section: '1.1',
    sentence:
      'init says where the agent works and with what: cwd, tools, mcp_servers, model, permissionMode, slash_commands, apiKeySource, output_style.',
    scenarios: main,
    covers: ['system:init'],
    isMeasured: true,
    judge: shaped(
      (view) => systems(view, 'init'),
      fields({
        cwd: 'string',
        tools: ['string'],
        mcp_servers: [fields({ name: 'string', status: 'string' })],
        model: 'string',
        permissionMode: 'string',
        slash_commands: ['string'],
        apiKeySource: 'string',
        output_style: 'string',
      }),
    ),
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
  'status-shape': {
    section: '1.1',
    sentence: 'A status is a word, or null when it is over.',
    scenarios: ['compaction'],
    covers: ['system:status'],
    isMeasured: true,
    judge: shaped((view) => systems(view, 'status'), fields({ status: orNull('string') })),
  },
  'retry-shape': {
    section: '1.1',
    sentence: 'api_retry says which attempt it is, of how many, and after what delay.',
    scenarios: ['retry'],
    covers: ['system:api_retry'],
    isMeasured: true,
    judge: shaped(
      (view) => systems(view, 'api_retry'),
      fields({ attempt: 'number', max_retries: 'number', retry_delay_ms: 'number', error_status: orNull('number') }),
    ),
  },
  'compact-boundary-shape': {
    section: '1.1',
    sentence: 'compact_boundary says what asked for it, and how many tokens there were before.',
    scenarios: ['compaction'],
    covers: ['system:compact_boundary'],
    isMeasured: true,
    judge: shaped(
      (view) => systems(view, 'compact_boundary'),
      fields({ compact_metadata: fields({ trigger: 'string', pre_tokens: 'number' }) }),
    ),
  },
  'tool-progress-shape': {
    section: '2.3',
    sentence: 'tool_progress is a heartbeat: it names the tool and for how long it has run, and holds no output.',
    scenarios: ['tools'],
    covers: ['message:tool_progress'],
    isMeasured: true,
    judge: shaped(
      (view) => ofType(view, 'tool_progress'),
      fields({ tool_use_id: 'string', tool_name: 'string', elapsed_time_seconds: 'number' }),
    ),
  },
  'error-shape': {
    section: '3.2',
    sentence: 'An error message says what is wrong in its message.',
    scenarios: ['odd'],
    covers: ['message:error'],
    judge: shaped((view) => ofType(view, 'error'), fields({ message: 'string' })),
  },
});

/** Whether the model is the author. Text of the agent itself may come earlier in the user's role. */
function isSpoken({ type, json }: Message): boolean {
  return type !== 'user' && dictionaryOf(json.message).model !== '<synthetic>';
}
