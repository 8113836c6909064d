// The prompts of a session: one run at a time, the rest wait in their order; and when an abort is done. Knows no agent
// and no client.
import type { Timers } from '../contract/clock.ts';
import type { Command, CommandOf } from '../model/command.ts';
import { createCompactionTurn } from './compaction-turn.ts';
import { dictionaryOf } from '../model/dictionary.ts';
import { type Outcome, refused } from '../model/errors.ts';
import type { Event, EventOf, Logged } from '../model/event.ts';
import { textIn } from '../log/messages.ts';
import { createStallWatch, type StallWatch } from './stall-watch.ts';
import type { Transcript } from '../model/transcript.ts';

type Settle = (outcome: Outcome) => void;
type Prompt = CommandOf<'prompt'>;
type Compact = CommandOf<'compact'>;

/** What the prompts of a session need. */
export interface PromptPorts {
  readonly transcript: Transcript;
  readonly timers: Timers;
  readonly limits: {
    /** Prompts and follow-ups that may wait. */
    readonly queuedPrompts: number;
    /** An agent that does not end its run so long after an abort is ended itself, ms. */
    readonly abortMs: number;
  };
  forward(command: Command, settle: Settle): void;
  /** The agent is not heard at the moment, for a reader that cannot keep up. */
  isHeld(): boolean;
  /** Ends an agent that does not obey. */
  stopAgent(reason: string): void;
  /** Tells users what went wrong after their command had been answered. */
  complain(text: string): void;
  /** Logs an event through the repair. */
  admit(event: Event): void;
}

/** The prompts of one session. Functions, for V8 gives each object with getters a dictionary of its own. */
export interface Prompts {
  /** A run is open, or the agent has the prompt that will open one. */
  isRunning(): boolean;
  /** Running, or compacting: agents take a prompt during a compaction and then forget it. */
  isBusy(): boolean;
  /** A compaction that takes its turn as a prompt does is about to begin. */
  awaitsCompaction(): boolean;
  /** Prompts that wait and will run of themselves. */
  queued(): number;
  /** {@link queued}, and the follow-ups that wait for a run to follow. */
  waiting(): number;
  /** A compaction takes its turn among them. */
  submit(command: Prompt | Compact, settle: Settle): void;
  followUp(command: CommandOf<'follow-up'>, settle: Settle): void;
  clearQueue(command: CommandOf<'clear-queue'>, settle: Settle): void;
  abort(command: CommandOf<'abort'>, settle: Settle): void;
  /** A run is about to be logged: its prompt has succeeded, and from now on the log tells how it goes. */
  accept(event: EventOf<'run-start'>): void;
  /** After an event was logged. */
  event(logged: Logged): void;
  /** The agent is held, or heard again; session clock, ms. */
  pauseStallWatch(isHeld: boolean, at: number): void;
  /** The agent is gone: what was in its hands has failed. */
  lose(outcome: Outcome): void;
  /** What waits will never run. */
  drop(outcome: Outcome): void;
  /** Calls back once, when no run is open and no prompt waits; at once if that is so now. */
  whenIdle(callback: () => void): void;
  tellIdle(): void;
}

/** An empty queue. */
export function createPrompts(ports: PromptPorts): Prompts {
  const { transcript, timers, limits, forward } = ports;
  const waiting: { readonly command: Prompt | Compact; readonly settle: Settle }[] = [];
  /** Of agents that have no queue of their own. */
  const followUps: Prompt[] = [];
  /** The prompt that the agent has and whose run has not started yet. */
  let prompting: { readonly command: Prompt; readonly settle: Settle } | null = null;
  /** What the agent said of it beside yes. */
  let told: Outcome = accepted;
  const compaction = createCompactionTurn({ transcript, forward, admit: ports.admit, over: () => afterRun() });
  /** The prompt whose run is open, where it is answered at the end of that. */
  let running: { readonly settle: Settle; readonly silence: StallWatch } | null = null;
  /** What becomes of it when its run is closed without the agent. */
  let lost: Outcome | null = null;
  /** The handle of the prompt that the agent has, until its run is over. */
  let current: string | undefined;
  /** Handles of prompts that the agent has been asked to let into its run, and that may still be kept here. */
  const joining = new Set<string>();
  /** A run is being ended: the agent may be in the middle of what it says about it. */
  let isEnding = false;
  /** Aborts that are answered when the run is over. */
  const aborting: Settle[] = [];
  let idleCallbacks: (() => void)[] = [];

  const isRunning = () => transcript.run !== null || prompting !== null;
  const isBusy = () => isRunning() || compaction.isOpen() || transcript.compaction !== null;
  const hasWaiting = () => waiting.length > 0;

  function settlePrompt(outcome: Outcome): void {
    const prompt = prompting;
    prompting = null;
    prompt?.settle(outcome);
  }

  function send(command: Prompt, settle: Settle): void {
    const prompt = { command, settle };
    prompting = prompt;
    told = accepted;
    current = command.handle;
    forward(command, (outcome) => {
      if (prompting !== prompt) return;
      if (outcome.ok) {
        told = outcome;
        return;
      }
      current = undefined;
      settlePrompt(outcome);
      afterRun();
    });
  }

  function sendNext(): void {
    if (isBusy()) return;
    const next = waiting.shift();
    if (next !== undefined) begin(next.command, next.settle);
  }

  function begin(command: Prompt | Compact, settle: Settle): void {
    if (command.type === 'prompt') send(command, settle);
    else compaction.begin(command, settle);
  }

  /** The prompt that waited for the end of its run. */
  function settleRun(event: EventOf<'run-end'>): void {
    const { outcome, failure } = event;
    const prompt = running;
    if (prompt === null) return;
    running = null;
    const data = { outcome, failure, longestSilenceMs: prompt.silence.longestMs() };
    isEnding = true;
    try {
      prompt.settle(lost ?? refusalOf(event) ?? { ok: true, data });
    } finally {
      isEnding = false;
      lost = null;
    }
  }

  function afterRun(): void {
    // A compaction may end before the run that its prompt is to begin: the abort is still out.
    if (!isRunning()) {
      timers.set('abort', null, () => {});
      settleAborts(aborted());
    }
    if (isBusy()) return;
    // Not in this tick: the agent may be in the middle of what it says about the end.
    if (hasWaiting()) timers.set('next', 0, sendNext);
    else tellIdle();
  }

  function tellIdle(): void {
    if (isBusy() || hasWaiting()) return;
    const callbacks = idleCallbacks;
    idleCallbacks = [];
    for (const callback of callbacks) callback();
  }

  function submit(command: Prompt | Compact, settle: Settle): void {
    // Between two runs the agent is free, but the prompts that wait come first.
    if (!isBusy() && !hasWaiting()) return isEnding ? void waiting.push({ command, settle }) : begin(command, settle);
    const whenBusy = command.type === 'prompt' ? command.whenBusy : undefined;
    if (command.type === 'prompt' && isRunning() && (whenBusy === 'steer' || whenBusy === 'follow-up'))
      return join(command, settle);
    if (whenBusy === 'refuse') return settle(refused('busy', 'the agent is still working on an earlier prompt'));
    if (isFull()) return settle(tooMany);
    waiting.push({ command, settle });
  }

  const isFull = () => waiting.length + followUps.length >= limits.queuedPrompts;
  const tooMany = refused('limit', `${limits.queuedPrompts} prompts are waiting already`);

  /** For the open run. To steer needs the agent; to follow is to be the next prompt, which needs nobody. */
  function join(command: Prompt, settle: Settle): void {
    const { handle } = command;
    if (handle !== undefined) joining.add(handle);
    const target = () => transcript.run?.number ?? prompting;
    const joined = target();
    forward(command, (outcome) => {
      const isTakenBack = handle !== undefined && !joining.delete(handle);
      if (!isUnsupported(outcome)) return settle(withTaken('queued', outcome));
      if (isTakenBack) return settle(takenBack);
      // Where its run is over, or never began, even one that steers is a prompt as any other, which may join another.
      if (command.whenBusy !== 'follow-up') return target() === joined ? settle(outcome) : submit(command, settle);
      const later: Prompt = { ...command, whenBusy: undefined };
      // It is answered when it is kept, so not again behind its run.
      if (isRunning()) keep({ ...later, untilIdle: undefined }, settle);
      else submit(later, settle);
    });
  }

  /**
   * Kept here when the agent has no queue. Without a run it waits for the next prompt and follows that: the clients that
   * know this command say it of a message that is to come after something, and send a prompt where nothing goes on.
   */
  function followUp(command: CommandOf<'follow-up'>, settle: Settle): void {
    const { content, extra } = command;
    forward(command, (outcome) => {
      if (isUnsupported(outcome)) keep({ type: 'prompt', content, extra }, settle);
      else settle(outcome);
    });
  }

  function keep(command: Prompt, settle: Settle): void {
    if (isFull()) return settle(tooMany);
    followUps.push(command);
    settle(withTaken('queued', accepted));
  }

  /** They go before the prompts that wait: they belong to the run that was. After a failure or an abort they stay. */
  function queueFollowUps(): void {
    const due = followUps.splice(0).map((command) => ({ command, settle: complainOf }));
    waiting.unshift(...due);
  }

  /** Its command was answered when it was taken in. */
  function complainOf(outcome: Outcome): void {
    if (!outcome.ok && outcome.error.code !== 'aborted')
      ports.complain(`A follow-up was not sent: ${outcome.error.message}`);
  }

  /** The follow-ups that were kept here and are not any more. */
  function takeFollowUps(): Prompt[] {
    const queued = waiting.filter(({ settle }) => settle === complainOf);
    for (const followUp of queued) waiting.splice(waiting.indexOf(followUp), 1);
    return [...queued.flatMap(({ command }) => (command.type === 'prompt' ? command : [])), ...followUps.splice(0)];
  }

  function clearQueue(command: CommandOf<'clear-queue'>, settle: Settle): void {
    const { steering, followUp } = transcript.queue;
    forward(command, (outcome) => {
      const kept = takeFollowUps();
      const own = kept.length > 0 && isUnsupported(outcome) ? accepted : outcome;
      const data = { steering, followUp: [...followUp, ...kept.map(({ content }) => textIn(content))] };
      settle(own.ok ? { ok: true, data: { ...data, ...dictionaryOf(own.data) } } : own);
      tellIdle();
    });
  }

  function drop(outcome: Outcome): void {
    queueFollowUps();
    for (const { settle } of waiting.splice(0)) settle(outcome);
  }

  /** The prompt of that handle will not run, unless the agent has it already. */
  function takeBack(handle: string): void {
    const isIt = (command: Prompt | Compact) => command.type === 'prompt' && command.handle === handle;
    joining.delete(handle);
    const at = waiting.findIndex(({ command }) => isIt(command));
    const kept = followUps.findIndex(isIt);
    if (kept >= 0) followUps.splice(kept, 1);
    const [prompt] = at < 0 ? [] : waiting.splice(at, 1);
    prompt?.settle(takenBack);
    tellIdle();
  }

  const aborted = (): Outcome => ({ ok: true, data: { waiting: waiting.map((next) => next.command) } });

  function settleAborts(outcome: Outcome): void {
    for (const settle of aborting.splice(0)) settle(outcome);
  }

  function abort(command: CommandOf<'abort'>, settle: Settle): void {
    const ofRun = command.target === 'run';
    const { handle } = command;
    if (ofRun && handle !== undefined && handle !== current) {
      takeBack(handle);
      return settle(aborted());
    }
    if (ofRun && command.waiting === 'drop') drop(refused('aborted', 'the user stopped what came before it'));
    if (ofRun) {
      if (!isBusy()) return settle(aborted());
      // Counted from the first abort: who asks again must not give a hanging agent more time.
      if (!timers.has('abort')) timers.set('abort', limits.abortMs, stopUnwilling);
    }
    if (!ofRun || command.untilIdle !== true || !isRunning()) {
      return forward(command, (outcome) => {
        // A compaction that an agent cannot stop is no reason to end the agent.
        if (ofRun && isUnsupported(outcome) && !isRunning()) timers.set('abort', null, () => {});
        settle(outcome.ok ? aborted() : outcome);
      });
    }
    aborting.push(settle);
    forward(command, (outcome) => {
      // Who was told waits on, for the end; an agent that will not do it has no end to wait for.
      const at = outcome.ok ? -1 : aborting.indexOf(settle);
      if (at < 0) return;
      aborting.splice(at, 1);
      settle(outcome);
    });
  }

  /** An agent that we do not listen to may have stopped long ago. */
  function stopUnwilling(): void {
    if (ports.isHeld()) timers.set('abort', limits.abortMs, stopUnwilling);
    else ports.stopAgent('the agent did not stop when it was aborted');
  }

  return {
    isRunning,
    isBusy,
    awaitsCompaction: compaction.isAwaited,
    queued: () => waiting.length,
    waiting: () => waiting.length + followUps.length,
    submit,
    followUp,
    clearQueue,
    abort,
    accept({ empty }) {
      const prompt = prompting;
      if (prompt === null) return;
      const { command, settle } = prompt;
      // Still taken: the run that makes the session busy is not logged yet.
      prompting = { command, settle: () => {} };
      if (command.untilIdle !== true) return settle(empty === true ? withTaken('handled', told) : told);
      running = { settle, silence: createStallWatch(transcript, ports.isHeld()) };
    },
    event({ event, at }) {
      running?.silence.event(event, at);
      if (event.type === 'block-delta') return;
      if (event.type === 'run-start') prompting = null;
      if (event.type === 'compaction-start') compaction.begun();
      if (event.type === 'run-end') {
        current = undefined;
        if (event.outcome === 'completed') queueFollowUps();
        settleRun(event);
      }
      if (transcript.run === null && (event.type === 'run-end' || event.type === 'compaction-end')) afterRun();
    },
    pauseStallWatch: (isHeld, at) => running?.silence.pause(isHeld, at),
    lose(outcome) {
      settlePrompt(outcome);
      // Behind the events that close its run.
      if (running !== null) lost ??= outcome;
      settleAborts(outcome);
    },
    drop,
    whenIdle(callback) {
      idleCallbacks.push(callback);
      tellIdle();
    },
    tellIdle,
  };
}

const accepted: Outcome = { ok: true };

/** Success, with what became of the message where the agent does not say it itself. */
function withTaken(taken: 'queued' | 'handled', outcome: Outcome): Outcome {
  return outcome.ok ? { ok: true, data: { taken, ...dictionaryOf(outcome.data) } } : outcome;
}

const takenBack = refused('aborted', 'its client took it back');

/** A model that failed is the answer to a prompt that did not; an agent that says that it failed is none. */
function refusalOf({ outcome, failure, synthetic }: EventOf<'run-end'>): Outcome | null {
  const isSaid = outcome === 'failed' && synthetic !== true;
  return isSaid && failure?.kind === 'agent' ? refused('agent-refused', failure.message) : null;
}

function isUnsupported(outcome: Outcome): boolean {
  return !outcome.ok && outcome.error.code === 'unsupported';
}
