// Decides which frame a client gets next: replies to that client, in order with the frames of its sessions, and the
// frames of its sessions in turn.
import type { SubscriptionRequest } from '../contract/adapter/action.ts';
import type { Out } from '../contract/channel.ts';
import type { Entry, Reader } from '../contract/reader.ts';
import { frameStart, type StretchPart } from '../contract/stretch.ts';
import { sizeOf } from '../contract/traffic.ts';

/** A session whose frames a client gets. */
export interface Subscription {
  /** Null: the session that the connection belongs to, and ends with. */
  readonly session: string | null;
  readonly reader: Reader;
  /** What the client asked for; null for the session of its connection. */
  readonly request: SubscriptionRequest | null;
  /** The client has unsubscribed: frames that are still to be sent are not for it. */
  readonly isOver: boolean;
}

/** The next thing to send: an answer, entries of one session, or frames of one session in stretches, at least one. */
export type SendStep =
  | { readonly answer: Out }
  | { readonly subscription: Subscription; readonly parts: readonly StretchPart[] }
  | { readonly subscription: Subscription; readonly entries: readonly Entry[] };

/** The sending order of one client. */
export interface SendScheduler {
  /** Adds a session. Answers given before go first. */
  subscribe(session: string | null, reader: Reader, request: SubscriptionRequest | null): void;
  /** The subscription to the session of that id, if there is one. */
  subscriptionTo(session: string): Subscription | undefined;
  /**
   * Closes the subscription's reader, then calls `ended`; `isDrained`: as soon as all is sent that the session has said by
   * now.
   */
  unsubscribe(subscription: Subscription, isDrained?: boolean, ended?: () => void): void;
  unsubscribeAll(): void;
  /** Adds an answer to this client alone: behind what its sessions have said by now, before what they say later. */
  answer(out: Out): void;
  /** Bytes of the answers that wait to be sent. */
  readonly answerBytes: number;
  /** Removes and returns the answers that wait. */
  takeAnswers(): readonly Out[];
  /** A session is still making what comes next: nothing to send does not mean that all is sent. */
  readonly isPreparing: boolean;
  /**
   * One answer, or at most about `maxBytes` of one session; null when there is nothing to send. `takesStretches`: whether
   * frames may come as a part of a stretch.
   */
  next(maxBytes: number, takesStretches: boolean): SendStep | null;
}

interface ActiveSubscription extends Subscription {
  isOver: boolean;
  /** Called when the reader is closed. */
  ended?: (() => void) | undefined;
}

interface Place {
  readonly subscription: ActiveSubscription;
  readonly until: number;
}

/** An answer, with its place in each session of which frames go before it. */
interface Answer {
  readonly out: Out;
  readonly places: Place[];
}

/** The end of a subscription, with its place among the answers. */
interface Ending {
  readonly ends: ActiveSubscription;
  readonly places: Place[];
}

/** A class: each connection has one. As closures, its functions would weigh as much as the rest of an idle client. */
class ClientSendScheduler implements SendScheduler {
  /** Replaced, never changed: sending frames of one session may subscribe to another. */
  #subscriptions: readonly ActiveSubscription[] = [];
  /** Index of the session that is asked first: one session that says too much must not starve the others. */
  #first = 0;
  readonly #answers: (Answer | Ending)[] = [];
  #answerBytes = 0;

  get answerBytes(): number {
    return this.#answerBytes;
  }

  subscribe(session: string | null, reader: Reader, request: SubscriptionRequest | null): void {
    // A spread would leave room for sixteen more.
    this.#subscriptions = this.#subscriptions.concat({ session, reader, request, isOver: false });
  }

  subscriptionTo(session: string): Subscription | undefined {
    return this.#subscriptions.find((subscription) => subscription.session === session);
  }

  unsubscribe(subscription: Subscription, isDrained = false, ended?: () => void): void {
    const active = this.#subscriptions.find((other) => other === subscription);
    if (active === undefined) return;
    active.ended = ended;
    this.#subscriptions = this.#subscriptions.filter((other) => other !== active);
    if (!isDrained) return endOf(active);
    const places = [{ subscription: active, until: active.reader.mark() }];
    this.#answers.push({ ends: active, places });
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
    return this.#answers.splice(0).flatMap((answer) => {
      if ('out' in answer) return [answer.out];
      endOf(answer.ends);
      return [];
    });
  }

  get isPreparing(): boolean {
    return this.#subscriptions.some(({ reader }) => reader.isPreparing === true);
  }

  next(maxBytes: number, takesStretches: boolean): SendStep | null {
    const [answer] = this.#answers;
    if (answer === undefined) return this.#nextOfAny(maxBytes, takesStretches);
    const before = nextBefore(answer, maxBytes, takesStretches);
    if (before === 'wait') return null;
    if (before !== null) return before;
    this.#answers.shift();
    if ('ends' in answer) {
      endOf(answer.ends);
      return this.next(maxBytes, takesStretches);
    }
    this.#answerBytes -= sizeOf(answer.out);
    return { answer: answer.out };
  }

  #nextOfAny(maxBytes: number, takesStretches: boolean): SendStep | null {
    const all = this.#subscriptions;
    for (let turn = 0; turn < all.length; turn += 1) {
      const index = (this.#first + turn) % all.length;
      const subscription = all[index];
      const step = subscription === undefined ? null : nextOf(subscription, maxBytes, takesStretches);
      if (step === null) continue;
      this.#first = index + 1;
      return step;
    }
    return null;
  }
}

function endOf(subscription: ActiveSubscription): void {
  subscription.isOver = true;
  subscription.reader.close();
  subscription.ended?.();
}

/** What goes before the answer, `wait` while that is being made; a session that was subscribed to later has no place there. */
function nextBefore(
  { places }: Pick<Answer, 'places'>,
  maxBytes: number,
  takesStretches: boolean,
): SendStep | 'wait' | null {
  for (let place = places[0]; place !== undefined; place = places[0]) {
    const { subscription, until } = place;
    const step = subscription.isOver ? null : nextOf(subscription, maxBytes, takesStretches, until);
    if (step !== null) return step;
    if (!subscription.isOver && subscription.reader.isPreparing === true) return 'wait';
    places.shift();
  }
  return null;
}

function nextOf(
  subscription: Subscription,
  maxBytes: number,
  takesStretches: boolean,
  until?: number,
): SendStep | null {
  const { reader } = subscription;
  const parts = takesStretches ? readStretches(reader, maxBytes, until) : [];
  if (parts.length > 0) return { subscription, parts };
  const entries = reader.read(maxBytes, until, takesStretches);
  return entries.length === 0 ? null : { subscription, entries };
}

/** Stretches that come one behind the other become one write. */
function readStretches(reader: Reader, maxBytes: number, until?: number): readonly StretchPart[] {
  const parts: StretchPart[] = [];
  for (let left = maxBytes; left > 0; ) {
    const part = reader.readStretch?.(left, until) ?? null;
    if (part === null) break;
    parts.push(part);
    left -= frameStart(part.stretch, part.to) - frameStart(part.stretch, part.from);
  }
  return parts;
}

/** No subscriptions and no answers yet. */
export function createSendScheduler(): SendScheduler {
  return new ClientSendScheduler();
}
