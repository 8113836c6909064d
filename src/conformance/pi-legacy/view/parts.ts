// The parts of a trace of pi-legacy, as rules see them. Only types.
import type { Dictionary } from '../../../core/model/content.ts';
import type { Finding, Trace } from '../../check/rule.ts';

/** A line that is a JSON object. */
export interface Line {
  readonly frame: number;
  /** Empty where it has none. */
  readonly type: string;
  readonly json: Dictionary;
}

/** A prompt that can be run. */
export interface Prompt {
  readonly line: Line;
  readonly text: string;
  readonly attachments: readonly Dictionary[];
  run: Run | null;
  /** The `error` that came in the place of a run. */
  refusal: Line | null;
  /** It was sent while another had not ended, or others were sent while it had not. */
  isMixed: boolean;
}

/** One content block under way. */
export interface Block {
  readonly index: number;
  /** `text`, `thinking` or `toolcall`. */
  readonly kind: string;
  /** All its deltas. */
  streamed: string;
  deltas: number;
  end: Line | null;
}

/** What there is to say about updates, one finding for each of them. */
export interface UpdateFindings {
  readonly order: Finding[];
  readonly snapshots: Finding[];
  readonly growth: Finding[];
}

/** One message. */
export interface Told {
  readonly role: string;
  readonly start: Line;
  readonly updates: Line[];
  readonly blocks: Map<number, Block>;
  end: Line | null;
}

/** One tool at work. */
export interface Tool {
  readonly id: string;
  readonly start: Line;
  end: Line | null;
}

/** One answer of the model, with what came of it. */
export interface Turn {
  readonly start: Line;
  readonly messages: Told[];
  readonly tools: Tool[];
  end: Line | null;
}

/** From `agent_start` to `agent_end`. */
export interface Run {
  readonly start: Line;
  readonly prompt: Prompt | null;
  readonly turns: Turn[];
  readonly aborts: Line[];
  end: Line | null;
  /** Another run came into it. */
  isMixed: boolean;
}

/** Prompts that were at work at the same time, and what came for all of them. */
export interface Mix {
  readonly prompts: readonly Prompt[];
  starts: number;
  ends: number;
  /** How many runs there should be. */
  wanted: number;
}

/** A command for compaction, and the lines that may answer it. */
export interface Compact {
  readonly line: Line;
  readonly answers: Line[];
}

/** What stands in the right place and what does not, by what it is about. */
export interface Places extends UpdateFindings {
  readonly runs: Finding[];
  readonly runEnds: Finding[];
  readonly turns: Finding[];
  readonly turnEnds: Finding[];
  readonly messages: Finding[];
  readonly messageEnds: Finding[];
  readonly updates: Finding[];
  readonly toolStarts: Finding[];
  readonly toolEnds: Finding[];
}

/** A line of the client that is no JSON, or `null`, and the `error` that came for it. */
export interface Bad {
  readonly frame: number;
  readonly kind: 'text' | 'blank' | 'null';
  error: Line | null;
}

/** A command to stop while nothing was going on, and what came before anything else was asked. */
export interface IdleAbort {
  readonly line: Line;
  next: Line | null;
}

/** What the rules read. */
export interface View {
  readonly trace: Trace;
  readonly agent: readonly Line[];
  readonly client: readonly Line[];
  readonly prompts: readonly Prompt[];
  readonly mixes: readonly Mix[];
  /** Without those that are mixed. */
  readonly runs: readonly Run[];
  readonly messages: readonly Told[];
  readonly compacts: readonly Compact[];
  /** Compactions that no command asked for. */
  readonly ownCompactions: readonly Line[];
  readonly bad: readonly Bad[];
  readonly idleAborts: readonly IdleAbort[];
  readonly places: Places;
  /** A message that is no string spoils all that follows (docs/protocols/pi-legacy.md 1.6): index of that frame. */
  readonly spoiledFrom: number;
}
