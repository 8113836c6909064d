// Broken clients of pi-legacy. Each is our own one with somebody between it and our agent.
import type { Dictionary } from '../../../src/core/model/content.ts';
import { isDictionary } from '../../../src/core/model/dictionary.ts';
import { probe } from '../../../src/conformance/pi/plays.ts';
import type { Double } from '../support/double.ts';
import { babbling, before, fleeing, less, sending } from '../support/client-double.ts';

const files = (change: (file: Dictionary) => Dictionary) =>
  sending('prompt', (frame) =>
    Array.isArray(frame.attachments)
      ? { ...frame, attachments: frame.attachments.filter(isDictionary).map(change) }
      : frame,
  );
/** In a run of all acts it flees from all of them. */
const survivals = ['survives-events', 'survives-fields', 'survives-separators', 'survives-long-lines'];
const flees = fleeing(probe);

export const clientDoubles: readonly Double[] = [
  {
    fault: 'says what is no JSON',
    caught: ['json-lines'],
    make: babbling('hello'),
  },
  {
    fault: 'does not escape separators',
    caught: ['separators-escaped'],
    make: sending('prompt', (frame) => ({ ...frame, message: `${String(frame.message)}\u2028` })),
  },
  {
    fault: 'speaks the words of a newer version',
    caught: ['known-commands'],
    make: before('prompt', { type: 'get_state', id: 'a' }),
  },
  {
    fault: 'prompts with a number',
    caught: ['prompt-message'],
    make: before('prompt', { type: 'prompt', message: 7 }),
  },
  { fault: 'prompts with nothing', caught: ['prompt-words'], make: before('prompt', { type: 'prompt', message: '' }) },
  {
    fault: 'attaches a word',
    caught: ['attachments-list'],
    make: sending('prompt', (frame) => ({ ...frame, attachments: 'none' })),
  },
  {
    fault: 'does not name its attachments',
    caught: ['attachment-fields'],
    make: files((file) => less(file, 'fileName')),
  },
  { fault: 'attaches sounds', caught: ['attachment-type'], make: files((file) => ({ ...file, type: 'sound' })) },
  {
    fault: 'attaches URLs',
    caught: ['attachment-base64'],
    make: files((file) => ({ ...file, content: `data:image/png;base64,${String(file.content)}` })),
  },
  {
    fault: 'attaches documents without their text',
    caught: ['document-text'],
    make: files((file) => less(file, 'extractedText')),
  },
  {
    fault: 'asks for a compaction with a number',
    caught: ['compact-fields'],
    make: sending('compact', (frame) => ({ ...frame, customInstructions: 7 })),
  },
  {
    fault: 'prompts twice',
    caught: ['one-prompt-at-a-time'],
    // It leaves while its second prompt is at work.
    kin: survivals,
    make: () => ({ out: (frame) => (frame.type === 'prompt' ? [frame, frame] : [frame]) }),
  },
  {
    fault: 'compacts in the middle of a run',
    caught: ['compact-when-idle'],
    make: () => ({
      in(frame, link) {
        if (frame.type === 'agent_start') link.toClient({ type: 'compact' });
        return [frame];
      },
    }),
  },
  { fault: 'flees from new lines', caught: ['survives-events'], kin: survivals, make: flees },
  { fault: 'flees from new fields', caught: ['survives-fields'], kin: survivals, make: flees },
  { fault: 'flees from separators', caught: ['survives-separators'], kin: survivals, make: flees },
  { fault: 'flees from long lines', caught: ['survives-long-lines'], kin: survivals, make: flees },
];
