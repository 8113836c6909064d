// A pi backend on a bench: lines in, actions out, a clock that only moves when told.

import { pi } from '../../../src/adapters/pi/index.ts';
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import type { Adapter } from '../../../src/core/contract/adapter/adapter.ts';
import type { Backend } from '../../../src/core/contract/adapter/backend.ts';
import type { Frame } from '../../../src/core/contract/channel.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';

export interface Bench {
  /** Feeds lines: objects, or raw text, or bytes. */
  feed(...lines: readonly (object | string | Uint8Array)[]): void;
  command(command: Command, id: string): void;
  /** Moves the clock and wakes what is due, in order. */
  advance(ms: number): void;
  start(): void;
  end(): void;
  /** Everything delivered, sent, settled, noted since the last call of the same function. */
  events(): Event[];
  sent(): Record<string, unknown>[];
  /** What `sent` gives, as it stands on the wire. */
  lines(): string[];
  settled(): Record<string, Outcome>;
  notes(): string[];
  /** The armed timers and when they are due. */
  timers(): Record<string, number>;
}

export function bench(options: Record<string, unknown> = {}, adapter: Adapter = pi): Bench {
  const backend = backendOf(options, adapter);
  const timers = new Map<string, number>();
  let now = 0;
  let events: Event[] = [];
  let sent: string[] = [];
  let settled: Record<string, Outcome> = {};
  let notes: string[] = [];

  function perform(actions: readonly Action<Event>[]): void {
    for (const action of actions) {
      if (action.do === 'deliver') events.push(action.message);
      else if (action.do === 'send') sent.push(String(action.frame));
      else if (action.do === 'settle') {
        if (action.id in settled) throw new Error(`settled twice: ${action.id}`);
        settled[action.id] = action.outcome;
      } else if (action.do === 'note') notes.push(`${action.level}: ${action.text}`);
      else if (action.do === 'timer') {
        if (action.ms === null) timers.delete(action.id);
        else timers.set(action.id, now + action.ms);
      }
    }
  }

  return {
    feed(...lines) {
      for (const line of lines) perform(backend.decode(frameOf(line)));
    },
    command: (command, id) => perform(backend.encode(command, id)),
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const [next] = [...timers].filter(([, due]) => due <= until).sort(([, a], [, b]) => a - b);
        if (next === undefined) break;
        timers.delete(next[0]);
        now = next[1];
        perform(backend.onTimer?.(next[0]) ?? []);
      }
      now = until;
    },
    start: () => perform(backend.start?.() ?? []),
    end: () => perform(backend.end?.() ?? []),
    events() {
      const taken = events;
      events = [];
      return taken;
    },
    sent() {
      const taken = sent.map((line): Record<string, unknown> => JSON.parse(line));
      sent = [];
      return taken;
    },
    lines() {
      const taken = sent;
      sent = [];
      return taken;
    },
    settled() {
      const taken = settled;
      settled = {};
      return taken;
    },
    notes() {
      const taken = notes;
      notes = [];
      return taken;
    },
    timers: () => Object.fromEntries(timers),
  };
}

/** A backend whose ids count: `message-1`, `query-2`. */
export function backendOf(options: Record<string, unknown> = {}, adapter: Adapter = pi): Backend {
  let ids = 0;
  const backend = adapter.agent?.backend({ now: () => 0, id: (kind) => `${kind}-${++ids}` }, options);
  if (backend === undefined) throw new Error(`${adapter.id} has no backend`);
  return backend;
}

/** A line as a transport hands it over. */
export function frameOf(line: object | string | Uint8Array): Frame {
  const bytes = line instanceof Uint8Array ? line : new TextEncoder().encode(textOf(line));
  return {
    bytes,
    get text(): string {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    },
    get json(): unknown {
      return JSON.parse(this.text);
    },
    from: (byte) => frameOf(bytes.subarray(byte)),
  };
}

function textOf(line: object | string): string {
  return typeof line === 'string' ? line : JSON.stringify(line);
}

/** The types of events, for tables about order. */
export function typesOf(events: readonly Event[]): string[] {
  return events.map(({ type }) => type);
}

/** Lines of the wire, as short as they can be. */
export const wire = {
  agentStart: { type: 'agent_start' },
  agentEnd: { type: 'agent_end', messages: [] },
  settled: { type: 'agent_settled' },
  turnStart: { type: 'turn_start' },
  turnEnd: { type: 'turn_end', message: {}, toolResults: [] },
  update: (event: object, rest: object = {}) => ({ type: 'message_update', assistantMessageEvent: event, ...rest }),
  assistantStart: (rest: object = {}) => ({
    type: 'message_start',
    message: { role: 'assistant', content: [], ...rest },
  }),
  assistantEnd: (content: readonly object[] = [], rest: object = {}) => ({
    type: 'message_end',
    message: { role: 'assistant', content, stopReason: 'stop', ...rest },
  }),
  said: (text: string) => ({ type: 'message_end', message: { role: 'user', content: [{ type: 'text', text }] } }),
  response: (id: string, command: string, data?: unknown) => ({ id, type: 'response', command, success: true, data }),
  refusal: (id: string | undefined, command: string, error: string) => ({
    id,
    type: 'response',
    command,
    success: false,
    error,
  }),
} as const;

/** A whole run with one empty message, up to and including agent_end. */
export function shortRun(stopReason = 'stop', errorMessage?: string): object[] {
  const end = wire.assistantEnd([], { stopReason, errorMessage });
  return [wire.agentStart, wire.turnStart, wire.assistantStart(), end, wire.turnEnd, wire.agentEnd];
}
