// Plays a recording of a client and a Claude agent through the gateway's two sides of that format: what the client would
// have been sent. Nothing answers but the recording.
import { claude } from '../../src/adapters/claude/index.ts';
import type { Action } from '../../src/core/contract/adapter/action.ts';
import type { SessionView } from '../../src/core/contract/adapter/projection.ts';
import type { Out } from '../../src/core/contract/channel.ts';
import { emptyTranscript, fold } from '../../src/core/log/fold.ts';
import { createRepair } from '../../src/core/log/repair.ts';
import type { Command } from '../../src/core/model/command.ts';
import type { Outcome } from '../../src/core/model/errors.ts';
import type { Event } from '../../src/core/model/event.ts';
import type { Transcript } from '../../src/core/model/transcript.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { stillEnv } from './decoding.ts';
import { textOf } from './telling.ts';
import type { TraceRow } from './translate.ts';

/** One frame, read. */
export type Json = Record<string, unknown>;

/** What came out of a recording. */
export interface Played {
  /** What the agent sent. */
  readonly theirs: readonly Json[];
  /** What the client was told. */
  readonly ours: readonly Json[];
  /** What the gateway sent to the agent, with the client's own request ids again. */
  readonly toAgent: readonly Json[];
  /** What neither the decoder nor the repair was content with. */
  readonly faults: readonly string[];
  readonly transcript: Transcript;
}

/** Plays it. `partialMessages`: as the recorded client had it. */
export function play(rows: readonly TraceRow[], partialMessages: boolean): Played {
  const backend = claude.agent?.backend(stillEnv(), {});
  const side = claude.client?.frontend(stillEnv(), { partialMessages });
  if (backend === undefined || side === undefined) throw new Error('the adapter lacks a side');
  const transcript = emptyTranscript();
  const view: SessionView = { id: 'session', epoch: '000000000000', timeOrigin: 0, transcript };
  const connection = side.connection(view);
  const projection = side.projection(view);
  const theirs: Json[] = [];
  const ours: Json[] = [];
  const toAgent: Json[] = [];
  const faults: string[] = [];
  const commands = new Map<string, Command>();
  /** Prompts wait for the end of the run, as in a session. */
  const queue: Command[] = [];
  /** The client's request ids -> ours. */
  const ids = new Map<string, string>();
  let asking: { readonly id: string; readonly subtype: unknown } | null = null;
  let isPrompting = false;

  function log(event: Event): void {
    const logged = { seq: transcript.lastSeq + 1, at: 0, event };
    fold(transcript, logged);
    for (const out of projection.event(logged)) tell(out);
    projection.notes?.();
    if (event.type === 'run-start') isPrompting = false;
  }

  const admit = createRepair({ transcript, append: log, note: (level, text) => faults.push(`${level}: ${text}`) });

  /** A frame on its way to the client. */
  function tell(out: Out): void {
    const dressed = connection.mapOutgoing === undefined ? out : connection.mapOutgoing(out);
    if (dressed === null) return;
    const outs = typeof dressed === 'object' && 'frames' in dressed ? dressed.frames : [dressed];
    for (const out of outs) ours.push(parsed(textOf(out)) ?? {});
  }

  function agentDoes(actions: readonly Action<Event>[]): void {
    for (const action of actions) {
      if (action.do === 'deliver') admit(action.message);
      else if (action.do === 'note') faults.push(`${action.level}: ${action.text}`);
      else if (action.do === 'send') sent(parsed(textOf(action.frame)) ?? {});
      else if (action.do === 'settle') settled(action.id, action.outcome);
    }
  }

  function sent(frame: Json): void {
    // The greeting goes first where the client greets nobody.
    const isAsked = isRecord(frame.request) && frame.request.subtype === asking?.subtype;
    if (asking !== null && isAsked && typeof frame.request_id === 'string') {
      ids.set(asking.id, frame.request_id);
      toAgent.push({ ...frame, request_id: asking.id });
      asking = null;
    } else toAgent.push(frame);
  }

  function settled(id: string, outcome: Outcome): void {
    const command = commands.get(id);
    if (command === undefined) return;
    commands.delete(id);
    if (outcome.ok && command.type === 'answer-approval' && transcript.approvals.has(command.id)) {
      admit({ type: 'approval-end', id: command.id, outcome: command.decision === 'allow' ? 'allowed' : 'denied' });
    }
    if (outcome.ok && command.type === 'answer-dialog' && transcript.dialogs.has(command.id)) {
      admit({ type: 'dialog-end', id: command.id, outcome: 'answered' });
    }
    clientDoes(connection.reply(command, outcome));
  }

  function submit(command: Command): void {
    const isBusy = isPrompting || transcript.run !== null;
    if (command.type === 'prompt' && isBusy) return void queue.push(command);
    if (command.type === 'abort' && !isBusy)
      return clientDoes(connection.reply(command, { ok: true, data: { waiting: [] } }));
    if (command.type === 'prompt') isPrompting = true;
    const id = `c${commands.size + toAgent.length + ours.length}-${ids.size}`;
    commands.set(id, command);
    agentDoes(backend?.encode(command, id) ?? []);
  }

  function clientDoes(actions: readonly Action<Command>[]): void {
    for (const action of actions) {
      if (action.do === 'send') tell(action.frame);
      else if (action.do === 'deliver') submit(action.message);
      else if (action.do === 'note' && action.level === 'violation') faults.push(`client: ${action.text}`);
    }
  }

  function clientSays(line: string): void {
    const frame = parsed(line);
    const request = frame?.type === 'control_request' && isRecord(frame.request) ? frame.request : {};
    asking = typeof frame?.request_id === 'string' ? { id: frame.request_id, subtype: request.subtype } : null;
    clientDoes(connection.decode(createFrame(Buffer.from(frame === null ? line : JSON.stringify(withMark(frame))))));
    asking = null;
  }

  /** Answers to questions bear the mark that the gateway asked them with. */
  function withMark(frame: Json): Json {
    const { response } = frame;
    if (frame.type !== 'control_response' || !isRecord(response)) return frame;
    const id = String(response.request_id);
    return transcript.dialogs.has(id) ? { ...frame, response: { ...response, request_id: `dialog:${id}` } } : frame;
  }

  function agentSays(line: string): void {
    const frame = parsed(line);
    if (frame === null) return agentDoes(backend?.decode(createFrame(Buffer.from(line))) ?? []);
    if (frame.type !== 'keep_alive') theirs.push(frame);
    agentDoes(backend?.decode(createFrame(Buffer.from(JSON.stringify(withOurId(frame))))) ?? []);
    const next = transcript.run === null && !isPrompting ? queue.shift() : undefined;
    if (next !== undefined) submit(next);
  }

  function withOurId(frame: Json): Json {
    const { response } = frame;
    if (frame.type !== 'control_response' || !isRecord(response)) return frame;
    return {
      ...frame,
      response: { ...response, request_id: ids.get(String(response.request_id)) ?? response.request_id },
    };
  }

  agentDoes(backend.start?.() ?? []);
  for (const { dir, line } of rows) {
    if (dir === 'in') clientSays(line);
    else agentSays(line);
  }
  agentDoes(backend.end?.() ?? []);
  return { theirs, ours, toAgent, faults, transcript };
}

/** The object on a line; null when there is none. */
export function parsed(line: string): Json | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Whether this is a JSON object. */
export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
