// Mends the events of a backend before they are logged, so that the log is always in legal order (ARCHITECTURE.md, rule
// 5). grammar.ts finds the fault; this file has a remedy for each.

import { type Burst, eventsIn } from '../model/burst.ts';
import type { Event, EventOf } from '../model/event.ts';
import { type Block, laneOf, type Transcript } from '../model/transcript.ts';
import { type Cause, closeBlock, closeMessage, closeRun, closeTools } from './close-run.ts';
import { createCompletion } from './complete-events.ts';
import { check, type Fault } from './grammar.ts';
import { createBlockIndexes } from './renumber-blocks.ts';

/**
 * What the repair needs: the state, a function that logs an event and folds it into the state, and a sink for notes.
 */
export interface RepairPorts {
  readonly transcript: Transcript;
  append(event: Event): void;
  /** Logs deltas that came together. Absent: each is logged by itself. */
  appendBurst?(burst: Burst): void;
  note(level: 'repair' | 'violation', text: string): void;
}

/** Events to log before the faulty one, or `drop` if the event is redundant. */
type Remedy = readonly Event[] | 'drop';

const omitted: Cause = {
  outcome: 'failed',
  failure: { kind: 'agent', message: 'the agent went on without ending it' },
};

/** Takes events in any order and logs them in legal order. */
export interface Repair {
  (event: Event): void;
  /** Takes deltas that came together. */
  burst(burst: Burst): void;
}

/** Creates the entrance to the log. */
export function createRepair(ports: RepairPorts): Repair {
  const { transcript, append, note } = ports;
  const indexes = createBlockIndexes(transcript);
  const { place } = indexes;
  const complete = createCompletion(transcript, (text) => note('violation', text));

  function admit(event: Event): void {
    let fault = check(transcript, event);
    while (fault !== null) {
      const remedy = remedyFor(transcript, event, fault);
      note(isHarmless(event, fault) ? 'repair' : 'violation', `${event.type}: ${fault}`);
      if (remedy === 'drop') return;
      for (const missing of remedy) admit(missing);
      const next = check(transcript, event);
      // Stop if a remedy does not help, instead of looping forever.
      if (next === fault && remedy.length === 0) return;
      fault = next;
    }
    append(complete(event));
  }

  /** The block of the last delta. */
  let streaming: Block | undefined;
  let streamingLane: string | undefined;

  /** Hot path: a delta for the block of the last delta is in order. */
  function goesOn(event: { readonly index: number; readonly parent?: string | undefined }): boolean {
    // Closing a message closes its blocks first, so an open block is still at its place.
    if (streaming?.index === event.index && streaming.end === undefined && streamingLane === event.parent) return true;
    const message = transcript.open.get(laneOf(event));
    const last = message?.blocks[message.blocks.length - 1];
    if (message === undefined || last?.index !== event.index || last.end !== undefined) return false;
    if (indexes.moves(message)) return false;
    streaming = last;
    streamingLane = event.parent;
    return true;
  }

  function repair(event: Event): void {
    switch (event.type) {
      case 'block-start': {
        const abandoned = abandonedBy(transcript, place(event));
        if (abandoned !== undefined) {
          note('violation', 'block-start: another block of its index is open');
          admit(closeBlock(abandoned, event.parent));
        }
        return admit(place(event));
      }
      case 'block-delta':
        return goesOn(event) ? append(event) : admit(place(event));
      case 'block-end': {
        const ending = place(event);
        for (const missing of missingText(transcript, ending, note)) admit(missing);
        return admit(ending);
      }
      default:
        return admit(event);
    }
  }

  function burst(deltas: Burst): void {
    if (ports.appendBurst !== undefined && goesOn({ index: deltas.index })) ports.appendBurst(deltas);
    else for (const event of eventsIn(deltas)) repair(event);
  }

  return Object.assign(repair, { burst });
}

/** The open block with this index, unless the same block was started twice. */
function abandonedBy(transcript: Transcript, event: EventOf<'block-start'>): Block | undefined {
  const block = transcript.open.get(laneOf(event))?.blocks.find(({ index }) => index === event.index);
  if (block === undefined || block.end !== undefined) return undefined;
  return JSON.stringify(block.head) === JSON.stringify(event.block) ? undefined : block;
}

/**
 * If only the end of a block carries text, streams that text as a delta first, so that readers of deltas miss nothing.
 */
function missingText(transcript: Transcript, event: EventOf<'block-end'>, note: RepairPorts['note']): Event[] {
  const block = transcript.open.get(laneOf(event))?.blocks.findLast((candidate) => candidate.index === event.index);
  if (event.text === undefined || block === undefined || block.end !== undefined) return [];
  if (block.text === event.text || (block.head.kind !== 'text' && block.head.kind !== 'thinking')) return [];
  if (!event.text.startsWith(block.text)) {
    note('violation', `block-end: its text is not what its deltas said (${block.text.length} characters streamed)`);
    return [];
  }
  const delta = event.text.slice(block.text.length);
  return [{ type: 'block-delta', parent: event.parent, index: event.index, delta, synthetic: true }];
}

/** Duplicate endings are common (docs/faults.md F10) and not noted. A missing start is an error of the agent. */
function isHarmless(event: Event, fault: Fault): boolean {
  return event.type.endsWith('-end') || fault === 'run-open' || fault === 'tool-open';
}

function remedyFor(transcript: Transcript, event: Event, fault: Fault): Remedy {
  switch (fault) {
    case 'no-run':
      return opensRun(event) ? [{ type: 'run-start', synthetic: true }] : 'drop';
    case 'no-turn':
      return event.type === 'turn-end' ? 'drop' : [{ type: 'turn-start', synthetic: true }];
    case 'turn-open':
      return [{ type: 'turn-end', synthetic: true }];
    case 'no-message':
      return openMessageFor(transcript, event);
    case 'message-open':
      return endMessages(transcript, event);
    case 'no-block':
      return openBlockFor(event);
    case 'block-open':
      return event.type === 'message-end' ? endBlocks(transcript, event) : 'drop';
    case 'no-tool':
      return openToolFor(transcript, event);
    case 'tool-open':
      return event.type === 'turn-end' || event.type === 'run-end' ? endTools(transcript, event) : 'drop';
    case 'approval-open':
      return event.type === 'approval-request' ? 'drop' : endApprovals(transcript, event);
    case 'retry-open':
      return closeRetry(transcript);
    case 'run-open':
      return event.type === 'history-reset' ? closeRun(transcript, omitted) : 'drop';
    case 'block-used':
    case 'tool-done':
    case 'no-approval':
    case 'no-dialog':
    case 'dialog-open':
    case 'no-compaction':
    case 'compaction-open':
    case 'no-retry':
      return 'drop';
    default:
      return fault satisfies never;
  }
}

/** Only a starting event may open a run. A late event of a closed run must not (docs/faults.md F10, F32). */
function opensRun(event: Event): boolean {
  return ['turn-start', 'message-start', 'tool-start', 'approval-request', 'retry-start'].includes(event.type);
}

function openMessageFor(transcript: Transcript, event: Event): Remedy {
  if (transcript.run === null) return 'drop';
  if (event.type !== 'block-start' && event.type !== 'block-delta') return 'drop';
  const id = `message-${transcript.lastSeq + 1}`;
  return [{ type: 'message-start', parent: event.parent, id, synthetic: true }];
}

function openBlockFor(event: Event): Remedy {
  if (event.type !== 'block-delta') return 'drop';
  return [{ type: 'block-start', parent: event.parent, index: event.index, block: { kind: 'text' }, synthetic: true }];
}

function openToolFor(transcript: Transcript, event: Event): Remedy {
  if (event.type !== 'tool-update' && event.type !== 'tool-end') return 'drop';
  const { call, parent } = event;
  const announced = transcript.tools.get(call);
  const name = announced?.name ?? (event.type === 'tool-end' ? event.name : 'unknown');
  return [{ type: 'tool-start', parent, call, name, input: announced?.input ?? {}, synthetic: true }];
}

function endMessages(transcript: Transcript, event: Event): Remedy {
  const lane = event.type === 'message-start' ? laneOf(event) : '';
  const open = transcript.open.get(lane) ?? [...transcript.open.values()][0];
  if (event.type === 'message-start' && open?.start.id === event.id) return 'drop';
  return open === undefined ? [] : closeMessage(open, causeOf(event));
}

function endBlocks(transcript: Transcript, event: EventOf<'message-end'>): Remedy {
  const message = transcript.open.get(laneOf(event));
  const open = message?.blocks.filter((block) => block.end === undefined) ?? [];
  const isCut = event.stop.reason === 'aborted' || event.stop.reason === 'error';
  return open.map((block) => closeBlock(block, event.parent, isCut));
}

function endTools(transcript: Transcript, event: Event): Remedy {
  const due = closeTools(transcript, causeOf(event));
  return event.type === 'turn-end' ? due.filter(({ parent }) => parent === undefined) : due;
}

function endApprovals(transcript: Transcript, event: Event): Remedy {
  const due = [...transcript.approvals.values()].filter((approval) =>
    event.type === 'tool-end' ? approval.call === event.call : true,
  );
  return due.map(({ id, parent }) => ({ type: 'approval-end', id, parent, outcome: 'cancelled', synthetic: true }));
}

function closeRetry(transcript: Transcript): Remedy {
  if (transcript.retry === null) return [];
  return [{ type: 'retry-end', attempt: transcript.retry.attempt, success: false, synthetic: true }];
}

/** The outcome of a run is the cause for closing its open parts. */
function causeOf(event: Event): Cause {
  if (event.type !== 'run-end' || event.outcome === 'completed') return omitted;
  return {
    outcome: event.outcome,
    failure: event.failure ?? { kind: 'agent', message: `the run was ${event.outcome}` },
  };
}
