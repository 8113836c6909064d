// Broken clients of pi-legacy, each made from our own one.

import { probe } from '../../../src/conformance/pi/fake-agent/shared-behaviours.ts';
import type { Dictionary } from '../../../src/core/model/content.ts';
import { isDictionary } from '../../../src/core/model/dictionary.ts';
import { changesSent, disconnectsOn, sendsGarbage } from '../support/client-mutant.ts';
import type { Mutant } from '../support/mutant.ts';

const files = (change: (file: Dictionary) => Dictionary) =>
  changesSent('prompt', (frame) =>
    Array.isArray(frame.attachments)
      ? { ...frame, attachments: frame.attachments.filter(isDictionary).map(change) }
      : frame,
  );
/** In a run of all behaviours the mutant disconnects on each of them. */
const survivals = ['survives-events', 'survives-fields', 'survives-separators', 'survives-long-lines'];
const flees = disconnectsOn(probe);

export const clientMutants: readonly Mutant[] = [
  {
    fault: 'says what is no JSON',
    caughtBy: ['json-lines'],
    make: sendsGarbage('hello'),
  },
  {
    fault: 'does not escape separators',
    caughtBy: ['separators-escaped'],
    make: changesSent('prompt', (frame) => ({ ...frame, message: `${String(frame.message)}\u2028` })),
  },
  {
    fault: 'attaches URLs',
    caughtBy: ['attachment-base64'],
    make: files((file) => ({ ...file, content: `data:image/png;base64,${String(file.content)}` })),
  },
  {
    fault: 'prompts twice',
    caughtBy: ['one-prompt-at-a-time'],
    // The mutant disconnects during its second prompt.
    alsoCaughtBy: survivals,
    make: () => ({ out: (frame) => (frame.type === 'prompt' ? [frame, frame] : [frame]) }),
  },
  {
    fault: 'compacts in the middle of a run',
    caughtBy: ['compact-when-idle'],
    make: () => ({
      in(frame, link) {
        if (frame.type === 'agent_start') link.toClient({ type: 'compact' });
        return [frame];
      },
    }),
  },
  { fault: 'flees from new lines', caughtBy: ['survives-events'], alsoCaughtBy: survivals, make: flees },
  { fault: 'flees from new fields', caughtBy: ['survives-fields'], alsoCaughtBy: survivals, make: flees },
  { fault: 'flees from separators', caughtBy: ['survives-separators'], alsoCaughtBy: survivals, make: flees },
  { fault: 'flees from long lines', caughtBy: ['survives-long-lines'], alsoCaughtBy: survivals, make: flees },
];
