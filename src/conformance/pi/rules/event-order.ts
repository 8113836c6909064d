// Rules on the order of events: runs, turns, messages, tools (docs/protocols/pi.md 6). view/walk.ts makes the findings.
import { noted, type PiRows } from '../view/view.ts';

const order = { section: 'Event Stream' } as const;
const measured = { ...order, isMeasured: true } as const;

/** Rules on start and end events: their order, and the data in them that repeats earlier events. */
export const orderRows: PiRows = {
  'agent-brackets': {
    ...order,
    sentence: 'agent_start and agent_end alternate.',
    covers: ['event:agent_start', 'event:agent_end'],
    scenarios: ['text', 'tools'],
    judge: noted('agent-brackets'),
  },
  'agent-end-closes': {
    ...order,
    sentence: 'At agent_end no turn, no message and no tool is open.',
    covers: ['event:agent_end'],
    scenarios: ['text', 'abort'],
    judge: noted('agent-end-closes'),
  },
  'agent-end-messages': {
    ...order,
    sentence: 'agent_end includes all messages of the user, the model and the tools since agent_start, in their order.',
    covers: ['event:agent_end'],
    scenarios: ['text', 'tools'],
    judge: noted('agent-end-messages'),
  },
  'settled-outside-run': {
    ...measured,
    sentence: 'agent_settled (since 0.80.4) stands behind agent_end.',
    covers: [],
    scenarios: ['text'],
    judge: noted('settled'),
  },
  'turn-brackets': {
    ...order,
    sentence: 'turn_start and turn_end alternate, inside a run.',
    covers: ['event:turn_start', 'event:turn_end'],
    scenarios: ['text', 'tools'],
    judge: noted('turn-brackets'),
  },
  'turn-end-message': {
    ...order,
    sentence: 'turn_end includes the last message of the model in its turn, as its message_end said it.',
    covers: ['event:turn_end'],
    scenarios: ['text', 'tools'],
    judge: noted('turn-end-message'),
  },
  'turn-end-results': {
    ...order,
    sentence:
      'turn_end includes the results of the tools in its turn, as their messages said them; none is an empty list.',
    covers: ['event:turn_end'],
    scenarios: ['text', 'tools'],
    judge: noted('turn-end-results'),
  },
  'message-brackets': {
    ...order,
    sentence: 'A message that starts ends, and a message of the model before the next one starts.',
    covers: ['event:message_start', 'event:message_end'],
    scenarios: ['text', 'tools'],
    judge: noted('message-brackets'),
  },
  'assistant-in-turn': {
    ...measured,
    sentence: 'The model speaks inside a turn.',
    covers: ['event:turn_start', 'event:message_start'],
    scenarios: ['text'],
    judge: noted('assistant-in-turn'),
  },
  'message-same': {
    ...measured,
    sentence: 'A message that does not stream ends as it started.',
    covers: ['event:message_end'],
    scenarios: ['text', 'tools'],
    judge: noted('message-same'),
  },
};

/** Rules on tools and their results. */
export const toolRows: PiRows = {
  'tool-brackets': {
    ...order,
    sentence: 'Each tool that starts ends, once, inside a run.',
    covers: ['event:tool_execution_start', 'event:tool_execution_end'],
    scenarios: ['tool', 'tools', 'toolfail'],
    judge: noted('tool-brackets'),
  },
  'tool-update-inside': {
    ...order,
    sentence: 'tool_execution_update is about a tool that runs.',
    covers: ['event:tool_execution_update'],
    scenarios: ['tool', 'tools'],
    judge: noted('tool-update'),
  },
  'tool-call-known': {
    ...measured,
    sentence: 'A tool that starts was called in a message of its turn, by that id and name.',
    covers: ['event:tool_execution_start'],
    scenarios: ['tool', 'tools'],
    judge: noted('tool-call'),
  },
  'tool-beside-message': {
    ...measured,
    level: 'MAY',
    sentence: 'No tool starts while a message of the model streams.',
    covers: ['event:tool_execution_start'],
    scenarios: ['tool', 'tools'],
    judge: noted('tool-beside-message'),
  },
  'tool-result': {
    ...measured,
    sentence: 'Each tool that ended has one toolResult, a message of its own before the end of its turn.',
    covers: ['event:tool_execution_end', 'event:message_end'],
    scenarios: ['tool', 'tools', 'toolfail'],
    judge: noted('tool-result'),
  },
  'tool-result-same': {
    ...measured,
    sentence: 'The toolResult says what tool_execution_end said: name, content and whether it is an error.',
    covers: ['event:tool_execution_end', 'event:message_end'],
    scenarios: ['tool', 'tools', 'toolfail'],
    judge: noted('tool-result-same'),
  },
  'call-answered': {
    ...measured,
    reads: 'both',
    sentence: 'Each call in a message that stopped for tools has a toolResult in its turn, unless the run was aborted.',
    covers: ['event:turn_end'],
    scenarios: ['tool', 'tools', 'toolfail'],
    judge: noted('call-answered'),
  },
};

/** Rules on the streaming message. */
export const streamRows: PiRows = {
  'update-in-message': {
    ...order,
    sentence: 'message_update comes between message_start and message_end of a message of the model.',
    covers: ['event:message_update'],
    scenarios: ['text'],
    judge: noted('update-in-message'),
  },
  'block-order': {
    ...measured,
    sentence: 'Each block starts, grows and ends, once, and the next one starts behind it.',
    covers: ['event:message_update'],
    scenarios: ['text', 'think', 'tools'],
    judge: noted('block-order'),
  },
  'block-index': {
    ...measured,
    sentence: 'contentIndex counts the blocks of the message from 0.',
    covers: ['event:message_update'],
    scenarios: ['text', 'think', 'tools'],
    judge: noted('block-index'),
  },
  'blocks-end': {
    ...measured,
    sentence: 'At the end of a message all its blocks have ended, unless it failed, was aborted or was too long.',
    covers: ['event:message_end'],
    scenarios: ['text', 'think', 'tools'],
    judge: noted('blocks-end'),
  },
  'blocks-streamed': {
    ...measured,
    sentence: 'Updates tell every block of a message, unless it failed, was aborted or was too long.',
    covers: ['event:message_update'],
    scenarios: ['text', 'think', 'tools'],
    judge: noted('blocks-streamed'),
  },
  'text-deltas': {
    ...order,
    sentence: 'The deltas of a text, joined, are the content that its end says.',
    covers: ['update:text_start', 'update:text_delta', 'update:text_end'],
    scenarios: ['text', 'unicode', 'long'],
    judge: noted('text-deltas'),
  },
  'thinking-deltas': {
    ...order,
    sentence: 'The deltas of thinking, joined, are the content that its end says, unless it is hidden.',
    covers: ['update:thinking_start', 'update:thinking_delta', 'update:thinking_end'],
    scenarios: ['think'],
    judge: noted('thinking-deltas'),
  },
  'toolcall-deltas': {
    ...measured,
    sentence: 'The deltas of a call, joined, are the JSON text of its arguments.',
    covers: ['update:toolcall_start', 'update:toolcall_delta', 'update:toolcall_end'],
    scenarios: ['tool', 'tools'],
    judge: noted('toolcall-deltas'),
  },
  'toolcall-end': {
    ...measured,
    sentence: 'toolcall_end has the whole call in toolCall: type, id, name, arguments.',
    covers: ['update:toolcall_end'],
    scenarios: ['tool', 'tools'],
    judge: noted('toolcall-end'),
  },
  'message-content': {
    ...order,
    sentence: 'The whole message has at each contentIndex what the end of that block said.',
    covers: ['event:message_end'],
    scenarios: ['text', 'think', 'tools'],
    judge: noted('message-content'),
  },
  partial: {
    ...measured,
    sentence: 'Where updates repeat the message so far (up to 0.83), it begins with what the deltas have said.',
    covers: ['event:message_update'],
    scenarios: ['text', 'think', 'tools'],
    judge: noted('partial'),
  },
  'partial-same': {
    ...measured,
    sentence: 'Where updates repeat the message so far (up to 0.83), `message` and `partial` have the same content.',
    covers: ['event:message_update'],
    scenarios: ['text', 'think', 'tools'],
    judge: noted('partial-same'),
  },
};
