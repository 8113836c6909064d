// A session under the name that its client uses.
import type { SessionView } from '../core/contract/adapter/projection.ts';
import type { Transcript } from '../core/model/transcript.ts';

/** The view with that name as its id. */
export function viewAs(name: string, view: SessionView): SessionView {
  return name === view.id ? view : new NamedView(name, view);
}

/** A class because of its getter: V8 gives each object literal with a getter a dictionary of its own. */
class NamedView implements SessionView {
  readonly id: string;
  readonly epoch: string;
  readonly timeOrigin: number;
  readonly agent: SessionView['agent'];
  readonly place: string | undefined;
  readonly #view: SessionView;

  constructor(id: string, view: SessionView) {
    this.id = id;
    this.epoch = view.epoch;
    this.timeOrigin = view.timeOrigin;
    this.agent = view.agent;
    this.place = view.place;
    this.#view = view;
  }

  /** A getter because a snapshot's view changes its transcript between the history and the live events. */
  get transcript(): Transcript {
    return this.#view.transcript;
  }
}
