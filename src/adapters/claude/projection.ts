// What a session says to Claude-format clients: strict grammar out, whatever the agent behind (reference claude-sdk 4.1).
import type { NoteLevel, Projection, SessionView } from '../../core/adapter.ts';
import type { Out } from '../../core/channel.ts';
import type { Event, EventOf, Logged } from '../../core/event.ts';
import { createIds, type Dialect, inDialect } from './envelope.ts';
import { createMessageEncoder, type MessageEncoder } from './message.ts';
import {
  cancelFrame,
  compactedFrames,
  compactingFrame,
  dialogFrame,
  dialogPrefix,
  initFrame,
  permissionFrame,
  retryFrame,
} from './notices.ts';
import { createResultCounter } from './result.ts';
import { wireBlock, wireResult, wireStop } from './values.ts';
import type { WireFrame } from './wire.ts';

/** How a projection speaks. */
export interface ProjectionOptions {
  readonly dialect: Dialect;
  /** Whether `stream_event` frames are sent. */
  readonly partialMessages: boolean;
}

/** A message of one lane that is being told. */
interface Telling {
  readonly encoder: MessageEncoder;
  readonly startedAt: number;
  readonly model: string;
}

/** One projection over one session, shared by all clients of the dialect. */
export function createProjection(session: SessionView, options: ProjectionOptions): Projection {
  const ids = createIds(session.epoch);
  const counter = createResultCounter();
  const notes: { level: NoteLevel; text: string }[] = [];
  /** Open messages by lane: '' is the main thread. */
  const telling = new Map<string, Telling>();
  /** Tool calls of the run that a client has seen and that have no result yet. */
  const unanswered = new Set<string>();
  /** Frames that must wait until the open message of the main thread is closed. */
  let afterMessage: WireFrame[] = [];
  /** What was said between two turns, where the grammar has no place for it: told behind the next init. */
  let betweenTurns: WireFrame[] = [];
  let inTurn = false;
  const asked = new Map<string, EventOf<'approval-request'>>();
  /** `stop_reason` of the last message on the main thread. */
  let lastStop: string | null = null;

  const loss = (text: string): WireFrame[] => {
    notes.push({ level: 'loss', text });
    return [];
  };

  const modelOf = (model: string | undefined) => model ?? session.transcript.info.model?.id ?? 'unknown';

  function startMessage(event: EventOf<'message-start'>, at: number, replayed: boolean): WireFrame[] {
    const model = modelOf(event.model);
    // Sub-agents are told in whole frames (reference 4.1); so is what a late client did not see.
    const streams = options.partialMessages && event.parent === undefined && !replayed;
    const encoder = createMessageEncoder(event, { streams, model });
    telling.set(event.parent ?? '', { encoder, startedAt: at, model });
    return onLane(event.parent, encoder.start());
  }

  function tellBlock(event: EventOf<'block-start' | 'block-delta' | 'block-end'>): WireFrame[] {
    const encoder = telling.get(event.parent ?? '')?.encoder;
    if (encoder === undefined) return [];
    const frames = encoder.block(event);
    if (event.type !== 'block-delta') for (const call of encoder.calls) if (isNews(call)) unanswered.add(call);
    return onLane(event.parent, frames);
  }

  /** Calls stay in the encoder after their result; a result must not make them unanswered again. */
  const isNews = (call: string) => session.transcript.tools.get(call)?.state !== 'done';

  function endMessage(event: EventOf<'message-end'>, at: number): WireFrame[] {
    const told = telling.get(event.parent ?? '');
    if (told === undefined) return [];
    telling.delete(event.parent ?? '');
    counter.message({ at: told.startedAt, model: told.model }, event, at);
    const frames = onLane(event.parent, told.encoder.end(event));
    if (event.parent !== undefined) return frames;
    lastStop = wireStop(event.stop, told.encoder.calls.size > 0);
    const waiting = afterMessage;
    afterMessage = [];
    return [...frames, ...waiting];
  }

  /** A tool that no message announced is announced by a message of its own, or its result would answer nothing. */
  function announce(event: EventOf<'tool-start'>, isPast: boolean): WireFrame[] {
    if (unanswered.has(event.call)) return [];
    const { call, name, input, parent } = event;
    unanswered.add(call);
    const start: EventOf<'message-start'> = { type: 'message-start', parent, id: `announce-${call}` };
    const encoder = createMessageEncoder(start, {
      streams: options.partialMessages && parent === undefined && !isPast,
      model: modelOf(undefined),
    });
    const frames = [
      ...encoder.start(),
      ...encoder.block({ type: 'block-start', index: 0, block: { kind: 'tool-call', id: call, name } }),
      ...encoder.block({ type: 'block-end', index: 0, input }),
      ...encoder.end({ type: 'message-end', stop: { reason: 'tool-use' } }),
    ];
    return whenClosed(parent, onLane(parent, frames));
  }

  function answer(event: EventOf<'tool-end'>): WireFrame[] {
    if (!unanswered.delete(event.call)) return loss(`tool result of ${event.name}: the client never saw its call`);
    const result = {
      type: 'tool_result',
      tool_use_id: event.call,
      content: wireResult(event.content),
      is_error: event.isError,
    };
    if (event.parent === undefined) counter.userFrame();
    const frame: WireFrame = { type: 'user', message: { role: 'user', content: [result] } };
    return whenClosed(event.parent, onLane(event.parent, [frame]));
  }

  /** Nothing of the main thread may stand inside its open message. */
  function whenClosed(parent: string | undefined, frames: WireFrame[]): WireFrame[] {
    if (parent !== undefined || !telling.has('')) return frames;
    afterMessage.push(...frames);
    return [];
  }

  /** Prompts are shown to those only who did not send them: late clients. */
  function addMessage(event: EventOf<'message-added'>, replayed: boolean): WireFrame[] {
    if (event.role === 'tool') return [];
    if (event.role !== 'user') return loss(`message of role ${event.role}`);
    const isOwn = event.origin !== 'agent' && event.origin !== 'replay';
    if (isOwn && !replayed) return [];
    const content = event.content.map(wireBlock);
    const mark = event.origin === 'agent' ? { isSynthetic: true } : { isReplay: true };
    if (event.origin === 'agent' && event.parent === undefined) counter.userFrame();
    const frame: WireFrame = { type: 'user', message: { role: 'user', content }, ...mark };
    return whenClosed(event.parent, onLane(event.parent, [frame]));
  }

  function endApproval(event: EventOf<'approval-end'>, isPast: boolean): WireFrame[] {
    const ask = asked.get(event.id);
    asked.delete(event.id);
    if (ask !== undefined && event.outcome !== 'allowed' && event.outcome !== 'cancelled') {
      counter.denial({ tool_name: ask.name, tool_use_id: ask.call, tool_input: ask.input });
    }
    const isWithdrawn = event.outcome === 'cancelled' || event.outcome === 'expired';
    return isWithdrawn && !isPast ? [cancelFrame(event.id)] : [];
  }

  function frames(logged: Logged): WireFrame[] {
    const { event, at } = logged;
    const isPast = logged.replay === 'past';
    switch (event.type) {
      case 'run-start':
        counter.begin(at);
        unanswered.clear();
        lastStop = null;
        inTurn = true;
        return [initFrame(session.transcript.info, session.transcript.servers.values()), ...takeBetweenTurns()];
      case 'run-end':
        inTurn = false;
        return [counter.result(event, at, { text: textOfRun(session), stop: lastStop })];
      case 'message-start':
        return startMessage(event, at, isPast);
      case 'block-start':
      case 'block-delta':
      case 'block-end':
        return tellBlock(event);
      case 'message-end':
        return endMessage(event, at);
      case 'message-added':
        return addMessage(event, logged.replay !== undefined);
      case 'tool-start':
        return announce(event, isPast);
      case 'tool-end':
        return answer(event);
      case 'approval-request':
        asked.set(event.id, event);
        return isPast ? [] : [permissionFrame(event)];
      case 'approval-end':
        return endApproval(event, isPast);
      case 'dialog-request':
        return [dialogFrame(event)];
      case 'dialog-end':
        return event.outcome === 'answered' ? [] : [cancelFrame(`${dialogPrefix}${event.id}`)];
      case 'retry-start':
        return [retryFrame(event)];
      case 'compaction-start':
        return isPast ? [] : [compactingFrame()];
      case 'compaction-end':
        return compactedFrames(event).slice(isPast ? 1 : 0);
      case 'notice':
        return [
          { type: 'system', subtype: 'notice', level: event.level, text: event.text, source: event.source ?? 'agent' },
        ];
      case 'error':
        return [{ type: 'error', message: event.message }];
      case 'unknown':
        return event.protocol === 'claude' && isFrame(event.payload)
          ? [event.payload]
          : loss(`event of ${event.protocol}`);
      default:
        return silence(event);
    }
  }

  function takeBetweenTurns(): WireFrame[] {
    const waiting = betweenTurns;
    betweenTurns = [];
    return waiting;
  }

  /** A session is turns and control messages, nothing else (reference 4.1). */
  function inPlace(event: Event, said: WireFrame[]): WireFrame[] {
    if (inTurn || event.type === 'run-end') return said;
    betweenTurns.push(...said.filter((frame) => !mayStandAlone(frame)));
    for (const lost of betweenTurns.splice(0, Math.max(0, betweenTurns.length - mostBetweenTurns)))
      loss(`${lost.type} between turns`);
    return said.filter(mayStandAlone);
  }

  function silence(event: Event): WireFrame[] {
    return toldElsewhere.has(event.type) ? [] : loss(event.type);
  }

  return {
    event(logged) {
      ids.at(logged.seq, logged.replay !== undefined);
      const outs: Out[] = [];
      for (const frame of inPlace(logged.event, frames(logged))) {
        const said = inDialect(options.dialect, sealed(frame, session.id, ids.next));
        if (said !== null) outs.push(JSON.stringify(said));
      }
      return outs;
    },
    notes: () => notes.splice(0),
  };
}

/** Events that other frames tell: turns by their messages, settings by the next init, queues by nobody's need. */
const toldElsewhere: ReadonlySet<Event['type']> = new Set<Event['type']>([
  'turn-start',
  'turn-end',
  'session-changed',
  'tool-server-changed',
  'agent-changed',
  'retry-end',
  'history-reset',
]);

/** An extension may chatter for hours without a turn. */
const mostBetweenTurns = 64;

function mayStandAlone({ type }: WireFrame): boolean {
  return type.startsWith('control_') || type === 'error';
}

function onLane(parent: string | undefined, frames: readonly WireFrame[]): WireFrame[] {
  return frames.map((frame) => ({ ...frame, parent_tool_use_id: parent ?? null }));
}

/** Every frame of the conversation carries its own id and the session's (reference 4.1); control frames do not. */
function sealed(frame: WireFrame, sessionId: string, nextId: () => string): WireFrame {
  if (frame.type.startsWith('control_')) return frame;
  return { ...frame, session_id: sessionId, uuid: nextId() };
}

/** The last text that the model said in the run, as Claude Code's `result` has it. */
function textOfRun(session: SessionView): string {
  const { items } = session.transcript;
  for (let place = items.length - 1; place >= 0; place -= 1) {
    const item = items[place];
    if (item?.kind === 'event' && item.logged.event.type === 'run-start') return '';
    if (item?.kind !== 'message' || item.message.start.parent !== undefined) continue;
    const text = item.message.blocks.findLast((block) => block.head.kind === 'text')?.text;
    if (text !== undefined) return text;
  }
  return '';
}

function isFrame(payload: unknown): payload is WireFrame {
  return typeof payload === 'object' && payload !== null && 'type' in payload && typeof payload.type === 'string';
}
