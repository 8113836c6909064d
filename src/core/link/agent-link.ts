// Drives one backend over one channel: carries out its actions, keeps its timers, answers its commands.
// Knows no protocol.
import type { Action, Backend, NoteLevel } from '../contract/adapter.ts';
import type { Channel, Ending, RecognisedFrame, Peek } from '../contract/channel.ts';
import { type Clock, createTimers } from '../contract/clock.ts';
import type { Command } from '../model/command.ts';
import { messageOf, type Outcome, refused } from '../model/errors.ts';
import type { Event } from '../model/event.ts';
import { createRecogniser } from '../fast-path/recogniser.ts';

/** A fresh agent: its connection and the machine that speaks to it. */
export interface AgentConnection {
  readonly channel: Channel;
  readonly backend: Backend;
}

/** Who hears what the agent says. */
export interface AgentListener {
  event(event: Event): void;
  note(level: NoteLevel, text: string): void;
  /** The agent is gone; every pending command has been settled. Exactly once. */
  end(ending: Ending): void;
}

/** How a connection ended, in one sentence; a child's last words say more than its exit code (docs/faults.md F3). */
export function sentenceOf({ reason, detail }: Ending): string {
  return detail === undefined || detail === '' ? reason : `${reason}: ${detail}`;
}

/** A running agent. */
export interface AgentLink {
  /** Stops and restarts hearing it (back-pressure). */
  pause(): void;
  resume(): void;
  /** Calls back exactly once, also when the agent goes away. */
  submit(command: Command, settle: (outcome: Outcome) => void): void;
  /** Ends the connection; `listener.end` follows with that reason. */
  stop(reason: string): void;
}

/** Starts talking to an agent. */
export function linkAgent({ channel, backend }: AgentConnection, clock: Clock, listener: AgentListener): AgentLink {
  const timers = createTimers(clock);
  const pending = new Map<string, (outcome: Outcome) => void>();
  let commands = 0;
  let stopping: string | null = null;
  let ended = false;
  let held = false;
  /** Timers that passed while the agent was held. */
  const due = new Set<string>();

  function settle(id: string, outcome: Outcome): void {
    const callback = pending.get(id);
    pending.delete(id);
    callback?.(outcome);
  }

  function perform(actions: readonly Action<Event>[]): void {
    for (const action of actions) {
      switch (action.do) {
        case 'deliver':
          listener.event(action.message);
          break;
        case 'send':
          channel.send(action.frame);
          break;
        case 'settle':
          settle(action.id, action.outcome);
          break;
        case 'note':
          listener.note(action.level, action.text);
          break;
        case 'timer':
          timers.set(action.id, action.ms, () => wake(action.id));
          break;
        case 'close':
          stopping ??= action.reason;
          channel.close(action.code, action.reason);
          break;
        case 'subscribe':
        case 'unsubscribe':
          break;
        default:
          action satisfies never;
      }
    }
  }

  /** A fault of ours, or of a machine that met what it could not take, ends this agent and nobody else's session. */
  function guarded(act: () => readonly Action<Event>[]): void {
    try {
      perform(act());
    } catch (thrown) {
      failed(thrown);
    }
  }

  function failed(thrown: unknown): void {
    listener.note('violation', `internal error: ${messageOf(thrown)}`);
    stopping ??= 'an internal error of the gateway';
    channel.close('error', stopping);
  }

  /** The hot path: a fault on either half of a glance is a fault like any other. */
  function glancing(backend: Backend) {
    if (backend.recognise === undefined) return {};
    const recognise = createRecogniser(backend.recognise, (recognised) => {
      try {
        listener.event(recognised.accept());
      } catch (thrown) {
        failed(thrown);
      }
    });
    return {
      recognise(peek: Peek, start: number, end: number): RecognisedFrame | null {
        try {
          return recognise(peek, start, end);
        } catch (thrown) {
          failed(thrown);
          return null;
        }
      },
    };
  }

  /** An agent inside this process is held back by its timers: there is no pipe to leave unread. */
  function wake(timer: string): void {
    if (held) due.add(timer);
    else guarded(() => backend.onTimer?.(timer) ?? []);
  }

  channel.open({
    ...glancing(backend),
    frame: (frame) => guarded(() => backend.decode(frame)),
    // What was lost may have been the end of a message: the state is unknown, so this agent is done (docs/faults.md F7).
    fault: (fault) => {
      listener.note('violation', fault.message);
      stopping ??= `the agent sent ${fault.message}`;
      channel.close('error', stopping);
    },
    end: (ending) => {
      if (ended) return;
      ended = true;
      guarded(() => backend.end?.() ?? []);
      timers.clear();
      due.clear();
      const told = { ...ending, reason: stopping ?? ending.reason };
      for (const id of [...pending.keys()]) settle(id, refused('agent-down', sentenceOf(told)));
      listener.end(told);
    },
  });
  guarded(() => backend.start?.() ?? []);

  return {
    pause() {
      held = true;
      channel.pause();
    },
    resume() {
      held = false;
      channel.resume();
      // Never in this call: who releases may be in the middle of reading what the agent said.
      for (const timer of due) timers.set(`due ${timer}`, 0, () => wake(timer));
      due.clear();
    },
    submit(command, callback) {
      if (ended) return callback(refused('agent-down', stopping ?? 'the agent is gone'));
      commands += 1;
      const id = `c${commands}`;
      pending.set(id, callback);
      guarded(() => backend.encode(command, id));
    },
    stop(reason) {
      if (stopping === null && !ended) guarded(() => backend.leave?.() ?? []);
      stopping ??= reason;
      channel.close('going-away', reason);
    },
  };
}
