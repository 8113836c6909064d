// Rules on the types of messages and their parts (docs/protocols/pi-legacy.md 4), at the start and the end of each
// message. Other rules compare repetitions with these.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Finding } from '../../check/rule.ts';
import { fields, misfit } from '../../check/shape.ts';
import { contentOfRole, contents, messages, stopReasons, usage } from '../shapes.ts';
import { contentOf } from '../view/blocks.ts';
import type { View } from '../view/parts.ts';
import { type LegacyRule, rulesOf } from './legacy-rule.ts';

interface Seen {
  readonly frame: number;
  readonly message: Dictionary;
  readonly isEnd: boolean;
}

/** Every message, up to the frame that spoils the session. */
function* messagesIn({ agent, spoiledFrom }: View, role?: string): Generator<Seen> {
  for (const { frame, type, json } of agent) {
    if (type !== 'message_start' && type !== 'message_end') continue;
    const message = dictionaryOf(json.message);
    if (role !== undefined && message.role !== role) continue;
    if (message.role === 'user' && frame > spoiledFrom) continue;
    yield { frame, message, isEnd: type === 'message_end' };
  }
}

function* judgeMessages(view: View, role: string, wrongWith: (seen: Seen) => string | null): Generator<Finding> {
  for (const seen of messagesIn(view, role)) yield { frame: seen.frame, wrong: wrongWith(seen) };
}

/** The fields that an unfinished answer lacks; null if the answer lacks none. */
const unlikeAnswer = (message: unknown, name: string): string | null =>
  misfit(message, messages.get('assistant') ?? 'object', name) ??
  misfit(message, fields({ usage, timestamp: 'number' }), name);

const fieldsOf = (role: string, section: string, scenarios: readonly string[]): LegacyRule => ({
  name: `${role.replace('R', '-r')}-message`,
  section,
  sentence: `Each message of role \`${role}\` has the fields of its type.`,
  scenarios,
  judge: (view) =>
    judgeMessages(view, role, ({ message }) => misfit(message, messages.get(role) ?? 'object', 'message')),
});

/** Every block of this type. */
const blocksOf = (type: string, section: string, scenarios: readonly string[]): LegacyRule => ({
  name: `${type.replace('C', '-c')}-content`,
  section,
  sentence: `Each block of type \`${type}\` has the fields of its type.`,
  covers: [`content:${type}`],
  scenarios,
  *judge(view) {
    for (const { frame, message } of messagesIn(view)) {
      for (const block of contentOf(message)) {
        if (dictionaryOf(block).type === type)
          yield { frame, wrong: misfit(block, contents.get(type) ?? 'object', `content of type ${type}`) };
      }
    }
  },
});

const costNames = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
const numberAt = (value: unknown) => (typeof value === 'number' ? value : 0);
/** 2001-01-01 in ms; a smaller timestamp was counted in seconds. */
const early = 978_307_200_000;

export const typeRules = rulesOf('', [
  fieldsOf('user', 'UserMessage', ['talk']),
  fieldsOf('assistant', 'AssistantMessage', ['talk']),
  fieldsOf('toolResult', 'ToolResultMessage', ['tools']),
  {
    name: 'update-message',
    section: 'message_update',
    level: 'SHOULD',
    measured: true,
    sentence: 'The message of an update, and the `partial` in it, have all fields of an answer.',
    covers: ['event:message_update'],
    *judge({ agent }) {
      for (const { frame, type, json } of agent) {
        if (type !== 'message_update') continue;
        const { partial } = dictionaryOf(json.assistantMessageEvent);
        yield { frame, wrong: unlikeAnswer(json.message, 'message') ?? unlikeAnswer(partial, 'partial') };
      }
    },
  },
  {
    name: 'known-content',
    section: 'Content Types',
    sentence: 'Messages hold blocks of the types that those of their role can hold.',
    scenarios: ['talk', 'tools', 'attachments'],
    *judge(view) {
      for (const { frame, message } of messagesIn(view)) {
        const known = contentOfRole.get(String(message.role));
        if (known === undefined) continue;
        const strange = contentOf(message).find((block) => !known.includes(String(dictionaryOf(block).type)));
        const wrong =
          strange === undefined ? null : `${JSON.stringify(strange).slice(0, 80)} in a ${String(message.role)} message`;
        yield { frame, wrong };
      }
    },
  },
  blocksOf('text', 'TextContent', ['talk']),
  blocksOf('thinking', 'ThinkingContent', ['thinking']),
  blocksOf('image', 'ImageContent', ['attachments']),
  blocksOf('toolCall', 'ToolCall', ['tools']),
  {
    name: 'usage',
    section: 'Usage',
    sentence: 'The usage of each answer counts tokens and cost in all their parts.',
    judge: (view) => judgeMessages(view, 'assistant', ({ message }) => misfit(message.usage, usage, 'usage')),
  },
  {
    name: 'cost-adds-up',
    section: 'Usage',
    level: 'SHOULD',
    sentence: 'The total cost of a complete answer is the sum of its parts.',
    *judge(view) {
      for (const { frame, message, isEnd } of messagesIn(view, 'assistant')) {
        if (!isEnd || misfit(message.usage, usage) !== null) continue;
        const cost = dictionaryOf(dictionaryOf(message.usage).cost);
        const sum = costNames.reduce((total, name) => total + numberAt(cost[name]), 0);
        const isSame = Math.abs(sum - numberAt(cost.total)) <= 1e-9 * Math.max(1, sum);
        yield { frame, wrong: isSame ? null : `the parts cost ${sum}, the total is ${String(cost.total)}` };
      }
    },
  },
  {
    name: 'stop-reason',
    section: 'StopReason',
    sentence: 'The stop reason of each answer is one of the five.',
    judge: (view) =>
      judgeMessages(view, 'assistant', ({ message }) =>
        stopReasons.includes(message.stopReason) ? null : `stopReason is ${JSON.stringify(message.stopReason)}`,
      ),
  },
  {
    name: 'tool-use-has-calls',
    section: 'StopReason',
    level: 'SHOULD',
    sentence: 'An answer that ends for `toolUse` holds a tool call.',
    scenarios: ['tools'],
    *judge(view) {
      for (const { frame, message, isEnd } of messagesIn(view, 'assistant')) {
        if (!isEnd || message.stopReason !== 'toolUse') continue;
        const hasCall = contentOf(message).some((block) => dictionaryOf(block).type === 'toolCall');
        yield { frame, wrong: hasCall ? null : 'no tool call in it' };
      }
    },
  },
  {
    name: 'error-message',
    section: 'AssistantMessage',
    level: 'SHOULD',
    measured: true,
    sentence: 'An answer that ended in an error says why in `errorMessage`.',
    scenarios: ['fail'],
    *judge(view) {
      for (const { frame, message, isEnd } of messagesIn(view, 'assistant')) {
        if (!isEnd || message.stopReason !== 'error') continue;
        const hasReason = typeof message.errorMessage === 'string' && message.errorMessage !== '';
        yield { frame, wrong: hasReason ? null : 'there is no errorMessage' };
      }
    },
  },
  {
    name: 'timestamps',
    section: 'Message Types',
    sentence: 'Messages of the three roles carry their time, in ms since 1970.',
    *judge(view) {
      for (const { frame, message } of messagesIn(view)) {
        if (!messages.has(String(message.role))) continue;
        const { timestamp } = message;
        const isFine = typeof timestamp === 'number' && timestamp > early;
        yield { frame, wrong: isFine ? null : `timestamp is ${JSON.stringify(timestamp)}` };
      }
    },
  },
  {
    name: 'message-roles',
    section: 'AppMessage',
    sentence: 'Each message has a role.',
    *judge({ agent }) {
      for (const { frame, type, json } of agent) {
        if (type !== 'agent_end' || !Array.isArray(json.messages)) continue;
        const bare = json.messages.find((message: unknown) => typeof dictionaryOf(message).role !== 'string');
        yield {
          frame,
          wrong: bare === undefined ? null : `a message without a role: ${JSON.stringify(bare).slice(0, 80)}`,
        };
      }
    },
  },
]);
