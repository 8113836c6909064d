// The phases of a session's own work: what the session has given to its agent, one prompt or one compaction at a time.
// Runs and compactions that the agent begins by itself are in the transcript alone. Pure.
import type { CommandOf } from '../../model/command.ts';
import type { Outcome, Settle } from '../../model/errors.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { StallWatch } from '../stall-watch.ts';

export type Prompt = CommandOf<'prompt'>;
export type Compact = CommandOf<'compact'>;

/** A command that takes its turn, with its answer. */
export interface Request<Asked extends Prompt | Compact = Prompt | Compact> {
  readonly command: Asked;
  readonly settle: Settle;
  /** The command was answered when it was queued; only its failure is told. */
  readonly isFollowUp?: true;
}

/** The answer to a prompt that is answered at the end of its run (`untilIdle`). */
export interface AnswerAtEnd {
  readonly settle: Settle;
  readonly stallWatch: StallWatch;
  /** Why the session closes the run itself; null while the agent is expected to end the run. */
  readonly lost: Outcome | null;
}

/** A run of a prompt. `handle`: see the prompt. `atEnd`: null where the prompt is answered when its run starts. */
interface PromptedRun {
  readonly handle: string | undefined;
  readonly atEnd: AnswerAtEnd | null;
}

export type Phase =
  /** The agent has nothing of the session. */
  | { readonly name: 'idle' }
  /** The agent has the prompt, whose run has not started. `reply`: the agent's success, told when the run starts. */
  | { readonly name: 'sent'; readonly request: Request<Prompt>; readonly reply: Outcome }
  /** The first event of the run is being logged. */
  | ({ readonly name: 'starting' } & PromptedRun)
  | ({ readonly name: 'running' } & PromptedRun)
  /** The prompt is being answered with the end of its run. The agent may be in the middle of telling about the end. */
  | { readonly name: 'ending' }
  /** The agent has the compaction. `settle`: null once the command is answered. */
  | { readonly name: 'compacting'; readonly settle: Settle | null };

/** What moves a session from one phase to another. */
export type Step =
  | { readonly type: 'send'; readonly request: Request<Prompt> }
  | { readonly type: 'reply'; readonly outcome: Outcome }
  | { readonly type: 'accept'; readonly atEnd: AnswerAtEnd | null }
  | { readonly type: 'run-start' }
  | { readonly type: 'run-end' }
  | { readonly type: 'answered' }
  /** The agent is gone. `isRunOpen`: the session still has to close a run, and the answer waits for that. */
  | { readonly type: 'lose'; readonly outcome: Outcome; readonly isRunOpen: boolean }
  | { readonly type: 'compact'; readonly settle: Settle }
  | { readonly type: 'compaction-start' }
  | { readonly type: 'compaction-reply' };

const idle: Phase = { name: 'idle' };

/** All transitions. A step that a phase does not name leaves the phase as it is. */
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

/** The first reason is told. */
function withLoss(phase: Extract<Phase, PromptedRun>, outcome: Outcome): Phase {
  const { atEnd } = phase;
  return atEnd === null ? phase : { ...phase, atEnd: { ...atEnd, lost: atEnd.lost ?? outcome } };
}

/** The phase of one session, and the only way to change the phase. */
export interface PhaseMachine {
  current(): Phase;
  /** Returns the phase before the step, whose data the caller may have to answer. */
  step(step: Step): Phase;
  /** A run is open, or the agent has the prompt that will open one. */
  isRunning(): boolean;
  /** Running, or compacting: agents take a prompt during a compaction and then forget the prompt. */
  isBusy(): boolean;
}

/** Begins idle. */
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

/** The handle of the prompt that the agent has, until the run of that prompt is over. */
export function handleOf(phase: Phase): string | undefined {
  if (phase.name === 'sent') return phase.request.command.handle;
  return phase.name === 'starting' || phase.name === 'running' ? phase.handle : undefined;
}

/** The answer that waits for the end of the run; null where none waits. */
export function answerAtEndOf(phase: Phase): AnswerAtEnd | null {
  return phase.name === 'starting' || phase.name === 'running' ? phase.atEnd : null;
}
