// The sessions of a connection as brackets: what opens and closes, and what may come inside. docs/protocols/acp.md 3, 4.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { InTrace, Messages, Request, Response } from '../../check/json-rpc.ts';
import { isResult } from './messages.ts';

/** A request that opens a bracket. Its answer closes the bracket. */
export type SpanKind = 'turn' | 'load' | 'resume';

const spanOf: ReadonlyMap<string, SpanKind> = new Map([
  ['session/prompt', 'turn'],
  ['session/load', 'load'],
  ['session/resume', 'resume'],
]);

/** The brackets in which an update may come (docs/protocols/acp.md 3.16, 3.17, 4.27). All others come at any time. */
const placesOf: ReadonlyMap<unknown, readonly SpanKind[]> = new Map([
  ['user_message_chunk', ['turn', 'load']],
  ['agent_message_chunk', ['turn', 'load']],
  ['agent_thought_chunk', ['turn', 'load']],
  ['tool_call', ['turn', 'load']],
  ['tool_call_update', ['turn', 'load']],
  ['plan', ['turn', 'load']],
]);

/** A bracket of a session. */
export interface Span extends InTrace {
  readonly kind: SpanKind;
  readonly ask: Request;
  /** The frame of the answer; infinite while there is none. */
  readonly to: number;
  readonly answer: Response | null;
  /** The first frame with which the client cancelled it; null: it did not. */
  readonly cancelled: number | null;
}

/** A `session/update`. */
export interface Update extends InTrace {
  readonly session: string;
  readonly kind: unknown;
  readonly update: Dictionary;
  /** The open brackets of its session. */
  readonly spans: readonly Span[];
  /** It belongs into a bracket, and none of that kind is open. */
  readonly isStray: boolean;
}

/** A tool call. */
export interface Call {
  readonly id: string;
  /** Its updates within one bracket of its session. */
  readonly updates: readonly Update[];
  /** The bracket in which it began; null: none. */
  readonly span: Span | null;
  /** The requests for permission that name it. */
  readonly questions: readonly Request[];
  /** The frame of its end; null: it has none. */
  readonly ends: number | null;
}

/** One session. */
export interface Session {
  readonly id: string;
  /** The frame from which both sides know it. */
  readonly from: number;
  readonly spans: readonly Span[];
  readonly updates: readonly Update[];
  readonly calls: readonly Call[];
}

export const endStatuses: ReadonlySet<unknown> = new Set(['completed', 'failed']);
const sessionOf = ({ params }: { readonly params: Dictionary }): string | null =>
  typeof params.sessionId === 'string' ? params.sessionId : null;

/** The frames at which both sides first know the sessions. */
function beginnings({ client }: Messages): Map<string, number> {
  const known = new Map<string, number>();
  function know(id: unknown, frame: number): void {
    if (typeof id === 'string') known.set(id, Math.min(frame, known.get(id) ?? frame));
  }
  for (const ask of client.requests) {
    // A client may load what an earlier connection made.
    know(sessionOf(ask), ask.frame);
    for (const { frame, result } of ask.answers) {
      if (ask.method === 'session/new' || ask.method === 'session/fork') know(dictionaryOf(result).sessionId, frame);
    }
  }
  return known;
}

function spansOf({ client }: Messages): Map<string, Span[]> {
  const spans = new Map<string, Span[]>();
  for (const ask of client.requests) {
    const [kind, session] = [spanOf.get(ask.method), sessionOf(ask)];
    if (kind === undefined || session === null) continue;
    const answer = ask.answers[0] ?? null;
    const to = answer?.frame ?? Number.POSITIVE_INFINITY;
    const isWithin = ({ frame }: InTrace) => ask.frame < frame && frame < to;
    const cancel = client.notifications.find(
      (one) =>
        isWithin(one) &&
        ((one.method === 'session/cancel' && sessionOf(one) === session) ||
          (one.method === '$/cancel_request' && one.params.requestId === ask.id)),
    );
    const own = spans.get(session) ?? [];
    spans.set(session, own);
    own.push({ frame: ask.frame, kind, ask, to, answer, cancelled: cancel?.frame ?? null });
  }
  return spans;
}

function callsOf(updates: readonly Update[], asked: readonly Request[]): Call[] {
  const calls = new Map<string, { id: string; updates: Update[]; span: Span | null }>();
  for (const update of updates) {
    const { toolCallId: id } = update.update;
    const isOfCall = update.kind === 'tool_call' || update.kind === 'tool_call_update';
    if (!isOfCall || typeof id !== 'string') continue;
    const span = update.spans.at(-1) ?? null;
    // A loaded session tells its calls anew. A late update belongs to the call of that id.
    const key = `${span?.kind === 'load' ? span.frame : ''} ${id}`;
    const call = calls.get(key) ?? { id, updates: [], span };
    calls.set(key, call);
    call.updates.push(update);
  }
  return [...calls.values()].map(({ id, updates: own, span }) => ({
    id,
    updates: own,
    span,
    questions: asked.filter(({ params }) => dictionaryOf(params.toolCall).toolCallId === id),
    ends: own.find(({ update }) => endStatuses.has(update.status))?.frame ?? null,
  }));
}

/** Collects the sessions, and all updates in order. */
export function sessionsIn(messages: Messages): {
  readonly sessions: ReadonlyMap<string, Session>;
  readonly updates: readonly Update[];
} {
  const spans = spansOf(messages);
  const updates = messages.agent.notifications.flatMap((notice): Update[] => {
    const session = sessionOf(notice);
    if (notice.method !== 'session/update' || session === null) return [];
    const { frame, params } = notice;
    const update = dictionaryOf(params.update);
    const open = (spans.get(session) ?? []).filter((span) => span.frame < frame && frame < span.to);
    const places = placesOf.get(update.sessionUpdate);
    const isStray = places !== undefined && !open.some(({ kind }) => places.includes(kind));
    return [{ frame, session, kind: update.sessionUpdate, update, spans: open, isStray }];
  });
  const asked = messages.agent.requests.filter(({ method }) => method === 'session/request_permission');
  const sessions = new Map<string, Session>();
  for (const [id, from] of beginnings(messages)) {
    const own = updates.filter(({ session }) => session === id);
    const questions = asked.filter((ask) => sessionOf(ask) === id);
    sessions.set(id, { id, from, spans: spans.get(id) ?? [], updates: own, calls: callsOf(own, questions) });
  }
  return { sessions, updates };
}

/** Whether the agent gave this session to the client on this connection. */
export function isGiven({ client }: Messages, id: unknown): boolean {
  return client.requests.some(
    ({ method, params, answers }) =>
      answers.some(isResult) &&
      (['session/load', 'session/resume'].includes(method)
        ? params.sessionId === id
        : answers.some(({ result }) => dictionaryOf(result).sessionId === id)),
  );
}
