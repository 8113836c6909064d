// Replays a session for a late client: the shortest legal sequence of events that leads to the current state.

import type { Projection, SessionView } from '../contract/adapter/projection.ts';
import type { Out } from '../contract/channel.ts';
import type { Event, Logged } from '../model/event.ts';
import type { AssistantMessage, Transcript } from '../model/transcript.ts';
import { emptyTranscript, fold } from './fold.ts';

/**
 * The events of {@link Transcript}, with the deltas of each block joined into one. Folding them gives the same state,
 * except for the figures (usage, cost, runs) of conversations that a `history-reset` has replaced.
 */
export function* replay(transcript: Transcript): Generator<Logged> {
  const now = { seq: transcript.lastSeq, at: transcript.lastAt };
  const present = (event: Event): Logged => ({ ...now, event, replay: 'present' });
  if (Object.keys(transcript.info).length > 0) yield present({ type: 'session-changed', changes: transcript.info });
  for (const server of transcript.servers.values()) yield present(server);
  const run = openRun(transcript);
  for (const item of transcript.items) {
    if (item === run && item.kind === 'event') yield { ...item.logged, replay: 'present' };
    else if (item.kind === 'message') yield* replayMessage(item.message);
    else yield { ...item.logged, replay: isPending(transcript, item.logged.event) ? 'present' : 'past' };
  }
  for (const tool of transcript.tools.values()) {
    if (tool.state !== 'running' || tool.progress.length === 0) continue;
    const { call, parent, progress } = tool;
    yield present({ type: 'tool-update', call, parent, mode: 'replace', content: [...progress] });
  }
  if (transcript.retry !== null) yield present(transcript.retry);
  for (const dialog of transcript.dialogs.values()) yield present(dialog);
  for (const display of transcript.displays.values()) yield present(display);
  if (transcript.plan !== null) yield present(transcript.plan);
  if (transcript.agent === 'down') yield present({ type: 'agent-changed', state: 'down' });
  const { steering, followUp } = transcript.queue;
  if (steering.length + followUp.length > 0) yield present({ type: 'queue-changed', steering, followUp });
}

function* replayMessage(message: AssistantMessage): Generator<Logged> {
  const { seq, startedAt, endedAt, start, end } = message;
  const { parent } = start;
  const marker = end === undefined ? ({ replay: 'present' } as const) : ({ replay: 'past' } as const);
  const at = startedAt;
  yield { seq, at, event: start, ...marker };
  for (const block of message.blocks) {
    const { index } = block;
    yield { seq, at, event: { type: 'block-start', parent, index, block: block.head }, ...marker };
    if (block.text !== '')
      yield { seq, at, event: { type: 'block-delta', parent, index, delta: block.text }, ...marker };
    if (block.end !== undefined) yield { seq, at, event: block.end, ...marker };
  }
  if (end !== undefined) yield { seq, at: endedAt ?? at, event: end, ...marker };
}

/** The start of the open run. */
function openRun({ run, items }: Transcript) {
  if (run === null) return undefined;
  return items.findLast((item) => item.kind === 'event' && item.logged.event.type === 'run-start');
}

function isPending(transcript: Transcript, event: Event): boolean {
  switch (event.type) {
    case 'approval-request':
      return transcript.approvals.get(event.id) === event;
    case 'tool-start':
      return transcript.tools.get(event.call)?.state === 'running';
    case 'compaction-start':
      return transcript.compaction === event;
    default:
      return false;
  }
}

/**
 * The transcript as it is now, which later events leave alone. Copies references only: whole messages never change, and
 * of open ones the texts so far are kept.
 */
export function frozen(transcript: Transcript): Transcript {
  const items = transcript.items.slice();
  for (const message of transcript.open.values()) {
    const place = items.findLastIndex((item) => item.kind === 'message' && item.message === message);
    const blocks = message.blocks.map((block) => ({ ...block }));
    if (place >= 0) items[place] = { kind: 'message', message: { ...message, blocks } };
  }
  const { approvals, dialogs, servers, displays } = transcript;
  return {
    ...transcript,
    items,
    tools: new Map([...transcript.tools].map(([call, tool]) => [call, { ...tool }])),
    approvals: new Map(approvals),
    dialogs: new Map(dialogs),
    servers: new Map(servers),
    displays: new Map(displays),
  };
}

/** A fresh projection on its way from the beginning to the state of one moment. */
export interface Replaying {
  readonly projection: Projection;
  /** The frames of the next event of the replay; null when the replay is over. */
  next(): readonly Out[] | null;
  /** The transcript that the projection sees ends with this later event from now on. */
  fold(logged: Logged): void;
  /** The projection sees the live transcript from now on. */
  goLive(): void;
}

/** Starts the replay of the current state. What is logged later changes nothing about it. */
export function startReplay(view: SessionView, make: (view: SessionView) => Projection): Replaying {
  const past = emptyTranscript();
  // Plain fields instead of getters: V8 gives every object literal with a getter its own dictionary, and every stream
  // has one.
  const { id, epoch, timeOrigin, agent, place } = view;
  const pastView = { id, epoch, timeOrigin, agent, place, transcript: past };
  const projection = make(pastView);
  const events = replay(frozen(view.transcript));
  return {
    projection,
    next() {
      const { done, value } = events.next();
      if (done === true) return null;
      fold(past, value);
      return projection.event(value);
    },
    fold: (logged) => fold(past, logged),
    goLive() {
      pastView.transcript = view.transcript;
    },
  };
}
