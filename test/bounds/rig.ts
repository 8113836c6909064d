// One peer at the end of a wire, for tests that drive it beyond a bound: a real backend behind its link, or a real
// frontend behind its own.
import { adapters } from '../../src/adapters/index.ts';
import { linkAgent } from '../../src/core/link/agent-link.ts';
import { linkClient } from '../../src/core/link/client-link.ts';
import type { Command } from '../../src/core/model/command.ts';
import type { Outcome } from '../../src/core/model/errors.ts';
import type { Event, EventOf, EventType } from '../../src/core/model/event.ts';
import { createStreamRig, epoch } from '../support/core/stream-rig.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';
import { createWire } from '../support/core/wire.ts';
import { stillEnv } from '../support/decoding.ts';

type Json = Record<string, unknown>;

/** The acts of bounds, by the names that docs/limits.md 5.10 gives them. */
export type Acts = Readonly<Record<string, () => void | Promise<void>>>;

/** A connected agent of that protocol. */
export function agentOf(id: string, options: Json = {}) {
  const backend = adapters.get(id)?.agent?.backend(stillEnv(), options, undefined, 'session');
  if (backend === undefined) throw new Error(`${id} has no agent side`);
  const clock = createVirtualClock();
  const wire = createWire(clock, id);
  const events: Event[] = [];
  const notes: string[] = [];
  const limits: string[] = [];
  const endings: string[] = [];
  const link = linkAgent({ channel: wire.channel, backend }, clock, {
    event: (event) => void events.push(event),
    note: (level, text) => void notes.push(`${level} ${text}`),
    limited: (rule) => void limits.push(rule),
    end: ({ reason }) => void endings.push(reason),
  });
  return {
    clock,
    wire,
    events,
    notes,
    limits,
    endings,
    say(...frames: readonly object[]) {
      for (const frame of frames) wire.frame(JSON.stringify(frame));
    },
    /** What it was sent, from that frame on. */
    sent: (from = 0): Json[] => wire.sent.slice(from).map((text) => JSON.parse(text)),
    /** The outcome so far. */
    ask(command: Command): { outcome: Outcome | null } {
      const asked: { outcome: Outcome | null } = { outcome: null };
      link.submit(command, (outcome) => {
        asked.outcome = outcome;
      });
      return asked;
    },
    of: <Type extends EventType>(type: Type) => events.filter((event): event is EventOf<Type> => event.type === type),
  };
}

/** A connected client of that protocol, bound to a session. Its commands wait for `settle`. */
export function clientOf(id: string, options: Json = {}, before: readonly Event[] = []) {
  const side = adapters.get(id)?.client?.frontend(stillEnv(), options);
  if (side === undefined) throw new Error(`${id} has no client side`);
  const clock = createVirtualClock();
  const wire = createWire(clock, id);
  const rig = createStreamRig({}, before, side.projection);
  const view = { id: 's', epoch, timeOrigin: 0, place: undefined, agent: undefined, transcript: rig.transcript };
  const limits: string[] = [];
  const notes: string[] = [];
  const open: { readonly command: Command; settle(outcome: Outcome): void }[] = [];
  linkClient(
    wire.channel,
    side.connection(view),
    rig.stream.attach(null),
    clock,
    {
      submit: (command, settle) => void open.push({ command, settle }),
      note: (level, text) => void notes.push(`${level} ${text}`),
      limited: (rule) => void limits.push(rule),
    },
    { end: () => {} },
  );
  return {
    ...rig,
    clock,
    wire,
    limits,
    notes,
    open,
    send(...frames: readonly object[]) {
      for (const frame of frames) wire.frame(JSON.stringify(frame));
    },
    /** Settles all that is open. */
    settle(outcome: Outcome = { ok: true }) {
      for (const { settle } of open.splice(0)) settle(outcome);
    },
    sent: (from = 0): Json[] => wire.sent.slice(from).map((text) => JSON.parse(text)),
  };
}

/** Numbers from 0. */
export const counted = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
