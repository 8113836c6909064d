// Rules on the order of events: runs, turns, messages, tools (docs/protocols/pi.md 6). view/walk.ts makes the findings.
import type { Rule } from '../../check/rule.ts';
import { noted, type PiView } from '../view/view.ts';

type PiRule = Rule<PiView>;

const order = {
  section: 'Event Stream',
  level: 'MUST',
  basis: 'specification',
} as const;
const measured = { ...order, level: 'SHOULD', basis: 'measured' } as const;

/** Rules on start and end events: their order, and the data in them that repeats earlier events. */
export const orderRules: readonly PiRule[] = [
  {
    ...order,
    id: 'pi/agent-brackets',
    sentence: 'agent_start and agent_end alternate.',
    covers: ['event:agent_start', 'event:agent_end'],
    scenarios: ['text', 'tools'],
    judge: noted('agent-brackets'),
  },
  {
    ...order,
    id: 'pi/agent-end-closes',
    sentence: 'At agent_end no turn, no message and no tool is open.',
    covers: ['event:agent_end'],
    scenarios: ['text', 'abort'],
    judge: noted('agent-end-closes'),
  },
  {
    ...order,
    id: 'pi/agent-end-messages',
    sentence: 'agent_end includes all messages of the user, the model and the tools since agent_start, in their order.',
    covers: ['event:agent_end'],
    scenarios: ['text', 'tools'],
    judge: noted('agent-end-messages'),
  },
  {
    ...measured,
    id: 'pi/settled-outside-run',
    sentence: 'agent_settled (since 0.80.4) stands behind agent_end.',
    scenarios: ['text'],
    judge: noted('settled'),
  },
  {
    ...order,
    id: 'pi/turn-brackets',
    sentence: 'turn_start and turn_end alternate, inside a run.',
    covers: ['event:turn_start', 'event:turn_end'],
    scenarios: ['text', 'tools'],
    judge: noted('turn-brackets'),
  },
  {
    ...order,
    id: 'pi/turn-end-message',
    sentence: 'turn_end includes the last message of the model in its turn, as its message_end said it.',
    covers: ['event:turn_end'],
    scenarios: ['text', 'tools'],
    judge: noted('turn-end-message'),
  },
  {
    ...order,
    id: 'pi/turn-end-results',
    sentence:
      'turn_end includes the results of the tools in its turn, as their messages said them; none is an empty list.',
    covers: ['event:turn_end'],
    scenarios: ['text', 'tools'],
    judge: noted('turn-end-results'),
  },
  {
    ...order,
    id: 'pi/message-brackets',
    sentence: 'A message that starts ends, and a message of the model before the next one starts.',
    covers: ['event:message_start', 'event:message_end'],
    scenarios: ['text', 'tools'],
    judge: noted('message-brackets'),
  },
  {
    ...measured,
    id: 'pi/assistant-in-turn',
    sentence: 'The model speaks inside a turn.',
    covers: ['event:turn_start', 'event:message_start'],
    scenarios: ['text'],
    judge: noted('assistant-in-turn'),
  },
  {
    ...measured,
    id: 'pi/message-same',
    sentence: 'A message that does not stream ends as it started.',
    covers: ['event:message_end'],
    scenarios: ['text', 'tools'],
    judge: noted('message-same'),
  },
];

/** Rules on tools and their results. */
export const toolRules: readonly PiRule[] = [
  {
    ...order,
    id: 'pi/tool-brackets',
    sentence: 'Each tool that starts ends, once, inside a run.',
    covers: ['event:tool_execution_start', 'event:tool_execution_end'],
    scenarios: ['tool', 'tools', 'toolfail'],
    judge: noted('tool-brackets'),
  },
  {
    ...order,
    id: 'pi/tool-update-inside',
    sentence: 'tool_execution_update is about a tool that runs.',
    covers: ['event:tool_execution_update'],
    scenarios: ['tool', 'tools'],
    judge: noted('tool-update'),
  },
  {
    ...measured,
    id: 'pi/tool-call-known',
    sentence: 'A tool that starts was called in a message of its turn, by that id and name.',
    covers: ['event:tool_execution_start'],
    scenarios: ['tool', 'tools'],
    judge: noted('tool-call'),
  },
  {
    ...measured,
    id: 'pi/tool-beside-message',
    level: 'MAY',
    sentence: 'No tool starts while a message of the model streams.',
    covers: ['event:tool_execution_start'],
    scenarios: ['tool', 'tools'],
    judge: noted('tool-beside-message'),
  },
  {
    ...measured,
    id: 'pi/tool-result',
    sentence: 'Each tool that ended has one toolResult, a message of its own before the end of its turn.',
    covers: ['event:tool_execution_end', 'event:message_end'],
    scenarios: ['tool', 'tools', 'toolfail'],
    judge: noted('tool-result'),
  },
  {
    ...measured,
    id: 'pi/tool-result-same',
    sentence: 'The toolResult says what tool_execution_end said: name, content and whether it is an error.',
    covers: ['event:tool_execution_end', 'event:message_end'],
    scenarios: ['tool', 'tools', 'toolfail'],
    judge: noted('tool-result-same'),
  },
  {
    ...measured,
    id: 'pi/call-answered',
    reads: 'both',
    sentence: 'Each call in a message that stopped for tools has a toolResult in its turn, unless the run was aborted.',
    covers: ['event:turn_end'],
    scenarios: ['tool', 'tools', 'toolfail'],
    judge: noted('call-answered'),
  },
];

/** Rules on the streaming message. */
export const streamRules: readonly PiRule[] = [
  {
    ...order,
    id: 'pi/update-in-message',
    sentence: 'message_update comes between message_start and message_end of a message of the model.',
    covers: ['event:message_update'],
    scenarios: ['text'],
    judge: noted('update-in-message'),
  },
  {
    ...measured,
    id: 'pi/block-order',
    sentence: 'Each block starts, grows and ends, once, and the next one starts behind it.',
    covers: ['event:message_update'],
    scenarios: ['text', 'think', 'tools'],
    judge: noted('block-order'),
  },
  {
    ...measured,
    id: 'pi/block-index',
    sentence: 'contentIndex counts the blocks of the message from 0.',
    covers: ['event:message_update'],
    scenarios: ['text', 'think', 'tools'],
    judge: noted('block-index'),
  },
  {
    ...measured,
    id: 'pi/blocks-end',
    sentence: 'At the end of a message all its blocks have ended, unless it failed, was aborted or was too long.',
    covers: ['event:message_end'],
    scenarios: ['text', 'think', 'tools'],
    judge: noted('blocks-end'),
  },
  {
    ...measured,
    id: 'pi/blocks-streamed',
    sentence: 'Updates tell every block of a message, unless it failed, was aborted or was too long.',
    covers: ['event:message_update'],
    scenarios: ['text', 'think', 'tools'],
    judge: noted('blocks-streamed'),
  },
  {
    ...order,
    id: 'pi/text-deltas',
    sentence: 'The deltas of a text, joined, are the content that its end says.',
    covers: ['update:text_start', 'update:text_delta', 'update:text_end'],
    scenarios: ['text', 'unicode', 'long'],
    judge: noted('text-deltas'),
  },
  {
    ...order,
    id: 'pi/thinking-deltas',
    sentence: 'The deltas of thinking, joined, are the content that its end says, unless it is hidden.',
    covers: ['update:thinking_start', 'update:thinking_delta', 'update:thinking_end'],
    scenarios: ['think'],
    judge: noted('thinking-deltas'),
  },
  {
    ...measured,
    id: 'pi/toolcall-deltas',
    sentence: 'The deltas of a call, joined, are the JSON text of its arguments.',
    covers: ['update:toolcall_start', 'update:toolcall_delta', 'update:toolcall_end'],
    scenarios: ['tool', 'tools'],
    judge: noted('toolcall-deltas'),
  },
  {
    ...measured,
    id: 'pi/toolcall-end',
    sentence: 'toolcall_end has the whole call in toolCall: type, id, name, arguments.',
    covers: ['update:toolcall_end'],
    scenarios: ['tool', 'tools'],
    judge: noted('toolcall-end'),
  },
  {
    ...order,
    id: 'pi/message-content',
    sentence: 'The whole message has at each contentIndex what the end of that block said.',
    covers: ['event:message_end'],
    scenarios: ['text', 'think', 'tools'],
    judge: noted('message-content'),
  },
  {
    ...measured,
    id: 'pi/partial',
    sentence: 'Where updates repeat the message so far (up to 0.83), it begins with what the deltas have said.',
    covers: ['event:message_update'],
    scenarios: ['text', 'think', 'tools'],
    judge: noted('partial'),
  },
  {
    ...measured,
    id: 'pi/partial-same',
    sentence: 'Where updates repeat the message so far (up to 0.83), `message` and `partial` have the same content.',
    covers: ['event:message_update'],
    scenarios: ['text', 'think', 'tools'],
    judge: noted('partial-same'),
  },
];
