// From what a backend recognises to where its events go, without an object for each frame. Knows no protocol.
import type { Backend, RecognisedEvent } from '../contract/adapter.ts';
import type { RecognisedFrame, Receiver, Splice } from '../contract/channel.ts';

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

/** `take` gets what turned out to be right, and accepts it. */
export function createRecogniser(
  look: NonNullable<Backend['recognise']>,
  take: (recognised: RecognisedEvent) => void,
): NonNullable<Receiver['recognise']> {
  const match = new ReusedMatch(take);
  return (peek, start, end) => {
    const recognised = look(peek, start, end);
    match.recognised = recognised;
    if (recognised === null) return null;
    match.next = recognised.next;
    match.ending = recognised.ending;
    match.splice = recognised.splice;
    return match;
  };
}
