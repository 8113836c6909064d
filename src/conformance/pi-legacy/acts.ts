// What our agent of pi-legacy does with prompts, for clients to be judged by.
import { type Play, plays, type Scene } from '../pi/plays.ts';

/** All acts; those of both generations, and what only pi 0.13.2 says. */
export const acts: readonly Play<Scene>[] = [
  ...plays,
  {
    name: 'compaction',
    title: 'Answers, and compacts by itself when the run is over.',
    play: ({ speech }) => speech.answer([{ kind: 'text', pieces: ['That was ', 'much.'] }]),
  },
  {
    name: 'error',
    title: 'Says that there was an error, though nothing has ended.',
    play({ speech, say }) {
      say({ type: 'error', error: 'Auto-compaction failed: there was nothing to compact' });
      speech.answer([{ kind: 'text', pieces: ['On we ', 'go.'] }]);
    },
  },
];
