// Helpers for all frames: their lane, their session and id, and which frames of an agent may be passed on.
import type { SessionView } from '../../core/contract/adapter/projection.ts';
import type { Dictionary } from '../../core/model/content.ts';
import { isDictionary } from '../../core/model/dictionary.ts';
import type { EventOf } from '../../core/model/event.ts';
import type { WireFrame } from './wire/client.ts';

/** The frame on the lane of a sub-agent, or on the main thread. */
export function onLane(parent: string | undefined, frame: WireFrame): WireFrame {
  return { ...frame, parent_tool_use_id: parent ?? null };
}

/** All frames on that lane. */
export function allOnLane(parent: string | undefined, frames: readonly WireFrame[]): WireFrame[] {
  return frames.map((frame) => onLane(parent, frame));
}

/**
 * Adds an id and the session's name to a frame of the conversation (docs/protocols/claude.md 4.2). Control frames have
 * neither.
 */
export function withIds(frame: WireFrame, sessionId: string, nextId: () => string): WireFrame {
  if (frame.type.startsWith('control_')) return frame;
  return { ...frame, session_id: sessionId, uuid: nextId() };
}

/**
 * The session's name in its frames. `isAgents`: use the agent's own name if known, because the agent can resume the
 * session only under that name.
 */
export function sessionName({ id, transcript }: SessionView, isAgents: boolean): string {
  return (isAgents ? transcript.info.agentSessionId : undefined) ?? id;
}

/** The last text of the model in the run, as in Claude Code's `result`. */
export function textOfRun(session: SessionView): string {
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

/** The marks of a user's live message (SDKUserMessage.origin and .priority of the SDK). */
export function promptMark(origin: EventOf<'message-added'>['origin']): object {
  const isJoining = origin === 'steer' || origin === 'follow-up';
  return { origin: { kind: 'human' }, ...(isJoining ? { priority: origin === 'steer' ? 'now' : 'later' } : {}) };
}

/** Whether a frame is a user's live message, written neither by the agent nor by the gateway. */
export function isPrompt({ type, isReplay, origin }: Dictionary): boolean {
  return type === 'user' && isReplay !== true && isDictionary(origin) && origin.kind === 'human';
}

/**
 * Whether a user frame counts as a turn: written on the main thread for the first time, and no prompt
 * (docs/protocols/claude.md 7.5).
 */
export function countsAsTurn(frame: WireFrame): boolean {
  const { type, parent_tool_use_id, isReplay } = frame;
  return type === 'user' && parent_tool_use_id === null && isReplay !== true && !isPrompt(frame);
}

/** The name of a frame in a note. */
export function nameOf({ type, subtype, request }: WireFrame): string {
  const inner = typeof request === 'object' && request !== null && 'subtype' in request ? request.subtype : subtype;
  return inner === undefined ? type : `${type} ${String(inner)}`;
}

const ownTypes: ReadonlySet<unknown> = new Set(['user', 'assistant', 'result', 'stream_event', 'init']);

/**
 * Whether a frame is a whole frame of a sub-agent that works in the background. It belongs to no run and is passed on
 * unchanged.
 */
function isOfBackground({ type, parent_tool_use_id: lane, message }: Record<string, unknown>): boolean {
  return (type === 'user' || type === 'assistant') && typeof lane === 'string' && isDictionary(message);
}

/**
 * Whether a frame comes from a newer version or from the background: a frame that this projection never writes itself.
 */
export function isForeign(payload: unknown): payload is WireFrame {
  if (!isDictionary(payload)) return false;
  const { type } = payload;
  if (isOfBackground(payload)) return true;
  if (typeof type !== 'string' || ownTypes.has(type) || type.startsWith('control_')) return false;
  return !('subtype' in payload && ownTypes.has(payload.subtype));
}

/** Whether a frame is an agent's request, or the withdrawal of one, that has no canonical event. */
export function isForeignRequest(payload: unknown): payload is WireFrame {
  if (!isDictionary(payload) || typeof payload.request_id !== 'string') return false;
  if (payload.type === 'control_cancel_request') return true;
  if (payload.type !== 'control_request' || !isDictionary(payload.request)) return false;
  return typeof payload.request.subtype === 'string' && payload.request.subtype !== 'can_use_tool';
}
