// What one client is sent next: answers to it alone, each at its place among what its sessions say, and what those say, one
// after the other. Knows no protocol and no channel.
import type { SubscriptionRequest } from '../contract/adapter.ts';
import type { Out } from '../contract/channel.ts';
import type { Entry, Reader } from '../contract/reader.ts';
import { sizeOf } from '../stream/placed-frame.ts';

/** A session that a client hears. */
export interface Subscription {
  /** Null: the one that the connection belongs to, and ends with. */
  readonly session: string | null;
  readonly reader: Reader;
  /** How the client wants to hear it; null for the one of its connection. */
  readonly request: SubscriptionRequest | null;
  /** The client does not hear it any more: what it has still to say is not for this client. */
  readonly isOver: boolean;
}

/** The next step: an answer, or entries of one session. */
export type SendStep =
  | { readonly answer: Out }
  | { readonly subscription: Subscription; readonly entries: readonly Entry[] };

/** Of one client. */
export interface SendScheduler {
  /** From now on it hears that session; what was answered before goes first. */
  subscribe(session: string | null, reader: Reader, request: SubscriptionRequest | null): void;
  /** The session of that id, if it is subscription. */
  subscriptionTo(session: string): Subscription | undefined;
  /** Gives up the place in its stream. */
  unsubscribe(subscription: Subscription): void;
  unsubscribeAll(): void;
  /** An answer to this client alone: behind what its sessions have said by now, and before what they say later. */
  answer(out: Out): void;
  /** Bytes of the answers that wait. */
  readonly answerBytes: number;
  /** The answers that wait, which then wait no more. */
  takeAnswers(): readonly Out[];
  /** At most about `maxBytes` of one session, or one answer; null when there is nothing. */
  next(maxBytes: number): SendStep | null;
}

interface ActiveSubscription extends Subscription {
  isOver: boolean;
}

/** An answer with its place in each session, as long as that has something to say before it. */
interface Answer {
  readonly out: Out;
  readonly places: { readonly subscription: ActiveSubscription; readonly until: number }[];
}

/** A class, for every connection has one: its functions would weigh as much as an idle session's client. */
class ClientSendScheduler implements SendScheduler {
  /** Copied when it changes: what is told of one session may lead to another. */
  #subscriptions: readonly ActiveSubscription[] = [];
  /** Where the next round begins: a session that says more than the client can read must not drown the others. */
  #first = 0;
  readonly #answers: Answer[] = [];
  #answerBytes = 0;

  get answerBytes(): number {
    return this.#answerBytes;
  }

  subscribe(session: string | null, reader: Reader, request: SubscriptionRequest | null): void {
    this.#subscriptions = [...this.#subscriptions, { session, reader, request, isOver: false }];
  }

  subscriptionTo(session: string): Subscription | undefined {
    return this.#subscriptions.find((subscription) => subscription.session === session);
  }

  unsubscribe(wanted: Subscription): void {
    const subscription = this.#subscriptions.find((other) => other === wanted);
    if (subscription === undefined) return;
    subscription.isOver = true;
    this.#subscriptions = this.#subscriptions.filter((other) => other !== subscription);
    subscription.reader.close();
  }

  unsubscribeAll(): void {
    for (const subscription of this.#subscriptions) this.unsubscribe(subscription);
  }

  answer(out: Out): void {
    const places = this.#subscriptions.map((subscription) => ({ subscription, until: subscription.reader.mark() }));
    this.#answers.push({ out, places });
    this.#answerBytes += sizeOf(out);
  }

  takeAnswers(): readonly Out[] {
    this.#answerBytes = 0;
    return this.#answers.splice(0).map(({ out }) => out);
  }

  next(maxBytes: number): SendStep | null {
    const [answer] = this.#answers;
    if (answer === undefined) return this.#nextOfAny(maxBytes);
    const before = nextBefore(answer, maxBytes);
    if (before !== null) return before;
    this.#answers.shift();
    this.#answerBytes -= sizeOf(answer.out);
    return { answer: answer.out };
  }

  #nextOfAny(maxBytes: number): SendStep | null {
    const all = this.#subscriptions;
    for (let step = 0; step < all.length; step += 1) {
      const at = (this.#first + step) % all.length;
      const subscription = all[at];
      const entries = subscription?.reader.read(maxBytes) ?? [];
      if (subscription === undefined || entries.length === 0) continue;
      this.#first = at + 1;
      return { subscription, entries };
    }
    return null;
  }
}

/** Who came after the answer speaks after it. */
function nextBefore({ places }: Answer, maxBytes: number): SendStep | null {
  for (let place = places[0]; place !== undefined; place = places[0]) {
    const { subscription, until } = place;
    const entries = subscription.isOver ? [] : subscription.reader.read(maxBytes, until);
    if (entries.length > 0) return { subscription, entries };
    places.shift();
  }
  return null;
}

/** Nothing is subscription yet. */
export function createSendScheduler(): SendScheduler {
  return new ClientSendScheduler();
}
