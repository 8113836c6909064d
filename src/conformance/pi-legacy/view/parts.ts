// The parts of a trace of pi-legacy. Types only.
import type { Dictionary } from '../../../core/model/content.ts';
import type { Finding, Trace } from '../../check/rule.ts';

/** A line that is a JSON object. */
export interface Line {
  readonly frame: number;
  /** Empty where the line has none. */
  readonly type: string;
  readonly json: Dictionary;
}

/** A prompt that can be run. */
export interface Prompt {
  readonly line: Line;
  readonly text: string;
  readonly attachments: readonly Dictionary[];
  run: Run | null;
  /** The `error` that came instead of a run. */
  refusal: Line | null;
  /** The prompt overlaps another: one was sent before the other had ended. */
  isMixed: boolean;
}

/** One streaming content block. */
export interface Block {
  readonly index: number;
  readonly start: Line;
  /** `text`, `thinking` or `toolcall`. */
  readonly kind: string;
  /** The joined deltas. */
  streamed: string;
  deltas: number;
  end: Line | null;
}

/** Findings on updates, by rule. */
export interface UpdateFindings {
  readonly order: Finding[];
  readonly snapshots: Finding[];
  readonly growth: Finding[];
}

/** One message. */
export interface StreamedMessage {
  readonly role: string;
  readonly start: Line;
  readonly updates: Line[];
  readonly blocks: Map<number, Block>;
  end: Line | null;
}

/** One tool execution. */
export interface Tool {
  readonly id: string;
  readonly start: Line;
  end: Line | null;
}

/** One answer of the model, with its tools. */
export interface Turn {
  readonly start: Line;
  readonly messages: StreamedMessage[];
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
  /** Another run overlaps this one. */
  isMixed: boolean;
}

/** Prompts that ran at the same time, and their lines. */
export interface Mix {
  readonly prompts: readonly Prompt[];
  starts: number;
  ends: number;
  /** How many runs there should be. */
  wanted: number;
}

/** A compaction command, and the lines that may answer it. */
export interface Compact {
  readonly line: Line;
  readonly answers: Line[];
}

/** Findings on the order of lines, by subject. */
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

/** A client line that is no JSON, or `null`, and the `error` that answers it. */
export interface Bad {
  readonly frame: number;
  readonly kind: 'text' | 'blank' | 'null';
  error: Line | null;
}

/** An abort without a run, and the lines before the next command. */
export interface IdleAbort {
  readonly line: Line;
  next: Line | null;
}

/** The view of a trace that the rules read. */
export interface View {
  readonly trace: Trace;
  readonly agent: readonly Line[];
  readonly client: readonly Line[];
  readonly prompts: readonly Prompt[];
  readonly mixes: readonly Mix[];
  /** Without overlapping runs. */
  readonly runs: readonly Run[];
  readonly messages: readonly StreamedMessage[];
  readonly compacts: readonly Compact[];
  /** Compactions without a command. */
  readonly ownCompactions: readonly Line[];
  readonly bad: readonly Bad[];
  readonly idleAborts: readonly IdleAbort[];
  readonly places: Places;
  /**
   * Index of the first prompt whose message is no string; it spoils everything after it (docs/protocols/pi-legacy.md
   * 1.6).
   */
  readonly spoiledFrom: number;
}
