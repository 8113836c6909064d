// The phases of a session's work for its clients: the one prompt or compaction that the session has given to its agent.
// Runs and compactions that the agent starts by itself appear only in the transcript. Pure.
import type { CommandOf } from '../../model/command.ts';
import type { Outcome, Settle } from '../../model/errors.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { StallWatch } from '../agent/stall-watch.ts';

export type Prompt = CommandOf<'prompt'>;
export type Compact = CommandOf<'compact'>;

/** A queued command with its callback. */
export interface Request<Asked extends Prompt | Compact = Prompt | Compact> {
  readonly command: Asked;
  readonly settle: Settle;
  /** True if the command was answered when it was queued. Only a failure is reported later. */
  readonly isFollowUp?: true;
}

/** The callback of a prompt that is answered at the end of its run (`untilIdle`). */
export interface AnswerAtEnd {
  readonly settle: Settle;
  readonly stallWatch: StallWatch;
  /** Why the session closes the run itself; null while the agent is expected to end the run. */
  readonly lost: Outcome | null;
}

/** The run of a prompt. `handle`: see the prompt. `atEnd`: null if the prompt is answered at the start of its run. */
interface PromptedRun {
  readonly handle: string | undefined;
  readonly atEnd: AnswerAtEnd | null;
}

export type Phase =
  /** The agent has no work of the session. */
  | { readonly name: 'idle' }
  /**
   * The agent has the prompt, but the run has not started. `reply`: the agent's success, answered at the start of the
   * run.
   */
  | { readonly name: 'sent'; readonly request: Request<Prompt>; readonly reply: Outcome }
  /** The first event of the run is being logged. */
  | ({ readonly name: 'starting' } & PromptedRun)
  | ({ readonly name: 'running' } & PromptedRun)
  /** The run has ended, and its prompt is being answered. */
  | { readonly name: 'ending' }
  /** The agent has the compaction. `settle`: null after the command was answered. */
  | { readonly name: 'compacting'; readonly settle: Settle | null };

/** An input that moves a session from one phase to another. */
export type Step =
  | { readonly type: 'send'; readonly request: Request<Prompt> }
  | { readonly type: 'reply'; readonly outcome: Outcome }
  | { readonly type: 'accept'; readonly atEnd: AnswerAtEnd | null }
  | { readonly type: 'run-start' }
  | { readonly type: 'run-end' }
  | { readonly type: 'answered' }
  /** The agent has ended. `isRunOpen`: the session still has to close a run and answers afterwards. */
  | { readonly type: 'lose'; readonly outcome: Outcome; readonly isRunOpen: boolean }
  | { readonly type: 'compact'; readonly settle: Settle }
  | { readonly type: 'compaction-start' }
  | { readonly type: 'compaction-reply' };

const idle: Phase = { name: 'idle' };

/** All transitions. A step that is not listed for a phase leaves the phase unchanged. */
function next(phase: Phase, step: Step): Phase {
  switch (phase.name) {
    case 'idle':
      if (step.type === 'send') return { name: 'sent', request: step.request, reply: { ok: true } };
      if (step.type === 'compact') return { name: 'compacting', settle: step.settle };
      return phase;
    case 'sent':
      if (step.type === 'reply') return step.outcome.ok ? { ...phase, reply: step.outcome } : idle;
      if (step.type === 'accept') return startOf(phase.request, step.atEnd);
      return step.type === 'lose' ? idle : phase;
    case 'starting':
    case 'running':
      if (step.type === 'run-start') return { ...phase, name: 'running' };
      if (step.type === 'run-end') return phase.atEnd === null ? idle : { name: 'ending' };
      if (step.type === 'lose') return step.isRunOpen ? withLoss(phase, step.outcome) : idle;
      return phase;
    case 'ending':
      return step.type === 'answered' ? idle : phase;
    case 'compacting':
      if (step.type === 'compaction-start') return { name: 'compacting', settle: null };
      return step.type === 'compaction-reply' ? idle : phase;
    default:
      return phase satisfies never;
  }
}

function startOf({ command }: Request<Prompt>, atEnd: AnswerAtEnd | null): Phase {
  return { name: 'starting', handle: command.handle, atEnd };
}

/** Records why the run is lost. Only the first reason is kept. */
function withLoss(phase: Extract<Phase, PromptedRun>, outcome: Outcome): Phase {
  const { atEnd } = phase;
  return atEnd === null ? phase : { ...phase, atEnd: { ...atEnd, lost: atEnd.lost ?? outcome } };
}

/** Holds the phase of one session and applies the steps. */
export interface PhaseMachine {
  current(): Phase;
  /** Applies a step. Returns the previous phase, whose callbacks the caller may have to answer. */
  step(step: Step): Phase;
  /** Whether a run is open or the agent has a prompt that will open one. */
  isRunning(): boolean;
  /** Whether a run or a compaction is open. Agents accept a prompt during a compaction and then lose the prompt. */
  isBusy(): boolean;
}

/** Creates a phase machine that is idle. */
export function createPhaseMachine(transcript: Transcript): PhaseMachine {
  let phase = idle;
  const isRunning = () => transcript.run !== null || phase.name === 'sent' || phase.name === 'starting';
  return {
    current: () => phase,
    step(step) {
      const before = phase;
      phase = next(phase, step);
      return before;
    },
    isRunning,
    isBusy: () => isRunning() || phase.name === 'compacting' || transcript.compaction !== null,
  };
}

/** The handle of the agent's current prompt, until the run of that prompt is over. */
export function handleOf(phase: Phase): string | undefined {
  if (phase.name === 'sent') return phase.request.command.handle;
  return phase.name === 'starting' || phase.name === 'running' ? phase.handle : undefined;
}

/** The callback to answer at the end of the run, if any. */
export function answerAtEndOf(phase: Phase): AnswerAtEnd | null {
  return phase.name === 'starting' || phase.name === 'running' ? phase.atEnd : null;
}
