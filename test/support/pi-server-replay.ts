// Plays a recording of a pi-server and its clients through the backend, for one session on one connection, and what comes
// out of it through the projection: nothing answers but the recording. Prompts, aborts and answers of the recorded client are
// asked of the backend; what others did, and what it would not send, it sees as another client's.
import { piServer } from '../../src/adapters/pi-server/index.ts';
import type { Action } from '../../src/core/contract/adapter/action.ts';
import { emptyTranscript, fold } from '../../src/core/log/fold.ts';
import { createRepair } from '../../src/core/log/repair.ts';
import type { Command } from '../../src/core/model/command.ts';
import type { Outcome } from '../../src/core/model/errors.ts';
import type { Event } from '../../src/core/model/event.ts';
import type { Transcript } from '../../src/core/model/transcript.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { stillEnv } from './decoding.ts';
import { textOf } from './telling.ts';

/** One JSON object. */
export type Json = Record<string, unknown>;

/** One row of a recording; `conn` where several connections were recorded into one file. */
export interface PiServerRow {
  readonly dir: string;
  readonly line: string;
  readonly conn: string;
}

/** What came out for one session on one connection. */
export interface Replayed {
  /** What the backend delivered, mended as in a session. */
  readonly events: readonly Event[];
  readonly transcript: Transcript;
  /** Of the backend, and of the repair. */
  readonly notes: readonly string[];
  readonly outcomes: ReadonlyMap<string, readonly Outcome[]>;
  /** The session's own events, out of their envelopes: as they were recorded, and as our clients hear them. */
  readonly theirs: readonly Json[];
  readonly ours: readonly Json[];
  /** Why the backend closed the connection; null when it did not. */
  readonly closed: string | null;
}

/** The rows of a trace. */
export function readPiServerTrace(text: string): PiServerRow[] {
  const rows = text.split('\n').filter((line) => line !== '');
  return rows.map((line) => {
    const { dir, line: said, conn } = JSON.parse(line);
    return { dir: String(dir), line: typeof said === 'string' ? said : '', conn: String(conn ?? '') };
  });
}

/** The object on a line; null when there is none. */
export function parsed(line: string): Json | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

const objectIn = (value: unknown): Json => (typeof value === 'object' && value !== null ? { ...value } : {});

/** Every session that a connection of the recording heard of, with the connection. */
export function talksIn(rows: readonly PiServerRow[]): { readonly conn: string; readonly session: string }[] {
  const talks = new Map<string, { conn: string; session: string }>();
  for (const { dir, line, conn } of rows) {
    const frame = dir === 'out' ? parsed(line) : null;
    const session = frame?.type === 'event' ? frame.sessionId : objectIn(frame?.data).sessionId;
    if (typeof session === 'string') talks.set(`${conn} ${session}`, { conn, session });
  }
  return [...talks.values()];
}

/** The canonical command for what the client sent; null for what the test does not ask. */
function commandOf(line: Json): Command | null {
  const { type, message, requestId, response } = line;
  if (type === 'abort') return { type, target: 'run' };
  if (type === 'prompt' && typeof message === 'string') return { type, content: [{ type: 'text', text: message }] };
  if (type !== 'extension_ui_response' || typeof requestId !== 'string') return null;
  const { method, value, confirmed } = objectIn(response);
  if (method === 'cancelled') return { type: 'answer-dialog', id: requestId, answer: { kind: 'cancelled' } };
  if (typeof confirmed === 'boolean') {
    return { type: 'answer-dialog', id: requestId, answer: { kind: 'confirmed', confirmed } };
  }
  if (typeof value !== 'string') return null;
  return { type: 'answer-dialog', id: requestId, answer: { kind: 'value', value } };
}

/** Plays it. */
export function replayPiServer(rows: readonly PiServerRow[], conn: string, session: string): Replayed {
  const backend = piServer.agent?.backend(stillEnv(), {}, [], session);
  const projection = piServer.client?.frontend(stillEnv(), {}).projection;
  if (backend === undefined || projection === undefined) throw new Error('pi-server lacks a side');
  const transcript = emptyTranscript();
  const view = projection({ id: session, epoch: 'epoch', timeOrigin: 0, transcript });
  const events: Event[] = [];
  const notes: string[] = [];
  const ours: Json[] = [];
  const theirs: Json[] = [];
  const outcomes = new Map<string, Outcome[]>();
  const note = (level: string, text: string) => void notes.push(`${level}: ${text}`);
  /** The ids that our commands have in the recording. */
  const ids = new Map<string, string>();
  let sent: Json[] = [];
  let closed: string | null = null;
  let asked = 0;

  const admit = createRepair({
    transcript,
    append(event) {
      events.push(event);
      const logged = { seq: events.length, at: 0, event };
      fold(transcript, logged);
      for (const out of view.event(logged)) ours.push(objectIn(objectIn(JSON.parse(textOf(out))).event));
      for (const { level, text } of view.notes?.() ?? []) note(level, text);
    },
    note,
  });

  function perform(actions: readonly Action<Event>[]): void {
    for (const action of actions) {
      if (action.do === 'deliver') admit(action.message);
      else if (action.do === 'send') sent.push(objectIn(JSON.parse(textOf(action.frame))));
      else if (action.do === 'settle') outcomes.set(action.id, [...(outcomes.get(action.id) ?? []), action.outcome]);
      else if (action.do === 'note') note(action.level, action.text);
      else if (action.do === 'close') closed = action.reason;
    }
  }

  /** What of it the backend has sent as well is the same command: it has that id in the recording. */
  function match(line: Json): void {
    const { id, type } = line;
    const same = sent.find((frame) => frame.type === type && ![...ids.values()].includes(String(frame.id)));
    if (typeof id === 'string' && same !== undefined) ids.set(id, String(same.id));
  }

  function asks(line: Json): void {
    if (line.sessionId !== session) return;
    if (line.type === 'create_session' || line.type === 'switch_session') return match(line);
    const command = commandOf(line);
    if (command === null) return;
    sent = [];
    asked += 1;
    perform(backend?.encode(command, `c${asked}`) ?? []);
    // An abort answers open questions first.
    match(line);
  }

  function withOurIds(frame: Json): Json {
    const data = objectIn(frame.data);
    if (frame.type === 'response' && ids.has(String(frame.id))) return { ...frame, id: ids.get(String(frame.id)) };
    if (!ids.has(String(data.commandId))) return frame;
    return { ...frame, data: { ...data, commandId: ids.get(String(data.commandId)) } };
  }

  perform(backend.start?.() ?? []);
  for (const row of rows) {
    if (row.conn !== conn && row.conn !== '') continue;
    const frame = parsed(row.line);
    if (row.dir === 'in' && frame !== null) asks(frame);
    if (row.dir !== 'out') continue;
    if (frame?.type === 'event' && frame.sessionId === session) theirs.push(objectIn(frame.event));
    const bytes = Buffer.from(frame === null ? row.line : JSON.stringify(withOurIds(frame)));
    perform(backend.decode(createFrame(bytes)));
  }
  perform(backend.end?.() ?? []);
  return { events, transcript, notes, outcomes, theirs, ours, closed };
}
