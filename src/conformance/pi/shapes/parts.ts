// Shapes that several messages of pi share.
import { fields, orNull, type PatternShape, type Shape } from '../../check/shape.ts';

/** A string that says something. */
export const word: PatternShape = { text: /./su, is: 'a word', like: 'word' };

/** JSON has null for the price of a model without prices. */
export const figure = orNull('number');

/** The blocks of messages and results. Unknown types of newer versions pass. */
export const block: Shape = {
  by: 'type',
  variants: {
    text: fields({ text: 'string' }),
    thinking: fields({ thinking: 'string' }),
    toolCall: fields({ id: 'string', name: 'string', arguments: 'object' }),
    image: fields({ data: 'string', mimeType: 'string' }),
  },
};

/** Which tool a call is of. */
export const call = { toolCallId: 'string', toolName: 'string' } as const;

/** The result of a compaction. */
export const compacted = { summary: 'string', firstKeptEntryId: 'string', tokensBefore: 'number' } as const;

/** Queue modes (docs/protocols/pi.md 10.4). */
export const modes = ['all', 'one-at-a-time'] as const;
/** Thinking levels (docs/protocols/pi.md 4.11). */
export const levels = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
