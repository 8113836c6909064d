// Drives one client on a channel of its own: sends it what there is as fast as it reads, and lets it go in order. Knows no
// protocol.
import type { Frontend, SubscriptionRequest } from '../contract/adapter.ts';
import { createSendScheduler, type Subscription } from './send-scheduler.ts';
import type { Channel, CloseCode, Out } from '../contract/channel.ts';
import type { Clock } from '../contract/clock.ts';
import { GatewayError, type Outcome, refused } from '../model/errors.ts';
import { type CommandSink, driveFrontend } from './frontend-driver.ts';
import type { Receipt } from '../contract/ticket.ts';
import type { Broadcast } from '../contract/broadcast.ts';
import type { Entry, Reader } from '../contract/reader.ts';

/** Bytes that may wait in a client's socket before its reader stops pulling (docs/threats.md T26). */
export const highWater = 64 * 1024;

/** Commands of one client that may be on their way at once, to all its sessions (docs/threats.md T32). */
const mostUnanswered = 256;

/** Bytes of broadcast that may wait for a client: for ever, at once, and for how long what is between (docs/threats.md T26). */
const mostUnreadNews = { ever: 1024 * 1024, atOnce: 4 * 1024 * 1024, forMs: 10_000 };

/** When a client that sends nothing more has been served. */
export interface Remainder {
  /** Why its channel is closed then. */
  readonly reason: string;
  /** Calls back once, as soon as nothing goes on that the client has begun; at once if that is so now. */
  whenIdle(callback: () => void): void;
}

/** Who wants to know about a client. */
export interface ClientListener {
  /** It is gone; once. */
  end(): void;
  /**
   * It sends nothing more; where this is absent, that is its end. The channel is closed when it is idle, its commands
   * have been answered (an answer may lead to more of them) and it has been sent all that there is for it.
   */
  half?(): Remainder;
}

/** A client that is being served. */
export interface ClientLink {
  /** Closes the channel as soon as the client has been sent all that there is for it. Idempotent. */
  leave(code: CloseCode, reason: string): void;
  /** What all clients of its protocol are told; one that does not read is let go. */
  onBroadcast(broadcast: Broadcast): void;
}

/** How a client is let go that has been sent everything. */
interface Leave {
  readonly code: CloseCode;
  readonly reason: string;
  /** Null: nothing is waited for. */
  readonly remainder: Remainder | null;
}

/**
 * Connects a client on a channel of its own to a session's stream; without a `reader`, to those that its frontend
 * watches by and by.
 */
export function linkClient(
  channel: Channel,
  frontend: Frontend,
  reader: Reader | null,
  clock: Clock,
  sink: CommandSink,
  listener: ClientListener,
): ClientLink {
  const scheduler = createSendScheduler();
  /** A client that asks and does not read is not heard either (docs/threats.md T26, T32). */
  let isUnheard = false;
  let isPumping = false;
  let mustPump = false;
  let unanswered = 0;
  let unreadNews = 0;
  /** Since when more broadcast wait than may for ever. */
  let behindSince: number | null = null;
  let leaving: Leave | null = null;
  let awaitsIdleness = false;
  let blocked = false;
  let isOver = false;

  /** Sending may make the session say more, and so come back here: what is in hand goes first. */
  function pump(): void {
    mustPump = true;
    if (isPumping) return;
    isPumping = true;
    try {
      while (mustPump) {
        mustPump = false;
        sendAll();
      }
    } finally {
      isPumping = false;
    }
    updateReading();
  }

  function sendAll(): void {
    while (!isOver) {
      blocked = channel.buffered >= highWater;
      if (blocked) return;
      const step = scheduler.next(highWater);
      if (step === null) {
        if (leaving !== null) letGo(leaving);
        return;
      }
      if ('answer' in step) send(step.answer);
      else for (const entry of step.entries) tell(step.subscription, entry);
    }
  }

  function tell(subscription: Subscription, entry: Entry): void {
    // What was told before may have ended the client, or its interest in that session.
    if (isOver || subscription.isOver) return;
    if (entry.kind === 'frame') send(entry.out);
    // Bare frames cannot say that some are missing: this client must come back for a snapshot (docs/faults.md F19), of all its
    // sessions, for it is the client that does not read.
    else if (entry.kind === 'reset') close('slow', 'too far behind: reconnect for the current state');
    else if (subscription.session === null) close('going-away', entry.reason);
    else {
      scheduler.unsubscribe(subscription);
      driver.sessionEnded(subscription.session, entry.reason);
    }
  }

  function letGo({ code, reason, remainder }: Leave): void {
    if (remainder === null) return close(code, reason);
    if (unanswered > 0 || awaitsIdleness) return;
    awaitsIdleness = true;
    let isNow = true;
    remainder.whenIdle(() => {
      awaitsIdleness = false;
      if (isNow) close(code, reason);
      else pump();
    });
    isNow = false;
  }

  function updateReading(): void {
    if (isOver || scheduler.answerBytes > highWater === isUnheard) return;
    isUnheard = !isUnheard;
    if (isUnheard) channel.pause();
    else channel.resume();
  }

  function send(out: Out): void {
    if (frontend.mapOutgoing === undefined) return channel.send(out);
    const dressed = frontend.mapOutgoing(out);
    if (dressed === null) return;
    if (typeof dressed === 'object' && 'frames' in dressed) for (const frame of dressed.frames) channel.send(frame);
    else channel.send(dressed);
  }

  /** Answers that still wait are this client's last chance to learn why. */
  function close(code: CloseCode, reason: string): void {
    isOver = true;
    for (const out of scheduler.takeAnswers()) send(out);
    channel.close(code, reason);
  }

  function listen(session: string | null, reader: Reader, request: SubscriptionRequest | null): void {
    scheduler.subscribe(session, reader, request);
    reader.onReadable = pump;
  }

  function subscribe(request: SubscriptionRequest): void {
    if (isOver || sink.subscribe === undefined || isSubscribed(request.session, request)) return;
    let found: ReturnType<NonNullable<CommandSink['subscribe']>>;
    try {
      found = sink.subscribe(request);
    } catch (thrown) {
      return driver.sessionEnded(request.session, reasonOf(thrown));
    }
    const { view, reader } = found;
    // By another of its names.
    if (isSubscribed(view.id, request)) return reader.close();
    unsubscribe(view.id);
    listen(view.id, reader, request);
    frontend.subscribed?.(view);
    pump();
  }

  /** Already, and in that way. */
  function isSubscribed(session: string, { as, dialect }: SubscriptionRequest): boolean {
    const subscription = scheduler.subscriptionTo(session);
    return subscription !== undefined && subscription.request?.as === as && subscription.request?.dialect === dialect;
  }

  function unsubscribe(session: string): void {
    const subscription = scheduler.subscriptionTo(session);
    if (subscription !== undefined) scheduler.unsubscribe(subscription);
  }

  function reasonOf(thrown: unknown): string {
    if (thrown instanceof GatewayError) return thrown.message;
    sink.note('violation', `internal error: ${String(thrown)}`);
    return 'an internal error of the gateway';
  }

  const counted: CommandSink = {
    note: sink.note,
    fault: sink.fault,
    submit(command, settle, session, ticket) {
      // Those with a ticket are counted by their ledger.
      if (ticket === undefined && unanswered >= mostUnanswered) {
        return settle(refused('limit', `${mostUnanswered} commands are waiting for their answers already`));
      }
      unanswered += 1;
      const answered = (outcome: Outcome, receipt?: Receipt) => {
        unanswered -= 1;
        settle(outcome, receipt);
        pump();
      };
      sink.submit(command, answered, session, ticket);
    },
  };
  const driver = driveFrontend(frontend, clock, counted, {
    send: (out) => {
      if (isOver) return;
      scheduler.answer(out);
      pump();
    },
    close,
    subscribe,
    unsubscribe,
  });
  // A greeting goes before all that the session has said.
  driver.start();
  if (reader !== null) listen(null, reader, null);
  let ended = false;
  channel.open({
    frame: (frame) => {
      driver.frame(frame);
    },
    fault: driver.fault,
    drained: () => {
      if (blocked) pump();
    },
    end: () => {
      if (ended) return;
      ended = true;
      isOver = true;
      driver.end();
      scheduler.unsubscribeAll();
      listener.end();
    },
    ...(listener.half === undefined
      ? {}
      : {
          inputEnded: () => {
            const remainder = listener.half?.();
            if (remainder === undefined) return;
            leaving ??= { code: 'normal', reason: remainder.reason, remainder };
            pump();
          },
        }),
  });
  pump();
  return {
    leave(code, reason) {
      if (isOver) return;
      leaving = { code, reason, remainder: null };
      pump();
    },
    onBroadcast(broadcast) {
      if (isOver) return;
      const before = scheduler.answerBytes;
      driver.onBroadcast(broadcast);
      // Answers that the client has asked for count for nothing here, however long they are.
      unreadNews = scheduler.answerBytes === 0 ? 0 : unreadNews + Math.max(0, scheduler.answerBytes - before);
      if (unreadNews <= mostUnreadNews.ever) behindSince = null;
      else behindSince ??= clock.now();
      // A burst is nobody's fault who reads.
      const isSlow = behindSince !== null && clock.now() - behindSince > mostUnreadNews.forMs;
      if (isSlow || unreadNews > mostUnreadNews.atOnce) close('slow', 'too far behind: reconnect');
    },
  };
}
