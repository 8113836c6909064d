// Drives one backend over its channel: carries out the actions that it returns, keeps its timers, settles its commands.
import type { Action, NoteLevel } from '../contract/adapter/action.ts';
import type { Backend } from '../contract/adapter/backend.ts';
import type { Channel, Ending, Receiver } from '../contract/channel.ts';
import type { Clock } from '../contract/clock.ts';
import { faultText, guarded, internalError } from '../contract/guarded.ts';
import type { Limited } from '../contract/limits/limit-rule.ts';
import type { WorkQueue } from '../contract/paced-work.ts';
import type { Tap } from '../contract/tap.ts';
import { createRecogniser } from '../fast-path/receiver-recogniser.ts';
import { type Burst, eventCount } from '../model/burst.ts';
import type { Command } from '../model/command.ts';
import { type Outcome, refused } from '../model/errors.ts';
import type { Event } from '../model/event.ts';
import { mebibytes } from '../model/memory-estimate.ts';
import { createJunkCount, mostJunk } from './junk-count.ts';
import { createPausableTimers, type PausableTimers } from './pausable-timers.ts';
import { createPendingCommands, type PendingCommands } from './pending-commands.ts';
import { createStartLimit, type StartLimit } from './start-limit.ts';

/**
 * Bytes that an agent has not read: from `refused` on, commands are refused; beyond `ended`, the agent is ended
 * (docs/limits.md 5.8).
 */
export const unreadBytes = { refused: 32 * 1024 * 1024, ended: 64 * 1024 * 1024 };

/** A fresh agent: its channel and the backend that speaks its protocol. */
export interface AgentConnection {
  readonly channel: Channel;
  readonly backend: Backend;
  /** The agent was given the conversation to go on with. */
  readonly isResumed?: boolean;
  /** How long the agent may say nothing after the first frame for it, ms; null: for ever. Default null. */
  readonly startMs?: number | null;
}

/** Takes what the agent says. */
export interface AgentListener {
  event(event: Event): void;
  /** Deltas that came together. Absent: each comes as an event. */
  burst?(burst: Burst): void;
  note(level: NoteLevel, text: string): void;
  /** The long texts that the agent may repeat; default none. */
  texts?(): readonly string[];
  /** Looks at the frames; default nobody. */
  readonly tap?: Tap | undefined;
  /** The agent has reached a limit of its connection. */
  readonly limited?: Limited | undefined;
  /** The agent is gone, and every pending command has been settled. Exactly once. */
  end(ending: Ending): void;
}

/**
 * How a connection ended, in one sentence; the last output of a child says more than its exit code (docs/faults.md F3).
 */
export function sentenceOf({ reason, detail }: Ending): string {
  return detail === undefined || detail === '' ? reason : `${reason}: ${detail}`;
}

/** A running agent. */
export interface AgentLink {
  /** Stops and restarts reading (back-pressure). */
  pause(): void;
  resume(): void;
  /** Settles exactly once, also when the agent goes away. */
  submit(command: Command, settle: (outcome: Outcome) => void): void;
  /** Ends the connection in order; `listener.end` follows with that reason once the agent is gone. */
  stop(reason: string): void;
  /**
   * As {@link AgentLink.stop}, but everybody is told now: what the agent still says is not read, and its process may take
   * seconds to go (docs/faults.md F4).
   */
  abandon(reason: string): void;
}

/** Opens the agent's channel and starts the backend. `work`: where taking what the agent says takes its turn. */
export function linkAgent(
  { channel, backend, startMs = null }: AgentConnection,
  clock: Clock,
  listener: AgentListener,
  work?: WorkQueue,
): AgentLink {
  const { texts } = listener;
  const noteFault = (thrown: unknown) => listener.note('internal', faultText(thrown));
  const pending = createPendingCommands(noteFault);
  const junk = createJunkCount();
  const timers = createPausableTimers(clock, (timer) => act(() => backend.onTimer?.(timer) ?? []));
  const startLimit = createStartLimit(clock, startMs, (ms) => {
    listener.limited?.('startMs');
    abandon(`the agent has said nothing for ${ms / 1000} s since its start`);
  });
  /** The first reason to stop the agent; null: the gateway has not stopped it. */
  let stopReason: string | null = null;
  /** The limit that the agent has just reached; null: none. */
  let excess: string | null = null;
  let isEnded = false;
  const perform = createPerformer({ channel, listener, pending, timers, startLimit }, ({ code, reason, limit }) => {
    if (limit !== undefined) {
      listener.limited?.(limit);
      excess ??= reason;
      return;
    }
    stopReason ??= reason;
    channel.close(code, reason);
  });

  /** A failure of the gateway, or of a backend that met what it cannot take, ends this agent and no other session. */
  function act(call: () => readonly Action<Event>[]): void {
    try {
      perform(call());
    } catch (thrown) {
      fail(thrown);
    }
    const reason = excess;
    excess = null;
    if (reason !== null) abandon(reason);
  }

  function fail(thrown: unknown): void {
    noteFault(thrown);
    guarded(() => stop(internalError), noteFault);
  }

  function stop(reason: string): void {
    stopReason ??= reason;
    channel.close('error', stopReason);
  }

  channel.open({
    work,
    ...guardedRecogniser(
      backend,
      {
        tap: listener.tap,
        event(event) {
          junk.reset();
          startLimit.heard();
          listener.event(event);
        },
        burst:
          listener.burst &&
          ((burst) => {
            junk.reset();
            startLimit.heard();
            listener.burst?.(burst);
          }),
      },
      fail,
    ),
    frame(frame) {
      if (isEnded) return;
      const tap = listener.tap?.isOn === true ? listener.tap : undefined;
      tap?.frame(frame.bytes);
      if (texts !== undefined) frame.mayRepeat?.(texts);
      act(() => junk.counted(backend.decode(frame)));
      tap?.taken();
      if (!junk.isJunk()) startLimit.heard();
      if (!junk.isTooMuch()) return;
      listener.limited?.('junkMessages');
      abandon(`the agent sent ${mostJunk} messages in a row that are none of its protocol`);
    },
    // Lost bytes may have held the end of a message: the agent's state is unknown, so it is stopped (docs/faults.md
    // F7).
    fault: (fault) => {
      if (fault.code === 'too-large') listener.limited?.('agentFrameBytes');
      listener.note('violation', fault.message);
      // The agent is gone, and how it ended says more than where.
      if (fault.isCut === true) return;
      stop(`the agent sent ${fault.message}`);
    },
    remark(text) {
      if (isEnded) return;
      listener.note('violation', text);
      listener.event({ type: 'notice', level: 'warning', source: 'gateway', text });
    },
    end: finish,
  });
  act(() => backend.start?.() ?? []);

  function finish(ending: Ending): void {
    if (isEnded) return;
    isEnded = true;
    act(() => backend.end?.() ?? []);
    timers.clear();
    startLimit.clear();
    const reported = { ...ending, reason: stopReason ?? ending.reason };
    pending.settleAll(refused('agent-down', sentenceOf(reported)));
    guarded(() => listener.end(reported), noteFault);
  }

  function leave(reason: string): void {
    if (stopReason === null && !isEnded) act(() => backend.leave?.() ?? []);
    stopReason ??= reason;
    channel.close('going-away', reason);
  }

  function abandon(reason: string): void {
    leave(reason);
    finish({ reason });
  }

  return {
    pause() {
      timers.pause();
      startLimit.pause();
      channel.pause();
    },
    resume() {
      timers.resume();
      startLimit.resume();
      channel.resume();
    },
    submit(command, settle) {
      if (isEnded) return settle(refused('agent-down', stopReason ?? 'the agent is gone'));
      // An agent that reads nothing can still be told to stop.
      if (command.type !== 'abort' && channel.buffered > unreadBytes.refused) {
        listener.limited?.('agentUnread');
        return settle(refused('limit', `the agent has not read ${mebibytes(channel.buffered)} that were sent to it`));
      }
      const id = pending.add(settle);
      const tap = listener.tap?.isOn === true ? listener.tap : undefined;
      tap?.command(command);
      act(() => backend.encode(command, id));
      tap?.submitted();
    },
    stop: leave,
    abandon,
  };
}

/** The hot path: a failure in either half of a recogniser ends the agent like any other failure. */
function guardedRecogniser(
  backend: Backend,
  listener: Pick<AgentListener, 'event' | 'burst' | 'tap'>,
  fail: (thrown: unknown) => void,
): Pick<Receiver, 'recognise' | 'takeBurst'> {
  if (backend.recognise === undefined) return {};
  const recognise = createRecogniser(backend.recognise, (recognised) => {
    try {
      listener.event(recognised.accept());
    } catch (thrown) {
      fail(thrown);
    }
  });
  return {
    recognise(peek, start, end) {
      // Who looks wants each frame whole, and this one may not have been read to its end.
      if (listener.tap?.isOn === true) return null;
      try {
        return recognise(peek, start, end);
      } catch (thrown) {
        fail(thrown);
        return null;
      }
    },
    takeBurst(peek, start, end, maxFrameBytes) {
      if (listener.burst === undefined) return start;
      const tap = listener.tap?.isOn === true ? listener.tap : undefined;
      let next = start;
      try {
        const recognised = backend.recogniseBurst?.(peek, start, end, maxFrameBytes) ?? null;
        if (recognised === null) return start;
        next = recognised.next;
        const burst = recognised.accept();
        tap?.frames({ bytes: peek.bytes.subarray(start, next), header: peek.header, count: eventCount(burst) });
        listener.burst(burst);
      } catch (thrown) {
        fail(thrown);
      }
      if (next > start) tap?.taken();
      return next;
    },
  };
}

/** What the actions of a backend are carried out on. */
interface ActionTargets {
  readonly channel: Channel;
  readonly listener: AgentListener;
  readonly pending: PendingCommands;
  readonly timers: PausableTimers;
  readonly startLimit: StartLimit;
}

type CloseAction = Extract<Action<Event>, { do: 'close' }>;

const unread = {
  code: 'error',
  reason: `the agent has not read more than ${mebibytes(unreadBytes.ended)} that were sent to it`,
  limit: 'agentUnread',
} as const;

/** Carries out the actions of a backend, in order. */
function createPerformer(
  { channel, listener, pending, timers, startLimit }: ActionTargets,
  close: (action: Pick<CloseAction, 'code' | 'reason' | 'limit'>) => void,
): (actions: readonly Action<Event>[]) => void {
  return (actions) => {
    for (const action of actions) {
      switch (action.do) {
        case 'deliver':
          listener.event(action.message);
          break;
        case 'send':
          if (listener.tap?.isOn === true) listener.tap.sent(action.frame);
          channel.send(action.frame);
          startLimit.sent();
          if (channel.buffered > unreadBytes.ended) close(unread);
          break;
        case 'settle':
          pending.settle(action.id, action.outcome);
          break;
        case 'note':
          listener.note(action.level, action.text);
          break;
        case 'timer':
          timers.set(action.id, action.ms);
          break;
        case 'close':
          close(action);
          break;
        case 'subscribe':
        case 'unsubscribe':
          break;
        default:
          action satisfies never;
      }
    }
  };
}
