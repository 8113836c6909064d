// Writes the events of a session for Claude-format clients in a strict grammar, whatever the agent is
// (docs/protocols/claude.md 4).

import type { NoteLevel } from '../../../core/contract/adapter/action.ts';
import type { Projection, SessionView } from '../../../core/contract/adapter/projection.ts';
import { createUnshownPlans } from '../../../core/contract/adapter/unshown-plans.ts';
import type { Out } from '../../../core/contract/channel.ts';
import { splicedJson } from '../../../core/fast-path/spliced-json.ts';
import { textIn } from '../../../core/log/messages.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import type { Event, EventOf, Logged } from '../../../core/model/event.ts';
import {
  allOnLane,
  countsAsTurn,
  isForeign,
  isForeignRequest,
  nameOf,
  onLane,
  promptMark,
  sessionName,
  textOfRun,
  withIds,
} from '../frames.ts';
import { claudeExtraIn, extraPart, withExtra } from '../frontend/claude-extra.ts';
import { resultFrame, wireBlock } from '../frontend/encode-values.ts';
import { createIds, type Dialect, inDialect } from '../frontend/frame-ids.ts';
import { createResultCounter } from '../frontend/result-frame.ts';
import {
  cancelFrame,
  compactedFrames,
  compactingFrame,
  dialogFrame,
  dialogPrefix,
  initFrame,
  noticeFrame,
  permissionFrame,
  retryFrame,
} from '../frontend/system-frames.ts';
import type { WireFrame } from '../wire/client.ts';
import { createCompactionTurn } from './compaction-turn.ts';
import { createFrameOrder } from './frame-order.ts';
import { createMessageEncoder, type MessageEncoder } from './message-encoder.ts';
import { createQuickDeltas } from './quick-delta.ts';

/** The options of a projection. */
export interface ProjectionOptions {
  readonly dialect: Dialect;
  /** Whether `stream_event` frames are sent. */
  readonly partialMessages: boolean;
  /** Whether prompts are echoed to their senders and to other clients. */
  readonly replayUserMessages: boolean;
  /** Whether frames use the agent's name for the session. */
  readonly agentSessionId: boolean;
}

/** An open message of one lane. */
interface OpenMessage {
  readonly encoder: MessageEncoder;
  readonly startedAt: number;
  readonly model: string;
}

/** Writes one session from its first event on. */
export function startProjection(session: SessionView, options: ProjectionOptions): Projection {
  const ids = createIds(session.epoch);
  const counter = createResultCounter();
  const order = createFrameOrder();
  const compaction = createCompactionTurn(order, counter);
  const notes: { level: NoteLevel; text: string }[] = [];
  const plans = createUnshownPlans();
  /** Open messages by lane; '' is the main thread. */
  const openMessages = new Map<string, OpenMessage>();
  /** Tool calls of the run that were shown and have no result yet, with the lane on which they were shown. */
  const calls = new Map<string, string | undefined>();
  const openApprovals = new Map<string, EventOf<'approval-request'>>();
  /** The session's name, constant within a turn. */
  let sessionId = session.id;
  /** The extra fields of the agent's own `init`. */
  let initExtra: Dictionary = {};

  const loss = (text: string): WireFrame[] => {
    notes.push({ level: 'loss', text });
    return [];
  };

  const modelOf = (model: string | undefined) => model ?? session.transcript.info.model?.id ?? 'unknown';

  /** Sub-agents are shown in whole frames (docs/protocols/claude.md 4.11), and so is what a late client missed. */
  const streams = (parent: string | undefined, isPast: boolean) =>
    options.partialMessages && parent === undefined && !isPast;

  function showCall(call: string, parent: string | undefined): void {
    calls.set(call, parent);
  }

  function startMessage(event: EventOf<'message-start'>, at: number, isPast: boolean): WireFrame[] {
    const { parent } = event;
    const model = modelOf(event.model);
    // An agent of this protocol that sent the message whole did not stream it. The RpcMessage front end knows only
    // streamed messages (docs/protocols/rpc-message.md 4.1).
    const isWhole = options.dialect === 'claude' && claudeExtraIn(event).whole === true;
    const encoder = createMessageEncoder(event, { streams: !isWhole && streams(parent, isPast), model });
    openMessages.set(parent ?? '', { encoder, startedAt: at, model });
    const frames = allOnLane(parent, encoder.start());
    // A sub-agent may write before its call is shown. The frame order keeps its frames until then.
    return parent === undefined ? order.open(frames) : order.lane(parent, frames);
  }

  function showBlock(event: EventOf<'block-start' | 'block-delta' | 'block-end'>): WireFrame[] {
    const { parent } = event;
    const encoder = openMessages.get(parent ?? '')?.encoder;
    if (encoder === undefined) return [];
    if (event.type === 'block-start' && event.block.kind === 'tool-call') showCall(event.block.id, parent);
    const frames = allOnLane(parent, encoder.block(event));
    return parent === undefined ? order.extend(frames) : order.lane(parent, frames);
  }

  function endMessage(event: EventOf<'message-end'>, at: number): WireFrame[] {
    const { parent } = event;
    const openMessage = openMessages.get(parent ?? '');
    if (openMessage === undefined) return [];
    openMessages.delete(parent ?? '');
    const { encoder, startedAt, model } = openMessage;
    const stop = encoder.stop(event.stop);
    counter.message({ at: startedAt, model, parent, stop, isEmpty: encoder.blocks === 0 }, event, at);
    const frames = allOnLane(parent, encoder.end(event));
    return parent === undefined ? order.close(frames) : order.lane(parent, frames);
  }

  /** Announces a tool that no message announced, in a message of its own. Its result would answer nothing otherwise. */
  function announce(event: EventOf<'tool-start'>, seq: number, replayed: boolean): WireFrame[] {
    const { call, name, input, parent } = event;
    if (calls.has(call)) return [];
    showCall(call, parent);
    const start: EventOf<'message-start'> = { type: 'message-start', parent, id: `announce-${seq}` };
    const encoder = createMessageEncoder(start, { streams: streams(parent, replayed), model: modelOf(undefined) });
    const frames = allOnLane(parent, [
      ...encoder.start(),
      ...encoder.block({ type: 'block-start', index: 0, block: { kind: 'tool-call', id: call, name } }),
      ...encoder.block({ type: 'block-end', index: 0, input }),
      ...encoder.end({ type: 'message-end', stop: { reason: 'tool-use' } }),
    ]);
    if (parent !== undefined) return order.lane(parent, frames);
    counter.announced(openMessages.has(''));
    return order.message(frames);
  }

  function answer(event: EventOf<'tool-end'>): WireFrame[] {
    const { call, name } = event;
    if (!calls.has(call)) return loss(`result of ${name}: its call was not told`);
    const parent = calls.get(call);
    calls.delete(call);
    // A detached call gets its real result after the run.
    if (claudeExtraIn(event).detached === true) return [];
    return order.answer(call, parent, onLane(parent, resultFrame(event)));
  }

  /**
   * A prompt is sent to all clients. The connection of its sender drops it, unless an echo is wanted
   * (connection-filter.ts).
   */
  function addMessage(event: EventOf<'message-added'>, replayed: boolean): WireFrame[] {
    const { role, parent, origin } = event;
    if (role === 'tool') return [];
    if (role !== 'user') return loss(`message of role ${role}`);
    const isLive = !replayed && origin !== 'replay' && !options.replayUserMessages;
    const agentFields = claudeExtraIn(event);
    const message = {
      role: 'user',
      content: agentFields.plain === true ? textIn(event.content) : event.content.map(wireBlock),
    };
    const isOfAgent = origin === 'agent';
    // A frame of an agent of this protocol keeps what the agent wrote: `isSynthetic`, or nothing.
    const mark = agentFields.frame === undefined ? { isSynthetic: true } : {};
    // The connection filter looks for the marks of prompts at the start of a frame (connection-filter.ts).
    const ofPrompt = isLive ? promptMark(origin) : { isReplay: true };
    const words = isOfAgent ? { type: 'user', message, ...mark } : { type: 'user', ...ofPrompt, message };
    const frame = onLane(parent, withExtra(words, extraPart(agentFields, 'frame')));
    return parent === undefined ? order.betweenMessages([frame]) : order.lane(parent, [frame]);
  }

  /** Cancels the request for all clients. For the client that answered, connection-filter.ts drops the cancel frame. */
  function endApproval(event: EventOf<'approval-end'>, isPast: boolean): WireFrame[] {
    const ask = openApprovals.get(event.id);
    openApprovals.delete(event.id);
    if (ask !== undefined && event.outcome !== 'allowed' && event.outcome !== 'cancelled') {
      counter.denial({ tool_name: ask.name, tool_use_id: ask.call, tool_input: ask.input });
    }
    // Nobody was asked about a question that the session answers itself.
    return isPast || ask?.standing !== undefined ? [] : [cancelFrame(event.id)];
  }

  function init(): WireFrame {
    return initFrame(session, initExtra);
  }

  function startCompaction(event: EventOf<'compaction-start'>, at: number): WireFrame[] {
    const isTurn = event.asPrompt === true && session.transcript.run === null;
    return isTurn ? compaction.begin(event, init(), at) : order.betweenMessages([compactingFrame(event)]);
  }

  function startRun(at: number): WireFrame[] {
    // An agent may begin a run of its own in the middle of a compaction. Each turn needs its end.
    const before = compaction.isOpen ? compaction.end({ type: 'compaction-end', outcome: 'aborted' }, at) : [];
    counter.begin(at);
    calls.clear();
    return [...before, ...order.begin(init())];
  }

  function frames(logged: Logged): WireFrame[] {
    const { event, at } = logged;
    const isPast = logged.replay === 'past';
    switch (event.type) {
      case 'run-start':
        return startRun(at);
      case 'run-end':
        return order.end(counter.result(event, at, textOfRun(session)));
      case 'message-start':
        return startMessage(event, at, isPast);
      case 'block-start':
      case 'block-delta':
      case 'block-end':
        return showBlock(event);
      case 'message-end':
        return endMessage(event, at);
      case 'message-added':
        return addMessage(event, logged.replay !== undefined);
      case 'tool-start':
        return announce(event, logged.seq, logged.replay !== undefined);
      case 'tool-end':
        return answer(event);
      case 'approval-request':
        openApprovals.set(event.id, event);
        return isPast || event.standing !== undefined ? [] : [permissionFrame(event)];
      case 'approval-end':
        return endApproval(event, isPast);
      case 'dialog-request':
        return [dialogFrame(event)];
      case 'dialog-end':
        return [cancelFrame(`${dialogPrefix}${event.id}`)];
      case 'retry-start':
        return order.betweenMessages([retryFrame(event)]);
      case 'compaction-start':
        return isPast ? [] : startCompaction(event, at);
      case 'compaction-end':
        if (compaction.isOpen) return compaction.end(event, at);
        return order.betweenMessages(compactedFrames(event).slice(isPast ? 1 : 0));
      case 'notice':
        return order.betweenMessages([noticeFrame(event)]);
      case 'error':
        return [{ type: 'error', message: event.message }];
      case 'session-changed':
        if (isForeign(claudeExtraIn(event))) return withoutFrame(event);
        initExtra = { ...initExtra, ...claudeExtraIn(event) };
        return [];
      case 'unknown':
        if (event.protocol !== 'claude') return loss(`event of ${event.protocol}`);
        // A request of the agent cannot wait for its place in the order: the agent waits for the answer first
        // (docs/protocols/claude.md 5.2).
        if (isForeignRequest(event.payload)) return [event.payload];
        return isForeign(event.payload) ? order.anywhere([event.payload]) : loss(`event of ${event.protocol}`);
      case 'plan-changed':
        return plans.loses(event) ? loss(event.type) : [];
      default:
        return withoutFrame(event);
    }
  }

  /** `init` begins its turn and `result` ends it. */
  const isBetweenTurns = ({ event: { type } }: Logged) =>
    type === 'run-start' || (session.transcript.run === null && type !== 'run-end');

  const withId = (frame: WireFrame, id: string) =>
    inDialect(
      options.dialect,
      withIds(frame, sessionId, () => id),
    );
  const quickDeltas = createQuickDeltas({
    ids,
    encoder: () => openMessages.get('')?.encoder,
    isLive: () => order.isLive,
    frameOf: (frame, id) => withId(onLane(undefined, frame), id),
    asideOf: (protocol, payload, id) => (protocol === 'claude' && isForeign(payload) ? withId(payload, id) : null),
  });

  /** An agent of this protocol may have a frame of its own for an event that has none here. */
  function withoutFrame(event: Event): WireFrame[] {
    const agentFields = claudeExtraIn(event);
    if (isForeign(agentFields)) return order.anywhere([agentFields]);
    return shownElsewhere.has(event.type) ? [] : loss(event.type);
  }

  return {
    bursts: quickDeltas,
    event(logged) {
      const quick = quickDeltas.one(logged);
      if (quick !== null) return quick;
      ids.at(logged.seq, logged.replay !== undefined);
      if (isBetweenTurns(logged)) sessionId = sessionName(session, options.agentSessionId);
      const outs: Out[] = [];
      const repeats = repeating.has(logged.event.type);
      for (const frame of frames(logged)) {
        if (countsAsTurn(frame)) counter.userFrame();
        const wire = inDialect(options.dialect, withIds(frame, sessionId, ids.next));
        if (wire !== null) outs.push(repeats ? splicedJson(wire) : JSON.stringify(wire));
        else if (frame.type !== 'stream_event') loss(`frame ${nameOf(frame)}`);
      }
      const lost = order.lost();
      if (lost > 0) loss(`${lost} frames that found no place`);
      return outs;
    },
    notes: () => (notes.length === 0 ? notes : notes.splice(0)),
  };
}

/** Events whose frames repeat a text that was shown in deltas. */
const repeating: ReadonlySet<Event['type']> = new Set<Event['type']>(['block-end', 'run-end']);

/**
 * Events that other frames express: turns by their messages, settings by the next `init`, a dead agent by its result.
 */
const shownElsewhere: ReadonlySet<Event['type']> = new Set<Event['type']>([
  'turn-start',
  'turn-end',
  'session-changed',
  'tool-server-changed',
  'agent-changed',
  'retry-end',
]);
