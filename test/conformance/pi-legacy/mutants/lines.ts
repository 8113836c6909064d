// Broken agents of pi-legacy: single lines and messages.
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import type { Mutant } from '../../support/mutant.ts';
import { everywhere, less, of } from './frames.ts';

export const lineMutants: readonly Mutant[] = [
  {
    fault: 'says what is no JSON',
    caughtBy: ['json-lines'],
    make: () => ({
      out(frame, link) {
        if (frame.type === 'agent_start') link.say('pi is ready');
        return [frame];
      },
    }),
  },
  {
    fault: 'does not say how much was compacted',
    caughtBy: ['compaction-fields'],
    make: of('compaction', (frame) => less(frame, 'tokensBefore')),
  },
  {
    fault: 'says no to auto',
    caughtBy: ['compaction-fields'],
    alsoCaughtBy: ['compaction-manual'],
    make: of('compaction', (frame) => (frame.auto === undefined ? { ...frame, auto: false } : frame)),
  },
  {
    fault: 'adds a dollar',
    caughtBy: ['cost-adds-up'],
    make: everywhere('assistant', (message) => {
      const usage = dictionaryOf(message.usage);
      const cost = dictionaryOf(usage.cost);
      return { ...message, usage: { ...usage, cost: { ...cost, total: Number(cost.total) + 1 } } };
    }),
  },
  {
    fault: 'stops for tools that it does not call',
    caughtBy: ['tool-use-has-calls'],
    make: everywhere('assistant', (message) => ({
      ...message,
      stopReason: message.stopReason === 'stop' ? 'toolUse' : message.stopReason,
    })),
  },
  {
    fault: 'counts in seconds',
    caughtBy: ['timestamps'],
    make: everywhere('user', (message) => ({ ...message, timestamp: Number(message.timestamp) / 1000 })),
  },
];
