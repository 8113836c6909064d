// The plans of agents, for projections whose dialect has no shape for a plan.
import type { EventOf } from '../../model/event.ts';

/** Decides whether a plan is a loss. */
export interface UnshownPlans {
  /** True for the first plan that no tool call says as well. The later ones tell nothing new about the loss. */
  loses(event: EventOf<'plan-changed'>): boolean;
}

export function createUnshownPlans(): UnshownPlans {
  let isTold = false;
  return {
    loses({ call }) {
      const isFirst = call === undefined && !isTold;
      isTold ||= isFirst;
      return isFirst;
    },
  };
}
