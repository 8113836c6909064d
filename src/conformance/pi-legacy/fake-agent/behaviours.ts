// What our agent of pi-legacy does with prompts, for clients to be judged by.
import {
  type ScriptedBehaviour,
  sharedBehaviours,
  type BehaviourContext,
} from '../../pi/fake-agent/shared-behaviours.ts';

/** All acts; those of both generations, and what only pi 0.13.2 says. */
export const behaviours: readonly ScriptedBehaviour<BehaviourContext>[] = [
  ...sharedBehaviours,
  {
    name: 'compaction',
    title: 'Answers, and compacts by itself when the run is over.',
    run: ({ writer }) => writer.answer([{ kind: 'text', pieces: ['That was ', 'much.'] }]),
  },
  {
    name: 'error',
    title: 'Says that there was an error, though nothing has ended.',
    run({ writer, send }) {
      send({ type: 'error', error: 'Auto-compaction failed: there was nothing to compact' });
      writer.answer([{ kind: 'text', pieces: ['On we ', 'go.'] }]);
    },
  },
];
