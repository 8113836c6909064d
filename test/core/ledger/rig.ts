// A ledger on a virtual clock; everything that it broadcasts and answers becomes short lines.

import type { LedgerLimits } from '../../../src/core/contract/limits/ledger-limits.ts';
import type { Receipt, Ticket } from '../../../src/core/contract/ticket.ts';
import { createLedger, type Ledger } from '../../../src/core/ledger/ledger.ts';
import type { VersionCounter } from '../../../src/core/ledger/session-versions.ts';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import { createVirtualClock, type VirtualClock } from '../../support/core/virtual-clock.ts';

/** Limits so wide that no test meets one by accident. */
export const wide: LedgerLimits = {
  maxInFlight: 100_000,
  maxOutcomes: 100_000,
  idempotencyTtlMs: 600_000,
  dependencyWaitMs: 30_000,
  commandsPerMinute: 100_000,
  allCommandsPerMinute: 100_000,
  answersPerMinute: 100_000,
};

/** What a command does when it runs: nothing until the test says so (`hold`), or at once one of the others. */
export type How = 'hold' | 'ok' | 'fail' | 'throw';

/** A ticket of a command that changes session `s1`. */
export function ticketOf(label: string, fields: Partial<Ticket> = {}): Ticket {
  const type = fields.type ?? 'set';
  return {
    type,
    id: label,
    payload: { type, session: fields.session ?? 's1' },
    dependsOn: [],
    session: 's1',
    lane: 'session',
    place: 'in-turn',
    effect: 'changes',
    timeoutMs: null,
    ...fields,
  };
}

/** What a client reads of an ending: `ok v1 replayed`. */
export function say(outcome: Outcome, { version, replayed, timedOut }: Receipt): string {
  const words = [
    outcome.ok ? 'ok' : `${outcome.error.code}: ${outcome.error.message}`,
    ...(version === undefined ? [] : [`v${version}`]),
    ...(replayed ? ['replayed'] : []),
    ...(timedOut ? ['timed out'] : []),
  ];
  return words.join(' ');
}

/** The outcome of a success: commands that open a session name it. */
export function success({ effect, session }: Ticket): Outcome {
  return effect === 'opens' ? { ok: true, data: { session: { id: session ?? 'made' } } } : { ok: true };
}

/** The version of a session that nobody has changed. */
export function createCounter(): VersionCounter {
  let version = 0;
  return {
    get version() {
      return version;
    },
    countChange() {
      version += 1;
    },
  };
}

export interface Rig {
  readonly ledger: Ledger;
  readonly clock: VirtualClock;
  /** The sessions that exist. */
  readonly sessions: Map<string, VersionCounter>;
  /** The version of a session that exists. */
  versionOf(session: string): number | undefined;
  /**
   * `a accepted`, `a started`, `a runs`, `a undone`, `a finished: ok v1`, `a answer: ok v1`, in the order in which it
   * was said.
   */
  readonly log: string[];
  /** The lines since the last call; of one command without its name, or all. */
  read(label?: string): string[];
  /** `label`: what the log calls it, and its id unless it has another or none. */
  send(label: string, fields?: Partial<Ticket>, how?: How, after?: () => void): void;
  /** Labels of all that were carried out, in that order. */
  readonly runs: readonly string[];
  /** The command of that label has come to its end, also where it has before. */
  succeed(label: string, data?: unknown): void;
  fail(label: string, message?: string): void;
}

export function createRig({
  limits = {},
  sessions = ['s1', 's2'],
}: {
  limits?: Partial<LedgerLimits>;
  sessions?: string[];
} = {}): Rig {
  const clock = createVirtualClock();
  const there = new Map(sessions.map((name) => [name, createCounter()]));
  const log: string[] = [];
  const labels = new Map<Ticket, string>();
  const running = new Map<string, { ticket: Ticket; settle(outcome: Outcome): void }>();
  const runs: string[] = [];
  let unread = 0;

  const ledger = createLedger({
    clock,
    limits: { ...wide, ...limits },
    digest: (text) => text,
    counterOf: (session) => there.get(session),
    broadcast({ phase, how, ticket, ending }) {
      const label = labels.get(ticket) ?? '?';
      const end = ending === undefined ? '' : `: ${say(ending.outcome, ending.receipt)}`;
      log.push(`${label} ${phase}${how === 'executed' ? '' : ` ${how}`}${end}`);
    },
  });

  /** A session exists, or is gone, when its command answers. */
  function settle(label: string, outcome: Outcome): void {
    const run = running.get(label);
    if (run === undefined) throw new Error(`${label} was never carried out`);
    const { effect, session } = run.ticket;
    if (outcome.ok && effect === 'opens') there.set(session ?? 'made', createCounter());
    if (outcome.ok && effect === 'closes' && session !== undefined) {
      there.delete(session);
      ledger.forget(session);
    }
    run.settle(outcome);
  }

  return {
    ledger,
    clock,
    sessions: there,
    versionOf: (session) => there.get(session)?.version,
    log,
    runs,
    read(label) {
      const lines = log.slice(unread);
      unread = log.length;
      if (label === undefined) return lines;
      return lines.filter((line) => line.startsWith(`${label} `)).map((line) => line.slice(label.length + 1));
    },
    send(label, fields, how = 'hold', after) {
      const ticket = ticketOf(label, fields);
      labels.set(ticket, label);
      ledger.submit({
        ticket,
        run(done) {
          log.push(`${label} runs`);
          runs.push(label);
          running.set(label, { ticket, settle: done });
          if (how === 'ok') settle(label, success(ticket));
          if (how === 'fail') settle(label, refused('agent-refused', 'no'));
          if (how === 'throw') throw new Error('thrown');
        },
        settle(outcome, receipt) {
          log.push(`${label} answer: ${say(outcome, receipt)}`);
          after?.();
        },
        undo: () => void log.push(`${label} undone`),
      });
    },
    succeed(label, data) {
      const run = running.get(label);
      settle(label, run === undefined || data !== undefined ? { ok: true, data } : success(run.ticket));
    },
    fail: (label, message = 'no') => settle(label, refused('agent-refused', message)),
  };
}
