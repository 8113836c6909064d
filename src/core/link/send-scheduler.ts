// What one client is sent next: answers to it alone, each at its place among what its sessions say, and what those say, one
// after the other. Knows no protocol and no channel.
import type { Watch } from '../contract/adapter.ts';
import type { Out } from '../contract/channel.ts';
import type { Entry, Reader } from '../contract/reader.ts';
import { sizeOf } from '../stream/window.ts';

/** A session that a client hears. */
export interface Heard {
  /** Null: the one that the connection belongs to, and ends with. */
  readonly session: string | null;
  readonly reader: Reader;
  /** How the client wants to hear it; null for the one of its connection. */
  readonly wish: Watch | null;
  /** The client does not hear it any more: what it has still to say is not for this client. */
  readonly isOver: boolean;
}

/** The next step: an answer, or entries of one session. */
export type Step = { readonly answer: Out } | { readonly heard: Heard; readonly entries: readonly Entry[] };

/** Of one client. */
export interface Agenda {
  /** From now on it hears that session; what was answered before goes first. */
  hear(session: string | null, reader: Reader, wish: Watch | null): void;
  /** The session of that id, if it is heard. */
  find(session: string): Heard | undefined;
  /** Gives up the place in its stream. */
  forget(heard: Heard): void;
  forgetAll(): void;
  /** An answer to this client alone: behind what its sessions have said by now, and before what they say later. */
  answer(out: Out): void;
  /** Bytes of the answers that wait. */
  readonly answerBytes: number;
  /** The answers that wait, which then wait no more. */
  takeAnswers(): readonly Out[];
  /** At most about `maxBytes` of one session, or one answer; null when there is nothing. */
  next(maxBytes: number): Step | null;
}

interface Listening extends Heard {
  isOver: boolean;
}

/** An answer with its place in each session, as long as that has something to say before it. */
interface Answer {
  readonly out: Out;
  readonly places: { readonly heard: Listening; readonly until: number }[];
}

/** A class, for every connection has one: its functions would weigh as much as an idle session's client. */
class ClientAgenda implements Agenda {
  /** Copied when it changes: what is told of one session may lead to another. */
  #hearing: readonly Listening[] = [];
  /** Where the next round begins: a session that says more than the client can read must not drown the others. */
  #first = 0;
  readonly #answers: Answer[] = [];
  #answerBytes = 0;

  get answerBytes(): number {
    return this.#answerBytes;
  }

  hear(session: string | null, reader: Reader, wish: Watch | null): void {
    this.#hearing = [...this.#hearing, { session, reader, wish, isOver: false }];
  }

  find(session: string): Heard | undefined {
    return this.#hearing.find((heard) => heard.session === session);
  }

  forget(wanted: Heard): void {
    const heard = this.#hearing.find((other) => other === wanted);
    if (heard === undefined) return;
    heard.isOver = true;
    this.#hearing = this.#hearing.filter((other) => other !== heard);
    heard.reader.close();
  }

  forgetAll(): void {
    for (const heard of this.#hearing) this.forget(heard);
  }

  answer(out: Out): void {
    const places = this.#hearing.map((heard) => ({ heard, until: heard.reader.mark() }));
    this.#answers.push({ out, places });
    this.#answerBytes += sizeOf(out);
  }

  takeAnswers(): readonly Out[] {
    this.#answerBytes = 0;
    return this.#answers.splice(0).map(({ out }) => out);
  }

  next(maxBytes: number): Step | null {
    const [answer] = this.#answers;
    if (answer === undefined) return this.#nextOfAny(maxBytes);
    const before = nextBefore(answer, maxBytes);
    if (before !== null) return before;
    this.#answers.shift();
    this.#answerBytes -= sizeOf(answer.out);
    return { answer: answer.out };
  }

  #nextOfAny(maxBytes: number): Step | null {
    const all = this.#hearing;
    for (let step = 0; step < all.length; step += 1) {
      const at = (this.#first + step) % all.length;
      const heard = all[at];
      const entries = heard?.reader.read(maxBytes) ?? [];
      if (heard === undefined || entries.length === 0) continue;
      this.#first = at + 1;
      return { heard, entries };
    }
    return null;
  }
}

/** Who came after the answer speaks after it. */
function nextBefore({ places }: Answer, maxBytes: number): Step | null {
  for (let place = places[0]; place !== undefined; place = places[0]) {
    const { heard, until } = place;
    const entries = heard.isOver ? [] : heard.reader.read(maxBytes, until);
    if (entries.length > 0) return { heard, entries };
    places.shift();
  }
  return null;
}

/** Nothing is heard yet. */
export function createAgenda(): Agenda {
  return new ClientAgenda();
}
