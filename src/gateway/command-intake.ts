// Where commands with tickets are taken in: for each protocol that has them one ledger, its circuit breakers, and all the
// clients that hear of both. Part of the composition root; knows no protocol.
import { createHash } from 'node:crypto';
import { createCircuitBreakers } from './circuit-breakers.ts';
import type { FrontendLimits } from '../core/contract/adapter.ts';
import type { Clock } from '../core/contract/clock.ts';
import type { Command } from '../core/model/command.ts';
import type { Outcome } from '../core/model/errors.ts';
import type { GatewayFigures } from '../core/model/gateway-figures.ts';
import { createLedger } from '../core/ledger/ledger.ts';
import type { Receipt, Ticket } from '../core/contract/ticket.ts';
import type { Broadcast } from '../core/contract/broadcast.ts';

/** A command as it is handed in. */
export interface CommandRequest {
  readonly command: Command;
  readonly ticket: Ticket;
  /** Which session the client means, if any. */
  readonly session: string | undefined;
  execute(command: Command, settle: (outcome: Outcome) => void): void;
  settle(outcome: Outcome, receipt: Receipt): void;
}

/** What a intake counts beside its ledger. */
export type Miscount = 'sessionLimit' | 'frameSize';

/** Who hears the broadcast. */
export interface BroadcastListener {
  onBroadcast(message: Broadcast): void;
  /** False while there is nobody behind it; default true. */
  readonly isHeard?: boolean;
}

/** The commands of all clients of one protocol, in one order. */
export interface CommandIntake {
  readonly limits: FrontendLimits;
  submit(order: CommandRequest): void;
  /** A client that hears the broadcast; returns how it leaves. */
  subscribe(client: BroadcastListener): () => void;
  /** Those that are there. */
  readonly clients: number;
  count(what: Miscount): void;
  health(): Outcome;
  metrics(sessions: { readonly sessions: number; readonly questions: number }): Outcome;
}

/** All intakes. */
export interface CommandIntakes {
  /** The one of that protocol; made with its first client. */
  of(frontend: string, limits: FrontendLimits): CommandIntake;
  broadcast(message: Exclude<Broadcast, { kind: 'command' }>): void;
  /** A command without a ticket has been carried out: its session may be another one than it was. */
  carriedOut(command: Command, session: string, outcome: Outcome): void;
  /** That session is no more. */
  forget(session: string): void;
  /** The longest that any client may have been told that it can wait, ms; 0 without clients. */
  readonly drainMs: number;
  /** Takes nothing new, tells all clients so, and resolves when everything that was taken has been answered. */
  drain(): Promise<void>;
}

interface OpenIntake extends CommandIntake {
  broadcast(message: Broadcast): void;
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
export function createCommandIntakes(
  clock: Clock,
  timeOrigin: number,
  agentOf: (session: string) => string | undefined,
): CommandIntakes {
  const intakes = new Map<string, OpenIntake>();
  let isDraining = false;

  function broadcast(message: Parameters<CommandIntakes['broadcast']>[0]): void {
    for (const intake of intakes.values()) intake.broadcast(message);
  }

  return {
    of(frontend, limits) {
      const known = intakes.get(frontend);
      if (known !== undefined) return known;
      const made = openIntake(limits, { clock, timeOrigin, agentOf });
      intakes.set(frontend, made);
      if (isDraining) void made.drain();
      return made;
    },
    broadcast,
    carriedOut(command, session, outcome) {
      if (!outcome.ok || !changes(command)) return;
      for (const intake of intakes.values()) intake.changed(session);
    },
    forget(session) {
      for (const intake of intakes.values()) intake.forget(session);
    },
    get drainMs() {
      const used = [...intakes.values()].filter(({ clients }) => clients > 0);
      return Math.max(0, ...used.map(({ limits }) => limits.drainMs));
    },
    async drain() {
      isDraining = true;
      await Promise.all([...intakes.values()].map((intake) => intake.drain()));
    },
  };
}

function openIntake(
  limits: FrontendLimits,
  { clock, timeOrigin, agentOf }: { clock: Clock; timeOrigin: number; agentOf(session: string): string | undefined },
): OpenIntake {
  const listeners = new Set<BroadcastListener>();
  const breakers = createCircuitBreakers(limits.breaker, clock, timeOrigin);
  const counts: Record<Miscount, number> = { sessionLimit: 0, frameSize: 0 };
  // A copy: who hears it may be gone by it.
  const broadcast = (message: Broadcast) => {
    for (const listener of [...listeners]) listener.onBroadcast(message);
  };
  const present = () => [...listeners].filter(({ isHeard }) => isHeard !== false).length;
  const ledger = createLedger({
    clock,
    limits: limits.ledger,
    digest: (text) => createHash('sha256').update(text).digest('base64'),
    exists: (session) => agentOf(session) !== undefined,
    broadcast,
  });

  function submit({ command, ticket, session, execute, settle }: CommandRequest): void {
    let timedOut = () => {};
    ledger.submit({
      ticket,
      run(done) {
        const agent = session === undefined ? undefined : agentOf(session);
        if (session === undefined || agent === undefined) return execute(command, done);
        const pass = breakers.enter(command, { agent, session });
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
      ...breakers.figures(),
    };
  }

  return {
    limits,
    submit,
    broadcast,
    subscribe(client) {
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
      breakers.forget(session);
    },
    health() {
      const openCircuits = breakers.open();
      const openShells = breakers.openShells();
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
      broadcast({ kind: 'shutdown', graceMs: limits.drainMs });
      return new Promise((resolve) => ledger.whenIdle(resolve));
    },
  };
}
