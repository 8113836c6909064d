// Defines which event may follow which: one table, and a verifier that reports faults and never throws.
import type { Event, EventOf, EventType } from '../model/event.ts';
import { laneOf, type Transcript } from '../model/transcript.ts';
import { emptyTranscript, fold } from './fold.ts';

/** Why an event is illegal at its place. repair.ts has a remedy for each. */
export type Fault =
  | 'no-run'
  | 'run-open'
  | 'no-turn'
  | 'turn-open'
  | 'no-message'
  | 'message-open'
  | 'no-block'
  | 'block-open'
  | 'block-used'
  | 'no-tool'
  | 'tool-open'
  | 'tool-done'
  | 'no-approval'
  | 'approval-open'
  | 'no-dialog'
  | 'dialog-open'
  | 'no-compaction'
  | 'compaction-open'
  | 'no-retry'
  | 'retry-open';

type Condition<Type extends EventType> = (state: Transcript, event: EventOf<Type>) => Fault | null;
type Table = { readonly [Type in EventType]: readonly Condition<Type>[] };

const run = (state: Transcript): Fault | null => (state.run === null ? 'no-run' : null);
const noRun = (state: Transcript): Fault | null => (state.run === null ? null : 'run-open');
const turn = (state: Transcript): Fault | null => (state.turn ? null : 'no-turn');
const noTurn = (state: Transcript): Fault | null => (state.turn ? 'turn-open' : null);
/** Only the main thread has turns. A sub-agent works inside a tool call. */
const turnOnMainThread = (state: Transcript, event: { parent?: string | undefined }): Fault | null =>
  event.parent === undefined ? turn(state) : null;

const message = (state: Transcript, event: { parent?: string | undefined }): Fault | null =>
  state.open.has(laneOf(event)) ? null : 'no-message';
const noMessage = (state: Transcript, event: { parent?: string | undefined }): Fault | null =>
  state.open.has(laneOf(event)) ? 'message-open' : null;
const mainMessageEnded = (state: Transcript): Fault | null => (state.open.has('') ? 'message-open' : null);
const allMessagesEnded = (state: Transcript): Fault | null => (state.open.size > 0 ? 'message-open' : null);

type BlockEvent = EventOf<'block-start' | 'block-delta' | 'block-end'>;
const blockOf = (state: Transcript, event: BlockEvent) =>
  state.open.get(laneOf(event))?.blocks.findLast((block) => block.index === event.index);
const blockIsOpen = (state: Transcript, event: BlockEvent): Fault | null => {
  const block = blockOf(state, event);
  return block === undefined ? 'no-block' : block.end === undefined ? null : 'block-used';
};
const blockIsNew = (state: Transcript, event: BlockEvent): Fault | null => {
  const block = blockOf(state, event);
  return block === undefined ? null : block.end === undefined ? 'block-open' : 'block-used';
};
const blocksEnded = (state: Transcript, event: EventOf<'message-end'>): Fault | null =>
  state.open.get(laneOf(event))?.blocks.some((block) => block.end === undefined) ? 'block-open' : null;

const toolIsNew = (state: Transcript, event: { call: string }): Fault | null => {
  const tool = state.tools.get(event.call);
  if (tool === undefined || tool.state === 'announced') return null;
  return tool.state === 'running' ? 'tool-open' : 'tool-done';
};
const toolRuns = (state: Transcript, event: { call: string }): Fault | null => {
  const tool = state.tools.get(event.call);
  if (tool?.state === 'done') return 'tool-done';
  return tool?.state === 'running' ? null : 'no-tool';
};
const toolUnanswered = (state: Transcript, event: { call: string }): Fault | null => {
  const tool = state.tools.get(event.call);
  return tool === undefined ? 'no-tool' : tool.state === 'done' ? 'tool-done' : null;
};
/** A tool result requires that the approval of its call is closed. */
const approvalOfCallEnded = (state: Transcript, event: { call: string }): Fault | null =>
  [...state.approvals.values()].some((approval) => approval.call === event.call) ? 'approval-open' : null;
const mainToolsAnswered = (state: Transcript): Fault | null =>
  [...state.tools.values()].some((tool) => tool.state !== 'done' && tool.parent === undefined) ? 'tool-open' : null;
const allToolsAnswered = (state: Transcript): Fault | null =>
  [...state.tools.values()].some((tool) => tool.state !== 'done') ? 'tool-open' : null;

const approvalIsNew: Condition<'approval-request'> = (state, event) =>
  state.approvals.has(event.id) ? 'approval-open' : null;
const approvalIsOpen: Condition<'approval-end'> = (state, event) =>
  state.approvals.has(event.id) ? null : 'no-approval';
const approvalsEnded = (state: Transcript): Fault | null => (state.approvals.size > 0 ? 'approval-open' : null);
const dialogIsNew: Condition<'dialog-request'> = (state, event) => (state.dialogs.has(event.id) ? 'dialog-open' : null);
const dialogIsOpen: Condition<'dialog-end'> = (state, event) => (state.dialogs.has(event.id) ? null : 'no-dialog');
const retryEnded = (state: Transcript): Fault | null => (state.retry === null ? null : 'retry-open');

const anywhere: readonly [] = [];

/** The order of events, as a condition on the state before each. Compactions and dialogs may be outside a run. */
const table: Table = {
  'run-start': [noRun],
  'turn-start': [run, noTurn],
  'message-start': [run, turnOnMainThread, noMessage],
  'block-start': [message, blockIsNew],
  'block-delta': [message, blockIsOpen],
  'block-end': [message, blockIsOpen],
  'message-end': [message, blocksEnded],
  'tool-start': [run, toolIsNew],
  'tool-update': [run, toolRuns],
  'tool-end': [run, toolUnanswered, approvalOfCallEnded],
  'approval-request': [run, approvalIsNew],
  'approval-end': [approvalIsOpen],
  'retry-start': [run],
  'retry-end': [(state) => (state.retry === null ? 'no-retry' : null)],
  'turn-end': [turn, mainMessageEnded, mainToolsAnswered],
  'run-end': [run, allMessagesEnded, allToolsAnswered, approvalsEnded, noTurn, retryEnded],
  'dialog-request': [dialogIsNew],
  'dialog-end': [dialogIsOpen],
  'compaction-start': [(state) => (state.compaction === null ? null : 'compaction-open')],
  'compaction-end': [(state) => (state.compaction === null ? 'no-compaction' : null)],
  'message-added': anywhere,
  'history-reset': [noRun],
  notice: anywhere,
  display: anywhere,
  'queue-changed': anywhere,
  'usage-changed': anywhere,
  'session-changed': anywhere,
  'tool-server-changed': anywhere,
  'task-changed': anywhere,
  'plan-changed': anywhere,
  activity: anywhere,
  'bash-output': anywhere,
  error: anywhere,
  'agent-changed': anywhere,
  unknown: anywhere,
};

/** Returns the first fault of an event in a state, or null if the event is legal. */
export function check(state: Transcript, event: Event): Fault | null {
  const conditions: readonly ((state: Transcript, event: never) => Fault | null)[] = table[event.type];
  for (const condition of conditions) {
    const fault = condition(state, event as never);
    if (fault !== null) return fault;
  }
  return null;
}

/** Returns the faults of a whole sequence of events, and what the sequence leaves open. Never throws. */
export function verify(events: Iterable<Event>): {
  faults: { at: number; type: EventType; fault: Fault }[];
  end: Transcript;
} {
  const end = emptyTranscript();
  const faults: { at: number; type: EventType; fault: Fault }[] = [];
  let at = 0;
  for (const event of events) {
    const fault = check(end, event);
    if (fault !== null) faults.push({ at, type: event.type, fault });
    fold(end, { seq: at + 1, at: 0, event });
    at += 1;
  }
  return { faults, end };
}
