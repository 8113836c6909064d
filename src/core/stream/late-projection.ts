// A projection that is created with its first event: most sessions are only opened.
import type { Projection } from '../contract/adapter/projection.ts';

/** A projection that takes bursts where the created one does. `create` is called once, with the first event. */
export function lateProjection(create: () => Projection): Projection {
  let projection: Projection | null = null;
  return {
    event(logged) {
      projection ??= create();
      return projection.event(logged);
    },
    bursts: {
      takes: (burst) => projection?.bursts?.takes(burst) === true,
      write(burst, seq, from, to, at) {
        if (projection?.bursts === undefined) throw new Error('a burst that was not taken');
        return projection.bursts.write(burst, seq, from, to, at);
      },
    },
    notes: () => projection?.notes?.() ?? [],
  };
}
