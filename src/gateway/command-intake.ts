// Where commands with tickets are taken in: for each protocol that has them one ledger, its circuit breakers, and all the
// clients that hear of both. Part of the composition root; knows no protocol.
import { createHash } from 'node:crypto';
import { createCircuits } from './circuit-breakers.ts';
import type { FrontendLimits } from '../core/contract/adapter.ts';
import type { Clock } from '../core/contract/clock.ts';
import type { Command } from '../core/model/command.ts';
import type { Outcome } from '../core/model/errors.ts';
import type { GatewayFigures } from '../core/model/gateway-figures.ts';
import { createLedger } from '../core/ledger/ledger.ts';
import type { Receipt, Ticket } from '../core/contract/ticket.ts';
import type { News } from '../core/contract/broadcast.ts';

/** A command as it is handed in. */
export interface Order {
  readonly command: Command;
  readonly ticket: Ticket;
  /** Which session the client means, if any. */
  readonly session: string | undefined;
  execute(command: Command, settle: (outcome: Outcome) => void): void;
  settle(outcome: Outcome, receipt: Receipt): void;
}

/** What a desk counts beside its ledger. */
export type Miscount = 'sessionLimit' | 'frameSize';

/** Who hears the news. */
export interface NewsListener {
  hear(news: News): void;
  /** False while there is nobody behind it; default true. */
  readonly isHeard?: boolean;
}

/** The commands of all clients of one protocol, in one order. */
export interface Desk {
  readonly limits: FrontendLimits;
  submit(order: Order): void;
  /** A client that hears the news; returns how it leaves. */
  join(client: NewsListener): () => void;
  /** Those that are there. */
  readonly clients: number;
  count(what: Miscount): void;
  health(): Outcome;
  metrics(sessions: { readonly sessions: number; readonly questions: number }): Outcome;
}

/** All desks. */
export interface Desks {
  /** The one of that protocol; made with its first client. */
  of(frontend: string, limits: FrontendLimits): Desk;
  tell(news: Exclude<News, { news: 'command' }>): void;
  /** A command without a ticket has been carried out: its session may be another one than it was. */
  carriedOut(command: Command, session: string, outcome: Outcome): void;
  /** That session is no more. */
  forget(session: string): void;
  /** The longest that any client may have been told that it can wait, ms; 0 without clients. */
  readonly drainMs: number;
  /** Takes nothing new, tells all clients so, and resolves when everything that was taken has been answered. */
  drain(): Promise<void>;
}

interface OpenDesk extends Desk {
  tell(news: News): void;
  /** A client without tickets has changed that session. */
  changed(session: string): void;
  /** That session is no more. */
  forget(session: string): void;
  drain(): Promise<void>;
}

/** Whether a command's success leaves its session another one than it was: all but questions and answers do. */
function changes({ type }: Command): boolean {
  return type !== 'query' && type !== 'answer-approval' && type !== 'answer-dialog' && type !== 'delete-session';
}

/** `agentOf`: the name of a session's agent; undefined where there is no such session. */
export function createDesks(clock: Clock, timeOrigin: number, agentOf: (session: string) => string | undefined): Desks {
  const desks = new Map<string, OpenDesk>();
  let isDraining = false;

  function tell(news: Parameters<Desks['tell']>[0]): void {
    for (const desk of desks.values()) desk.tell(news);
  }

  return {
    of(frontend, limits) {
      const known = desks.get(frontend);
      if (known !== undefined) return known;
      const made = openDesk(limits, { clock, timeOrigin, agentOf });
      desks.set(frontend, made);
      if (isDraining) void made.drain();
      return made;
    },
    tell,
    carriedOut(command, session, outcome) {
      if (!outcome.ok || !changes(command)) return;
      for (const desk of desks.values()) desk.changed(session);
    },
    forget(session) {
      for (const desk of desks.values()) desk.forget(session);
    },
    get drainMs() {
      const used = [...desks.values()].filter(({ clients }) => clients > 0);
      return Math.max(0, ...used.map(({ limits }) => limits.drainMs));
    },
    async drain() {
      isDraining = true;
      await Promise.all([...desks.values()].map((desk) => desk.drain()));
    },
  };
}

function openDesk(
  limits: FrontendLimits,
  { clock, timeOrigin, agentOf }: { clock: Clock; timeOrigin: number; agentOf(session: string): string | undefined },
): OpenDesk {
  const listeners = new Set<NewsListener>();
  const circuits = createCircuits(limits.breaker, clock, timeOrigin);
  const counts: Record<Miscount, number> = { sessionLimit: 0, frameSize: 0 };
  // A copy: who hears it may be gone by it.
  const tell = (news: News) => {
    for (const listener of [...listeners]) listener.hear(news);
  };
  const present = () => [...listeners].filter(({ isHeard }) => isHeard !== false).length;
  const ledger = createLedger({
    clock,
    limits: limits.ledger,
    digest: (text) => createHash('sha256').update(text).digest('base64'),
    exists: (session) => agentOf(session) !== undefined,
    tell,
  });

  function submit({ command, ticket, session, execute, settle }: Order): void {
    let timedOut = () => {};
    ledger.submit({
      ticket,
      run(done) {
        const agent = session === undefined ? undefined : agentOf(session);
        if (session === undefined || agent === undefined) return execute(command, done);
        const pass = circuits.enter(command, { agent, session });
        if ('ok' in pass) return done(pass);
        timedOut = () => pass.ended('timeout');
        execute(command, (outcome) => {
          pass.ended(outcome);
          done(outcome);
        });
      },
      undo() {
        timedOut();
        if (ticket.undo !== undefined) execute(ticket.undo, () => {});
      },
      settle,
    });
  }

  function values(all: { readonly sessions: number; readonly questions: number }): GatewayFigures {
    const { refused, ...figures } = ledger.figures();
    const { maxInFlight, maxOutcomes, allCommandsPerMinute: maxPerMinute } = limits.ledger;
    return {
      ...all,
      clients: present(),
      ledger: { ...figures, maxInFlight, maxOutcomes, maxPerMinute },
      refused: { ...counts, ...refused },
      ...circuits.figures(),
    };
  }

  return {
    limits,
    submit,
    tell,
    join(client) {
      listeners.add(client);
      return () => void listeners.delete(client);
    },
    get clients() {
      return present();
    },
    count(what) {
      counts[what] += 1;
    },
    changed: ledger.changed,
    forget(session) {
      ledger.forget(session);
      circuits.forget(session);
    },
    health() {
      const openCircuits = circuits.open();
      const openShells = circuits.openShells();
      const issues = [
        ...openCircuits.map((name) => `Circuit open for ${name}`),
        ...openShells.map((name) => `Bash circuit open for ${name === '*' ? 'all sessions' : `session ${name}`}`),
      ];
      // Who can answer is healthy: what is behind an open breaker is not this gateway (docs/protocols/pi-server.md 17.10).
      return { ok: true, data: { healthy: true, issues, openCircuits, openShells } };
    },
    metrics: (all) => ({ ok: true, data: { values: values(all) } }),
    drain() {
      ledger.shut();
      tell({ news: 'shutdown', graceMs: limits.drainMs });
      return new Promise((resolve) => ledger.whenIdle(resolve));
    },
  };
}
