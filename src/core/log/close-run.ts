// Ends everything that is open, in one fixed order, so that every dialect can show a well-formed ending.
import type { Failure } from '../model/content.ts';
import { dictionaryIn } from '../model/dictionary.ts';
import type { Event, EventOf } from '../model/event.ts';
import type { AssistantMessage, Block, ToolRun, Transcript } from '../model/transcript.ts';

/** Why a run ends abnormally. */
export interface Cause {
  readonly outcome: 'failed' | 'aborted';
  readonly failure: Failure;
}

/** Ends an open block and keeps its content. Marks a cut text and arguments that are not whole JSON as incomplete. */
export function closeBlock(block: Block, parent: string | undefined, isCut = false): EventOf<'block-end'> {
  const end = { type: 'block-end', parent, index: block.index, synthetic: true } as const;
  if (block.head.kind !== 'tool-call') return isCut ? { ...end, incomplete: true } : end;
  const input = dictionaryIn(block.text);
  return input === null ? { ...end, incomplete: true } : { ...end, input };
}

/** Ends the blocks of an open message, then the message. */
export function closeMessage(message: AssistantMessage, cause: Cause): Event[] {
  const { parent } = message.start;
  const reason = cause.outcome === 'aborted' ? 'aborted' : 'error';
  return [
    ...message.blocks.filter((block) => block.end === undefined).map((block) => closeBlock(block, parent, true)),
    { type: 'message-end', parent, stop: { reason }, failure: cause.failure, synthetic: true },
  ];
}

/** A generated result for a tool call that will never return one. */
export function closeTool(tool: ToolRun, cause: Cause): EventOf<'tool-end'> {
  return {
    type: 'tool-end',
    parent: tool.parent,
    call: tool.call,
    name: tool.name,
    content: [{ type: 'text', text: `interrupted: ${cause.failure.message}` }],
    isError: true,
    ...(tool.state === 'announced' ? { skipped: 'aborted' as const } : {}),
    synthetic: true,
  };
}

/**
 * The events that end the open run, in this order: blocks, messages, approvals, started tools, announced tools,
 * dialogs, brackets, turn, verdict (docs/faults.md 1.1). Dialogs and a compaction may also be open outside a run.
 * Returns no events if nothing is open, so a second cause is a no-op.
 */
export function closeRun(transcript: Transcript, cause: Cause): Event[] {
  const isOpen = transcript.run !== null;
  return [
    ...(isOpen ? closeTurn(transcript, cause) : []),
    ...closeQuestions(transcript),
    ...closeBrackets(transcript, cause),
    ...(transcript.turn ? [{ type: 'turn-end' as const, synthetic: true }] : []),
    ...(isOpen ? [{ type: 'run-end' as const, outcome: cause.outcome, failure: cause.failure, synthetic: true }] : []),
  ];
}

function closeTurn(transcript: Transcript, cause: Cause): Event[] {
  const messages = innermostFirst(transcript, [...transcript.open.values()], (message) => message.start.parent);
  const approvals = [...transcript.approvals.values()].map(({ id, parent }) => ({
    type: 'approval-end' as const,
    parent,
    id,
    outcome: 'cancelled' as const,
    reason: cause.failure.message,
    synthetic: true,
  }));
  return [
    ...messages.flatMap((message) => closeMessage(message, cause)),
    ...approvals,
    ...closeTools(transcript, cause),
  ];
}

function closeQuestions(transcript: Transcript): Event[] {
  return [...transcript.dialogs.keys()].map((id) => ({
    type: 'dialog-end',
    id,
    outcome: 'cancelled',
    synthetic: true,
  }));
}

function closeBrackets(transcript: Transcript, { failure }: Cause): Event[] {
  const { retry, compaction } = transcript;
  return [
    ...(retry === null
      ? []
      : [{ type: 'retry-end' as const, attempt: retry.attempt, success: false, failure, synthetic: true }]),
    ...(compaction === null
      ? []
      : [{ type: 'compaction-end' as const, outcome: 'aborted' as const, failure, synthetic: true }]),
  ];
}

/** Generated results for all tool calls without one. In each lane, started calls come before calls that never ran. */
export function closeTools(transcript: Transcript, cause: Cause): EventOf<'tool-end'>[] {
  const unanswered = [...transcript.tools.values()].filter((tool) => tool.state !== 'done');
  const ranFirst = unanswered.sort((a, b) => Number(a.state === 'announced') - Number(b.state === 'announced'));
  return innermostFirst(transcript, ranFirst, (tool) => tool.parent).map((tool) => closeTool(tool, cause));
}

/** Orders sub-agents before the tool call that contains them. */
function innermostFirst<Thing>(
  transcript: Transcript,
  things: readonly Thing[],
  parentOf: (thing: Thing) => string | undefined,
): Thing[] {
  return [...things].sort((a, b) => depthOf(transcript, parentOf(b)) - depthOf(transcript, parentOf(a)));
}

/** The nesting depth of a lane: 0 for the main thread. Bad input may name parents in a circle. */
function depthOf({ tools }: Transcript, parent: string | undefined): number {
  let depth = 0;
  for (let lane = parent; lane !== undefined && depth <= tools.size; lane = tools.get(lane)?.parent) depth += 1;
  return depth;
}
