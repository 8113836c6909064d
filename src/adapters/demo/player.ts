// Performs one play at a time: turns its beats into actions, and timers, answers and aborts into signals for the play.
import type { Action } from '../../core/contract/adapter/action.ts';
import type { Cause } from '../../core/log/close-run.ts';
import { fold } from '../../core/log/fold.ts';
import type { CommandOf } from '../../core/model/command.ts';
import { type Outcome, refused } from '../../core/model/errors.ts';
import type { Event } from '../../core/model/event.ts';
import type { Pause, Play, Signal } from './play.ts';
import type { PlayState } from './play-state.ts';
import { endEarly } from './run.ts';

type Actions = Action<Event>[];
type Answer = CommandOf<'answer-approval' | 'answer-dialog'>;

/** The play in progress. */
interface Performance {
  readonly stage: PlayState;
  readonly play: Play<Actions>;
  /** The current pause; null while the play runs. */
  pause: Pause | null;
}

/** Performs plays. */
export interface Player {
  /** The current state. `compaction` is one outside a run. `dead` is final. */
  readonly state: 'idle' | 'run' | 'compaction' | 'dead';
  /** Starts a play, only when idle. Executes the play's return value when the play is over. */
  perform(stage: PlayState, play: Play<Actions>): Actions;
  /** Must be called when the timer fires. */
  onTimer(): Actions;
  /** Gives the play an answer that it waits for. Settles the answer's command. */
  answer(command: Answer, commandId: string): Actions;
  /** Ends the target of the abort, if it is in progress. */
  abort(target: CommandOf<'abort'>['target']): Actions;
}

/** The name of the player's timer. */
export const timer = 'play';

const stopTimer: Action<Event> = { do: 'timer', id: timer, ms: null };
const userAborted: Cause = { outcome: 'aborted', failure: { kind: 'aborted', message: 'the user aborted the run' } };

/** Creates an idle player. */
export function createPlayer(): Player {
  let current: Performance | null = null;
  let dead = false;

  function deliver({ stage }: Performance, events: readonly Event[]): Actions {
    return events.map((event) => {
      fold(stage.transcript, { seq: stage.transcript.lastSeq + 1, at: stage.env.now(), event });
      stage.meter.watch(event);
      return { do: 'deliver', message: event };
    });
  }

  function advance(performance: Performance, signal: Signal): Actions {
    const actions: Actions = [];
    performance.pause = null;
    for (let next = performance.play.next(signal); ; next = performance.play.next('go')) {
      if (next.done === true) {
        current = null;
        return [...actions, ...next.value];
      }
      actions.push(...deliver(performance, next.value.events));
      if (next.value.pause !== null) return [...actions, ...hold(performance, next.value.pause)];
    }
  }

  function hold(performance: Performance, pause: Pause): Actions {
    performance.pause = pause;
    switch (pause.for) {
      case 'time':
        return [{ do: 'timer', id: timer, ms: pause.ms }];
      case 'approval':
      case 'dialog':
      case 'ever':
        return [];
      case 'closing':
        return close(performance, pause.cause);
      case 'death':
        dead = true;
        current = null;
        return [{ do: 'close', code: 'error', reason: 'the demo agent died, as it was told to' }];
      default:
        return pause satisfies never;
    }
  }

  function close(performance: Performance, cause: Cause): Actions {
    current = null;
    return deliver(performance, endEarly(performance.stage, cause));
  }

  return {
    get state() {
      if (dead) return 'dead';
      if (current === null) return 'idle';
      return current.stage.transcript.run === null ? 'compaction' : 'run';
    },
    perform(stage, play) {
      current = { stage, play, pause: null };
      return advance(current, 'go');
    },
    onTimer() {
      return current?.pause?.for === 'time' ? advance(current, 'go') : [];
    },
    answer(command, id) {
      const problem = current === null ? noSuchQuestion : problemWith(command, current.pause);
      if (current === null || problem !== null) return [{ do: 'settle', id, outcome: problem ?? noSuchQuestion }];
      // The question ends before its answer is acknowledged, so that no client takes the question for open in between.
      return [...advance(current, command), { do: 'settle', id, outcome: { ok: true } }];
    },
    abort(target) {
      if (current === null) return [];
      const waiting = current.pause?.for === 'time' ? current.pause : null;
      const inRun = current.stage.transcript.run !== null;
      const stopped = waiting === null ? [] : [stopTimer];
      if (target === 'run' && inRun) return [...stopped, ...close(current, userAborted)];
      // Outside a run, an abort of the run means the compaction, because nothing else can be in progress.
      const isMeant = waiting?.cut !== undefined && (waiting.cut === target || (target === 'run' && !inRun));
      return isMeant ? [...stopped, ...advance(current, 'cut')] : [];
    },
  };
}

const noSuchQuestion = refused('not-found', 'nothing waits for that answer');

function problemWith(command: Answer, pause: Pause | null): Outcome | null {
  if (command.type === 'answer-approval') {
    return pause?.for === 'approval' && pause.id === command.id ? null : noSuchQuestion;
  }
  if (pause?.for !== 'dialog' || pause.id !== command.id) return noSuchQuestion;
  const { kind } = command.answer;
  const wanted = pause.kind === 'confirm' ? 'confirmed' : 'value';
  if (kind === 'cancelled' || kind === wanted) return null;
  return refused('invalid', `a dialog of kind ${pause.kind} takes an answer of kind ${wanted}`);
}
