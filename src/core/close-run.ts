// Ends what is open, in one fixed order, so that every dialect can show a well-formed ending. Knows no protocol.
import type { Failure } from './content.ts';
import type { Event, EventOf } from './event.ts';
import type { AssistantMessage, Block, ToolRun, Transcript } from './transcript.ts';

/** Why a run ends abnormally. */
export interface Cause {
  readonly outcome: 'failed' | 'aborted';
  readonly failure: Failure;
}

/** The ending of an open block: what came stays, half-built arguments are marked. */
export function closeBlock(block: Block, parent: string | undefined): EventOf<'block-end'> {
  const incomplete = block.head.kind === 'tool-call' ? { incomplete: true } : {};
  return { type: 'block-end', parent, index: block.index, ...incomplete, synthetic: true };
}

/** The ending of an open message, its blocks first. */
export function closeMessage(message: AssistantMessage, cause: Cause): Event[] {
  const { parent } = message.start;
  const reason = cause.outcome === 'aborted' ? 'aborted' : 'error';
  return [
    ...message.blocks.filter((block) => block.end === undefined).map((block) => closeBlock(block, parent)),
    { type: 'message-end', parent, stop: { reason }, failure: cause.failure, synthetic: true },
  ];
}

/** The result of a tool that will never give one. */
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
 * The events that end the open run: blocks, messages, started tools, announced tools with their approvals, dialogs,
 * brackets, turn, verdict (reference reliability 4.1). Empty when no run is open, so a second cause is a no-op.
 */
export function closeRun(transcript: Transcript, cause: Cause): Event[] {
  const dialogs: Event[] = [...transcript.dialogs.keys()].map((id) => ({
    type: 'dialog-end',
    id,
    outcome: 'cancelled',
    synthetic: true,
  }));
  if (transcript.run === null) return dialogs;
  const unanswered = subAgentsFirst(
    [...transcript.tools.values()].filter((tool) => tool.state !== 'done'),
    (tool) => tool.parent,
  );
  const started = unanswered.filter((tool) => tool.state === 'running');
  const announced = unanswered.filter((tool) => tool.state === 'announced');
  const events: Event[] = [];
  for (const message of subAgentsFirst([...transcript.open.values()], (open) => open.start.parent)) {
    events.push(...closeMessage(message, cause));
  }
  for (const approval of transcript.approvals.values()) {
    events.push({
      type: 'approval-end',
      parent: approval.parent,
      id: approval.id,
      outcome: 'cancelled',
      reason: cause.failure.message,
      synthetic: true,
    });
  }
  for (const tool of [...started, ...announced]) events.push(closeTool(tool, cause));
  events.push(...dialogs);
  if (transcript.retry !== null) {
    const { attempt } = transcript.retry;
    events.push({ type: 'retry-end', attempt, success: false, failure: cause.failure, synthetic: true });
  }
  if (transcript.compaction !== null) {
    events.push({ type: 'compaction-end', outcome: 'aborted', failure: cause.failure, synthetic: true });
  }
  if (transcript.turn) events.push({ type: 'turn-end', synthetic: true });
  events.push({ type: 'run-end', outcome: cause.outcome, failure: cause.failure, synthetic: true });
  return events;
}

/** Sub-agents end before the tool call that they live in. */
function subAgentsFirst<Thing>(things: readonly Thing[], parentOf: (thing: Thing) => string | undefined): Thing[] {
  return [
    ...things.filter((thing) => parentOf(thing) !== undefined),
    ...things.filter((thing) => parentOf(thing) === undefined),
  ];
}
