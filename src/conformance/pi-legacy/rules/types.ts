// Rules on what messages say beyond their shape (docs/protocols/pi-legacy.md 4), at the start and the end of each message.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { misfit } from '../../check/shape.ts';
import { usage } from '../shapes/agents.ts';
import { messagesIn } from '../shapes/places.ts';
import { contentOf } from '../view/blocks.ts';
import { type LegacyRows, talks } from './legacy-rows.ts';

const costNames = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
const numberAt = (value: unknown) => (typeof value === 'number' ? value : 0);
const timed: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult']);
/** 2001-01-01 in ms; a smaller timestamp was counted in seconds. */
const early = 978_307_200_000;

export const typeRows: LegacyRows = {
  'cost-adds-up': {
    section: 'Usage',
    level: 'SHOULD',
    sentence: 'The total cost of a complete answer is the sum of its parts.',
    covers: [],
    scenarios: talks,
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
  'tool-use-has-calls': {
    section: 'StopReason',
    level: 'SHOULD',
    sentence: 'An answer that ends for `toolUse` holds a tool call.',
    scenarios: ['tools'],
    covers: [],
    *judge(view) {
      for (const { frame, message, isEnd } of messagesIn(view, 'assistant')) {
        if (!isEnd || message.stopReason !== 'toolUse') continue;
        const hasCall = contentOf(message).some((block) => dictionaryOf(block).type === 'toolCall');
        yield { frame, wrong: hasCall ? null : 'no tool call in it' };
      }
    },
  },
  timestamps: {
    section: 'Message Types',
    sentence: 'Messages of the three roles carry their time, in ms since 1970.',
    covers: [],
    scenarios: talks,
    *judge(view) {
      for (const { frame, message } of messagesIn(view)) {
        if (!timed.has(message.role)) continue;
        const { timestamp } = message;
        const isFine = typeof timestamp === 'number' && timestamp > early;
        yield { frame, wrong: isFine ? null : `timestamp is ${JSON.stringify(timestamp)}` };
      }
    },
  },
};
