// The sessions that one client reads: that of its connection, or those that its frontend subscribes to.
import type { SubscriptionEnd, SubscriptionRequest } from '../contract/adapter/action.ts';
import type { Frontend } from '../contract/adapter/frontend.ts';
import { faultText, internalError } from '../contract/guarded.ts';
import type { Reader } from '../contract/reader.ts';
import { GatewayError } from '../model/errors.ts';
import type { CommandSink } from './frontend-driver.ts';
import type { SendScheduler, Subscription } from './send-scheduler.ts';

/** The connection that the subscriptions belong to. */
export interface SubscriptionOwner {
  /** The client subscribes to nothing more. */
  readonly isOver: boolean;
  /** Sends what there is. */
  pump(): void;
  /** The session has ended, or could not be subscribed to. */
  sessionEnded(session: string, reason: string): void;
}

/** A class: each connection has one. */
export class ClientSubscriptions {
  readonly #scheduler: SendScheduler;
  readonly #frontend: Frontend;
  readonly #sink: CommandSink;
  readonly #owner: SubscriptionOwner;

  constructor(scheduler: SendScheduler, frontend: Frontend, sink: CommandSink, owner: SubscriptionOwner) {
    this.#scheduler = scheduler;
    this.#frontend = frontend;
    this.#sink = sink;
    this.#owner = owner;
  }

  /** `session` and `request`: null for the session that the connection belongs to. */
  add(session: string | null, reader: Reader, request: SubscriptionRequest | null): void {
    this.#scheduler.subscribe(session, reader, request);
    reader.onReadable = () => this.#owner.pump();
  }

  subscribe(request: SubscriptionRequest): void {
    if (this.#owner.isOver || this.#sink.subscribe === undefined || this.#has(request.session, request)) return;
    let found: ReturnType<NonNullable<CommandSink['subscribe']>>;
    try {
      found = this.#sink.subscribe(request);
    } catch (thrown) {
      return this.#owner.sessionEnded(request.session, this.#reasonOf(thrown));
    }
    const { view, reader } = found;
    // The client may be subscribed to the same session under another of its names.
    if (this.#has(view.id, request)) return reader.close();
    this.unsubscribe(view.id);
    this.add(view.id, reader, request);
    this.#frontend.subscribed?.(view);
    this.#owner.pump();
  }

  unsubscribe(session: string, { isDrained, closes }: SubscriptionEnd = {}): void {
    const subscription = this.#scheduler.subscriptionTo(session);
    if (subscription === undefined) return;
    const ended = closes === true ? () => this.#sink.closeUnused?.(session) : undefined;
    this.#scheduler.unsubscribe(subscription, isDrained, ended);
  }

  /** A session says nothing more: the client learns why. */
  end(subscription: Subscription, session: string, reason: string): void {
    this.#scheduler.unsubscribe(subscription);
    this.#owner.sessionEnded(session, reason);
  }

  /** Whether the client is subscribed to that session in the same way. */
  #has(session: string, { as, dialect }: SubscriptionRequest): boolean {
    const subscription = this.#scheduler.subscriptionTo(session);
    return subscription !== undefined && subscription.request?.as === as && subscription.request?.dialect === dialect;
  }

  #reasonOf(thrown: unknown): string {
    if (thrown instanceof GatewayError) return thrown.message;
    this.#sink.note('internal', faultText(thrown));
    return internalError;
  }
}
