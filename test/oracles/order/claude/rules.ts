// The rules of the Claude order checker by name, and its report. Each rule has a mutation test.

/** Every rule of the strict grammar, with its sentence. */
export const rules = {
  frame: 'every frame is an object with a type',
  shape: 'every frame has the keys of its type',
  uuid: 'every frame of a turn has a uuid of its own',
  session: 'session_id is the same on every frame',
  parent: 'a parent_tool_use_id is null or names a tool call, and a result comes on the lane of its call',
  'init-first': 'a turn begins with system init',
  'outside-turn': 'nothing comes between a result and the next init',
  'system-inside': 'a message is not interrupted by system frames',
  'message-unclosed': 'each message_start has its message_stop before the next message and before the result',
  'message-id': 'no two messages share an id',
  'no-message': 'stream events come inside a message',
  'block-index': 'block indices count 0, 1, 2 in each message',
  'block-overlap': 'one block is open at a time',
  'block-unclosed': 'each content_block_start has its content_block_stop',
  'no-block': 'deltas and stops name an open block',
  'block-head': 'a block opens empty, with the keys of its kind',
  'delta-kind': 'a block takes only the deltas of its kind',
  'assistant-place':
    'one assistant frame a block, after its last delta and before its stop; without a stream only from the model <synthetic> and behind a message that was cut',
  'assistant-id': 'an assistant frame has the id of its message_start',
  'assistant-content': 'an assistant frame holds one block: the one that streamed',
  'message-delta': 'message_delta comes exactly once, after the last block and before message_stop',
  'stop-reason': 'stop_reason is tool_use exactly when the message ends in tool calls, null only when it was cut',
  'user-inside': 'user frames come outside an open message',
  'tool-id': 'a tool call has an id of its own',
  'tool-unknown': 'a tool_result names a tool call of this turn',
  'tool-twice': 'a tool call is answered once',
  'tool-unanswered': 'a tool call is answered before the next message and before the result',
  'result-missing': 'each turn ends with a result',
  'result-twice': 'a turn has one result',
} as const;
export type Rule = keyof typeof rules;

/** One violation: the rule, the index of the frame, and an explanation. */
export interface Violation {
  readonly rule: Rule;
  readonly at: number;
  readonly says: string;
}

/** Adds a violation to the checker's list. */
export type Report = (rule: Rule, at: number, says: string) => void;
