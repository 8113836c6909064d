// What all frames have in common: the lane they are on, their seal, and what may be told of them. Pure.
import type { SessionView } from '../../core/contract/adapter.ts';
import type { Dictionary } from '../../core/model/content.ts';
import { isDictionary } from '../../core/model/dictionary.ts';
import type { EventOf } from '../../core/model/event.ts';
import type { WireFrame } from './wire/client.ts';

/** The frame on the lane of that sub-agent, or on the main thread. */
export function onLane(parent: string | undefined, frame: WireFrame): WireFrame {
  return { ...frame, parent_tool_use_id: parent ?? null };
}

/** All of them. */
export function allOnLane(parent: string | undefined, frames: readonly WireFrame[]): WireFrame[] {
  return frames.map((frame) => onLane(parent, frame));
}

/** Every frame of the conversation carries its own id and the session's (docs/protocols/claude.md 4.2); control frames do not. */
export function sealed(frame: WireFrame, sessionId: string, nextId: () => string): WireFrame {
  if (frame.type.startsWith('control_')) return frame;
  return { ...frame, session_id: sessionId, uuid: nextId() };
}

/** The session's name in its frames. `isAgents`: as the agent calls it, for only by that it can be resumed there. */
export function sessionName({ id, transcript }: SessionView, isAgents: boolean): string {
  return (isAgents ? transcript.info.agentSessionId : undefined) ?? id;
}

/** The last text that the model said in the run, as Claude Code's `result` has it. */
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

/** What marks the words of a user as they come (SDKUserMessage.origin and .priority of the SDK). */
export function promptMark(origin: EventOf<'message-added'>['origin']): object {
  const isJoining = origin === 'steer' || origin === 'follow-up';
  return { origin: { kind: 'human' }, ...(isJoining ? { priority: origin === 'steer' ? 'now' : 'later' } : {}) };
}

/** The words of a user as they come: neither the agent's nor ours. */
export function isPrompt({ type, isReplay, origin }: Dictionary): boolean {
  return type === 'user' && isReplay !== true && isDictionary(origin) && origin.kind === 'human';
}

/** A user frame that counts as a turn: written by us, on the main thread, for the first time (docs/protocols/claude.md 7.5). */
export function isOurWord(frame: WireFrame): boolean {
  const { type, parent_tool_use_id, isReplay } = frame;
  return type === 'user' && parent_tool_use_id === null && isReplay !== true && !isPrompt(frame);
}

/** What a frame is called in a note. */
export function nameOf({ type, subtype, request }: WireFrame): string {
  const inner = typeof request === 'object' && request !== null && 'subtype' in request ? request.subtype : subtype;
  return inner === undefined ? type : `${type} ${String(inner)}`;
}

const spoken: ReadonlySet<unknown> = new Set(['user', 'assistant', 'result', 'stream_event', 'init']);

/** A whole frame of a sub-agent that works in the background: no run has it, and it is told as it is. */
function isOfBackground({ type, parent_tool_use_id: lane, message }: Record<string, unknown>): boolean {
  return (type === 'user' || type === 'assistant') && typeof lane === 'string' && isDictionary(message);
}

/** A frame of a newer version, or of the background: one that this projection cannot have written itself. */
export function isForeign(payload: unknown): payload is WireFrame {
  if (!isDictionary(payload)) return false;
  const { type } = payload;
  if (isOfBackground(payload)) return true;
  if (typeof type !== 'string' || spoken.has(type) || type.startsWith('control_')) return false;
  return !('subtype' in payload && spoken.has(payload.subtype));
}

/** Something that an agent of this protocol asks its client, or does not ask any more, for which we have no event. */
export function isForeignRequest(payload: unknown): payload is WireFrame {
  if (!isDictionary(payload) || typeof payload.request_id !== 'string') return false;
  if (payload.type === 'control_cancel_request') return true;
  if (payload.type !== 'control_request' || !isDictionary(payload.request)) return false;
  return typeof payload.request.subtype === 'string' && payload.request.subtype !== 'can_use_tool';
}
