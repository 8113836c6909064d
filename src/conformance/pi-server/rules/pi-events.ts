// Rules on the content of session events, which the document does not describe: the events are those of the pi behind the
// server, so the rules of pi judge them.
import type { Finding, Rule } from '../../check/rule.ts';
import { rulesIn } from '../../check/rule-rows.ts';
import { orderRows, streamRows, toolRows } from '../../pi/rules/event-order.ts';
import { messageRows } from '../../pi/rules/messages.ts';
import { compactionRows, retryRows, toolEventRows } from '../../pi/rules/non-message-events.ts';
import { shapeRulesOfAgents } from '../../pi/shapes/agents.ts';
import type { PiView } from '../../pi/view/view.ts';
import { piSessions } from '../view/pi-sessions.ts';
import type { ServerRows } from '../view/view.ts';

interface Group {
  readonly section: string;
  readonly sentence: string;
  readonly covers: readonly string[];
  readonly scenarios: readonly string[];
  /** Names of the rules of pi, without `pi/`. */
  readonly rules: readonly string[];
}

const rowsOfPi = {
  ...orderRows,
  ...toolRows,
  ...streamRows,
  ...messageRows,
  ...toolEventRows,
  ...compactionRows,
  ...retryRows,
};
const rulesOfPi: ReadonlyMap<string, Rule<PiView>> = new Map(
  [...shapeRulesOfAgents, ...rulesIn('pi', rowsOfPi)].map((rule) => [rule.id.replace('pi/', ''), rule]),
);

const groups: Readonly<Record<string, Group>> = {
  'event-brackets': {
    section: '19.1',
    sentence:
      'A run and its first turn begin before anything else of them is told, and end when nothing in them is open.',
    covers: ['session:agent_start', 'session:turn_start', 'session:turn_end', 'session:agent_end'],
    scenarios: ['prompt', 'tool'],
    rules: ['agent-brackets', 'agent-end-closes', 'turn-brackets', 'assistant-in-turn'],
  },
  'event-repeats': {
    section: '19.1',
    sentence: 'The ends of turns and runs repeat the messages and results that were told in them.',
    covers: ['session:turn_end', 'session:agent_end'],
    scenarios: ['prompt', 'tool'],
    rules: ['agent-end-messages', 'turn-end-message', 'turn-end-results'],
  },
  'event-messages': {
    section: '19.2',
    sentence: 'Messages have what those of pi have: role, content in blocks, usage, a stop reason, a timestamp.',
    covers: ['session:message_start', 'session:message_end'],
    scenarios: ['prompt', 'tool'],
    rules: [
      ...['message-role', 'user-message', 'assistant-message', 'usage', 'stop-reason', 'stop-reason-known'],
      ...['stop-for-tools', 'tool-result-message', 'content-blocks', 'message-brackets', 'message-same'],
    ],
  },
  'event-blocks': {
    section: '19.2',
    sentence: 'Each block of a message is told as it grows: it starts, has deltas and ends, once, at its contentIndex.',
    covers: ['session:message_update'],
    scenarios: ['prompt', 'tool'],
    rules: [
      'update-event',
      'delta-string',
      'update-in-message',
      'block-order',
      'block-index',
      'blocks-end',
      'blocks-streamed',
      'update-message',
    ],
  },
  'event-deltas': {
    section: '19.2',
    sentence: 'The deltas of a block, joined, are what its end says, and what the whole message says at its place.',
    covers: ['session:message_update', 'session:message_end'],
    scenarios: ['prompt', 'tool'],
    rules: [
      'text-deltas',
      'thinking-deltas',
      'toolcall-deltas',
      'toolcall-end',
      'partial',
      'partial-same',
      'message-content',
    ],
  },
  'event-tools': {
    section: '19.3',
    sentence: 'The events of a tool name its call, and have its arguments and its result.',
    covers: ['session:tool_execution_start', 'session:tool_execution_update', 'session:tool_execution_end'],
    scenarios: ['tool'],
    rules: [
      ...['tool-start-fields', 'tool-update-fields', 'tool-end-fields', 'tool-end-name', 'tool-call-known'],
      ...['tool-result', 'tool-result-same'],
    ],
  },
  'event-compactions': {
    section: '19.4',
    sentence: 'A compaction that starts ends, and both say what those of pi say.',
    covers: ['session:auto_compaction_start', 'session:auto_compaction_end'],
    scenarios: ['compaction'],
    rules: ['compaction-brackets', 'compaction-reason', 'compaction-start-fields', 'compaction-end-fields'],
  },
  'event-retries': {
    section: '19.5',
    sentence: 'Retries have the fields of those of pi, and end.',
    covers: ['session:auto_retry_start', 'session:auto_retry_end'],
    scenarios: ['retry'],
    rules: ['retry-brackets', 'retry-start-fields', 'retry-end-fields'],
  },
};

/** Rules on what session events hold. */
export const piEventRows: ServerRows = Object.fromEntries(
  Object.entries(groups).map(([name, { rules, ...row }]): [string, ServerRows[string]] => [
    name,
    {
      ...row,
      isMeasured: true,
      *judge(view): Generator<Finding> {
        for (const { pi, frameOf } of piSessions(view)) {
          const found = rules.flatMap((rule) => [...(rulesOfPi.get(rule)?.judge(pi) ?? [])]);
          for (const { frame, wrong } of found) yield { frame: frameOf(frame), wrong };
        }
      },
    },
  ]),
);
