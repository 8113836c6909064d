// The state of a session, folded from its events: messages, open blocks, running tools, usage.
import type { Content, Cost, Failure, Stop, Usage } from './content.ts';
import type { BlockHead, EventOf, Logged } from './event.ts';
import type { GrowingText } from './growing-text.ts';
import type { SessionInfo } from './session-info.ts';

/** One block of an assistant message, open or whole. */
export interface Block {
  readonly index: number;
  readonly head: BlockHead;
  /** All deltas joined; the JSON text of the arguments for a tool call. */
  readonly text: string;
  /** The growing text behind `text`. Only `fold` (log/fold.ts) appends to it. */
  readonly streamed: GrowingText;
  /** How the block ended; absent while it is open. */
  end?: EventOf<'block-end'>;
}

/** A message of the model, open until `stop` is set. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly start: EventOf<'message-start'>;
  readonly seq: number;
  readonly startedAt: number;
  readonly blocks: Block[];
  endedAt?: number;
  stop?: Stop;
  usage?: Usage;
  cost?: Cost;
  failure?: Failure;
  end?: EventOf<'message-end'>;
}

/** A tool call of the current run, from its announcement to its result. */
export interface ToolRun {
  readonly call: string;
  readonly name: string;
  readonly parent?: string;
  input: EventOf<'tool-start'>['input'];
  state: 'announced' | 'running' | 'done';
  /** The output so far. Empty once the call is done. */
  progress: readonly Content[];
}

/** The open run. */
export interface Run {
  /** Counted from 0 over the session. */
  readonly number: number;
  /** Session clock, ms. */
  readonly startedAt: number;
}

/** One entry of the history, sufficient to replay the session (log/replay.ts). Streamed messages are stored folded. */
export type Item =
  | { readonly kind: 'message'; readonly message: AssistantMessage }
  | { readonly kind: 'event'; readonly logged: Logged };

/** The folded state of a session. Only `fold` (log/fold.ts) may write to it. */
export interface Transcript {
  readonly items: Item[];
  run: Run | null;
  runs: number;
  turn: boolean;
  /** Open messages by lane: '' for the main thread, else the parent call. */
  open: Map<string, AssistantMessage>;
  /** Tool calls of the current run. */
  tools: Map<string, ToolRun>;
  approvals: Map<string, EventOf<'approval-request'>>;
  dialogs: Map<string, EventOf<'dialog-request'>>;
  compaction: EventOf<'compaction-start'> | null;
  retry: EventOf<'retry-start'> | null;
  queue: Pick<EventOf<'queue-changed'>, 'steering' | 'followUp'>;
  info: SessionInfo;
  servers: Map<string, EventOf<'tool-server-changed'>>;
  displays: Map<string, EventOf<'display'>>;
  plan: EventOf<'plan-changed'> | null;
  agent: 'up' | 'down';
  usage: Usage;
  /** US dollars. */
  cost: number;
  lastSeq: number;
  lastAt: number;
  /** What the transcript keeps, estimated (log/transcript-size.ts). */
  bytes: number;
}

/** The lane of an event: '' for the main thread. */
export function laneOf(event: { parent?: string | undefined }): string {
  return event.parent ?? '';
}
