// From what a backend recognises to where its events go, without an object for each frame. Knows no protocol.
import type { Backend, Recognised } from '../contract/adapter.ts';
import type { Glance, Receiver, Seam } from '../contract/channel.ts';

class OneGlance implements Glance {
  next = 0;
  ending: Uint8Array = new Uint8Array();
  seam: Seam | null = null;
  recognised: Recognised | null = null;
  readonly #take: (recognised: Recognised) => void;

  constructor(take: (recognised: Recognised) => void) {
    this.#take = take;
  }

  accept(): void {
    const { recognised } = this;
    if (recognised !== null) this.#take(recognised);
  }
}

/** `take` gets what turned out to be right, and accepts it. */
export function createGlances(
  look: NonNullable<Backend['glance']>,
  take: (recognised: Recognised) => void,
): NonNullable<Receiver['glance']> {
  const glance = new OneGlance(take);
  return (glimpse, start, end) => {
    const recognised = look(glimpse, start, end);
    glance.recognised = recognised;
    if (recognised === null) return null;
    glance.next = recognised.next;
    glance.ending = recognised.ending;
    glance.seam = recognised.seam;
    return glance;
  };
}
