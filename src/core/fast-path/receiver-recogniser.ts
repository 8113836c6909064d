// Turns the `recognise` of a backend into the `recognise` of a channel's receiver: a callback gets the event of each
// accepted frame. The templates that match the bytes are in templates.ts.
import type { Backend, RecognisedEvent } from '../contract/adapter/backend.ts';
import type { Receiver, RecognisedFrame, Splice } from '../contract/channel.ts';

/**
 * One object for all frames of a channel: the hot path allocates none per frame. A class, so that its shape is fixed.
 */
class ReusedMatch implements RecognisedFrame {
  next = 0;
  ending: Uint8Array = new Uint8Array();
  splice: Splice | null = null;
  recognised: RecognisedEvent | null = null;
  readonly #take: (recognised: RecognisedEvent) => void;

  constructor(take: (recognised: RecognisedEvent) => void) {
    this.#take = take;
  }

  accept(): void {
    const { recognised } = this;
    if (recognised !== null) this.#take(recognised);
  }
}

/** Creates a recogniser. `take` gets each accepted frame, once the rest of the frame has proved the match right. */
export function createRecogniser(
  recognise: NonNullable<Backend['recognise']>,
  take: (recognised: RecognisedEvent) => void,
): NonNullable<Receiver['recognise']> {
  const match = new ReusedMatch(take);
  return (peek, start, end) => {
    const recognised = recognise(peek, start, end);
    match.recognised = recognised;
    if (recognised === null) return null;
    match.next = recognised.next;
    match.ending = recognised.ending;
    match.splice = recognised.splice;
    return match;
  };
}
