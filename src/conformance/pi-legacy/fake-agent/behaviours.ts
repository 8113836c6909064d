// The behaviours of our fake pi-legacy agent.
import {
  type BehaviourContext,
  type ScriptedBehaviour,
  sharedBehaviours,
} from '../../pi/fake-agent/shared-behaviours.ts';

/** All behaviours: those that both generations share, and those of pi 0.13.2 alone. */
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
