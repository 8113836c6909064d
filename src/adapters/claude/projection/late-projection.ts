// The projection of a session that may never say anything.
import type { NoteLevel } from '../../../core/contract/adapter/action.ts';
import type { BurstProjection, Projection, SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Out } from '../../../core/contract/channel.ts';
import type { Logged } from '../../../core/model/event.ts';
import { type ProjectionOptions, startProjection } from './projection.ts';

/**
 * One projection of one session, shared by all clients of the dialect. Created with the first event: it would be a
 * fifth of the memory of a session without events.
 */
export function createProjection(session: SessionView, options: ProjectionOptions): Projection {
  return new LateProjection(session, options);
}

/** A class, because of its getter: V8 gives each object literal with a getter a dictionary of its own. */
class LateProjection implements Projection {
  readonly #session: SessionView;
  readonly #options: ProjectionOptions;
  #projection: Projection | null = null;

  constructor(session: SessionView, options: ProjectionOptions) {
    this.#session = session;
    this.#options = options;
  }

  get bursts(): BurstProjection | undefined {
    return this.#projection?.bursts;
  }

  event(logged: Logged): readonly Out[] {
    this.#projection ??= startProjection(this.#session, this.#options);
    return this.#projection.event(logged);
  }

  notes(): readonly { level: NoteLevel; text: string }[] {
    return this.#projection?.notes?.() ?? [];
  }
}
