// Plays a recording of a client and a pi through the gateway's two sides of pi: what each of them would have been sent.
// Nothing answers but the recording: what the gateway asks on its own account is refused.
import type { Dialect } from '../../../src/adapters/pi/frontend/dialect.ts';
import { pi } from '../../../src/adapters/pi/index.ts';
import { piLegacy } from '../../../src/adapters/pi-legacy/index.ts';
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import type { SessionView } from '../../../src/core/contract/adapter/projection.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import { createRepair } from '../../../src/core/log/repair.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { stillEnv } from '../../support/decoding.ts';
import { textOf } from '../../support/telling.ts';
import type { TraceRow } from '../../support/translate.ts';

/** One line, read. */
export type Json = Record<string, unknown>;

/** Lines of both streams that have no partner in the other one, by their places. */
export interface Apart {
  readonly theirs: Set<number>;
  readonly ours: Set<number>;
}

/** What came out of a recording. */
export interface Played {
  /** Lines for pi, with the client's own ids again. */
  readonly toAgent: readonly Json[];
  /** Lines for the client. */
  readonly toClient: readonly Json[];
  /** Lines of the client that pi was not sent, and what each side said to them. */
  readonly refused: Apart & { readonly lines: readonly string[] };
  /** Of these, those that the connection answered by itself: our line's place, and the line of the client. */
  readonly own: ReadonlyMap<number, string>;
  /** pi's second answers to some of them. */
  readonly second: Apart;
  /** Answers that pi gave before the gateway would have asked. */
  readonly early: Apart;
  readonly notes: readonly string[];
}

/** A command on its way. */
interface Sent {
  readonly ours: string;
  readonly line: string;
  readonly asked: Json | null;
  /** Whether pi was sent its line, and has answered. */
  state: 'held' | 'asked' | 'answered';
  early: boolean;
}

const apart = (): Apart => ({ theirs: new Set(), ours: new Set() });

function sidesOf(dialect: Dialect) {
  const adapter = dialect === 'legacy' ? piLegacy : pi;
  const backend = adapter.agent?.backend(stillEnv(), {});
  const side = adapter.client?.frontend(stillEnv(), dialect === 'legacy' ? {} : { dialect });
  if (backend === undefined || side === undefined) throw new Error(`${adapter.id} lacks a side`);
  return { backend, side };
}

/** Plays all rows. */
export function play(rows: readonly TraceRow[], dialect: Dialect): Played {
  const transcript = emptyTranscript();
  const view: SessionView = { id: 'session', epoch: '000000000000', timeOrigin: 0, transcript };
  const { backend, side } = sidesOf(dialect);
  const connection = side.connection(view);
  const projection = side.projection(view);
  const toAgent: Json[] = [];
  const toClient: Json[] = [];
  const notes: string[] = [];
  const refused = { ...apart(), lines: [] as string[] };
  const own = new Map<number, string>();
  const second = apart();
  const early = apart();
  const commands = new Map<string, Command>();
  const sent: Sent[] = [];
  const timers = new Set<string>();
  /** Refused lines that pi has not complained of yet; a prompt that it has just complained of. */
  let complaints: string[] = [];
  let prompted: Json | null = null;
  let heard = 0;

  const admit = createRepair({
    transcript,
    append(event) {
      const logged = { seq: transcript.lastSeq + 1, at: 0, event };
      fold(transcript, logged);
      for (const out of projection.event(logged)) toClient.push(JSON.parse(textOf(out)));
      for (const { level, text } of projection.notes?.() ?? []) notes.push(`${level}: ${text}`);
    },
    note: (level, text) => void notes.push(`${level}: ${text}`),
  });

  function agentDoes(actions: readonly Action<Event>[]): void {
    const questions: Json[] = [];
    for (const action of actions) {
      if (action.do === 'deliver') admit(action.message);
      else if (action.do === 'note') notes.push(`${action.level}: ${action.text}`);
      else if (action.do === 'timer') action.ms === null ? timers.delete(action.id) : timers.add(action.id);
      else if (action.do === 'settle') settle(action.id, action.outcome);
      else if (action.do === 'send') {
        const line: Json = JSON.parse(String(action.frame));
        if (String(line.id).startsWith('query-')) questions.push(line);
        else toAgent.push(withClientId(line));
      }
    }
    // 0.13.2 answers nobody.
    if (dialect === 'legacy') return;
    for (const { id, type } of questions) {
      hear(JSON.stringify({ id, type: 'response', command: type, success: false, error: 'not recorded' }));
    }
  }

  function settle(id: string, outcome: Parameters<typeof connection.reply>[1]): void {
    const command = commands.get(id);
    if (command === undefined) return;
    const before = toClient.length;
    clientDoes(connection.reply(command, outcome));
    const asked = sent.find(({ ours }) => ours === id);
    if (asked === undefined || toClient.length === before) return;
    if (asked.early) early.ours.add(before);
    else if (asked.state === 'held') refuse(asked.line, before);
  }

  /** The gateway answered for pi. */
  function refuse(line: string, at: number): void {
    refused.ours.add(at);
    refused.lines.push(line);
    complaints.push(line);
  }

  function withClientId(line: Json): Json {
    const command = sent.find(({ ours }) => ours === line.id);
    if (command === undefined) {
      // Answers to dialogs keep their own id.
      return line;
    }
    command.state = 'asked';
    const { id: _, ...rest } = line;
    return command.asked?.id === undefined ? rest : { ...rest, id: command.asked.id };
  }

  function clientDoes(actions: readonly Action<Command>[], line?: string): void {
    for (const action of actions) {
      if (action.do === 'note') notes.push(`${action.level}: ${action.text}`);
      else if (action.do === 'send') {
        if (line !== undefined) {
          own.set(toClient.length, line);
          refuse(line, toClient.length);
        }
        toClient.push(JSON.parse(textOf(action.frame)));
      } else if (action.do === 'deliver') {
        const ours = `c${commands.size + 1}`;
        commands.set(ours, action.message);
        sent.push({ ours, line: line ?? '', asked: parsed(line ?? ''), state: 'held', early: false });
        agentDoes(backend.encode(action.message, ours));
      }
    }
  }

  /** Time passes between a client's lines: what waits for it is over. */
  function pass(line: string): void {
    const names = parsed(line)?.type === 'prompt' ? ['run-end', 'prompt-start'] : ['run-end'];
    for (const name of names) if (timers.delete(name)) agentDoes(backend.onTimer?.(name) ?? []);
  }

  /** The open command that a line of pi is about. */
  function commandOf(line: Json): Sent | undefined {
    const type = line.type === 'response' ? line.command : 'bash';
    return sent.find(({ asked, state }) => state !== 'answered' && asked?.type === type && asked?.id === line.id);
  }

  /** A line of pi with our id, for pi was given that. */
  function withOurId(line: Json): Json {
    if (line.type === 'bash_execution_update' && line.id !== undefined) {
      return { ...line, id: commandOf(line)?.ours ?? line.id };
    }
    const command = line.type === 'response' ? commandOf(line) : undefined;
    if (command === undefined) return line;
    command.state = 'answered';
    return { ...line, id: command.ours };
  }

  /** Lines that pi would not have said, for it was not asked. */
  function isMoot(line: Json | null): boolean {
    const isSecond =
      prompted !== null && line?.command === 'prompt' && line.success === true && line.id === prompted.id;
    prompted = null;
    if (isSecond) second.theirs.add(heard);
    const about = complaints.find((one) => line !== null && isComplaint(line, one));
    if (about === undefined) return isSecond || isEarly(line);
    complaints = complaints.filter((one) => one !== about);
    refused.theirs.add(heard);
    const asked = parsed(about);
    if (asked?.type === 'prompt') prompted = asked;
    return true;
  }

  function isEarly(line: Json | null): boolean {
    const command = line?.type === 'response' ? commandOf(line) : undefined;
    if (command?.state !== 'held') return false;
    command.early = true;
    early.theirs.add(heard);
    return true;
  }

  /** A line may have stray output in front of it. */
  function rewritten(line: string): string {
    const at = parsed(line) === null ? line.indexOf('{') : 0;
    const json = parsed(line.slice(at));
    return at === -1 || json === null ? line : line.slice(0, at) + JSON.stringify(withOurId(json));
  }

  function hear(line: string): void {
    agentDoes(backend.decode(createFrame(Buffer.from(line))));
  }

  agentDoes(backend.start?.() ?? []);
  for (const { dir, line } of rows) {
    if (dir === 'in') {
      pass(line);
      clientDoes(connection.decode(createFrame(Buffer.from(line))), line);
    } else {
      if (!isMoot(parsed(line))) hear(rewritten(line));
      heard += 1;
    }
  }
  agentDoes(backend.end?.() ?? []);
  return { toAgent, toClient, refused, own, second, early, notes };
}

/** Whether this is what pi says to a line that the gateway did not pass on. */
function isComplaint(line: Json, about: string): boolean {
  const asked = parsed(about);
  if (line.type === 'error') return asked === null;
  if (line.type !== 'response' || line.success !== false) return false;
  if (asked === null) return line.id === undefined && (line.command === 'parse' || line.command === undefined);
  return line.id === asked.id && line.command === asked.type;
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
