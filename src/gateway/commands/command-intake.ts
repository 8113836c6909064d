// Takes in the commands of one protocol's clients that carry tickets: one ledger, its circuit breakers, and the clients
// that get the broadcasts.
import { createHash } from 'node:crypto';
import type { FrontendLimits } from '../../core/contract/adapter/frontend.ts';
import type { Broadcast } from '../../core/contract/broadcast.ts';
import type { Clock } from '../../core/contract/clock.ts';
import type { Principal } from '../../core/contract/principal.ts';
import type { Receipt, Ticket } from '../../core/contract/ticket.ts';
import { createLedger, type Ledger } from '../../core/ledger/ledger.ts';
import { type LedgerKeeper, LedgerRecord } from '../../core/ledger/ledger-records.ts';
import type { Command } from '../../core/model/command.ts';
import type { Outcome } from '../../core/model/errors.ts';
import type { GatewayFigures } from '../../core/model/gateway-figures.ts';
import type { SessionTickets } from '../../core/session/kept/session-tickets.ts';
import type { Session } from '../../core/session/session.ts';
import { CircuitBreakers } from './circuit-breakers.ts';
import type { KeptLedger } from './kept-ledger.ts';

/** A command with a ticket, and how it is carried out and answered. */
export interface CommandRequest {
  readonly command: Command;
  readonly ticket: Ticket;
  /** The session that the client means, if any. */
  readonly session: string | undefined;
  execute(command: Command, settle: (outcome: Outcome) => void): void;
  settle(outcome: Outcome, receipt: Receipt): void;
}

/** A refusal that the intake counts besides those of its ledger. */
export type CountedRefusal = 'sessionLimit' | 'frameSize';

/** A client that gets the broadcasts. */
export interface BroadcastListener {
  onBroadcast(broadcast: Broadcast): void;
  /** False while no client is connected behind the listener; default true. */
  readonly isHeard?: boolean;
}

/** The dependencies of an intake. */
export interface CommandIntakePorts {
  readonly clock: Clock;
  /** Ms since 1970 when the clock was 0. */
  readonly timeOrigin: number;
  /** The name of a session's agent; undefined for a session that the principal does not reach. */
  agentOf(session: string, principal: Principal): string | undefined;
  /** Why the store of sessions cannot keep anything now; default: there is no store. */
  storeObstacles?(): readonly string[];
  /** Undefined for a session that is not open. */
  openSession(session: string): Pick<Session, 'tickets' | 'version'> | undefined;
  /** Keeps the commands and outcomes of a ledger that belong to no kept session. Absent: nothing is kept. */
  keeperOf?(name: string): KeptLedger;
}

/** Keeps what is about a session with the session, which may go on elsewhere, and the rest with the ledger. */
function withSessions(
  keeper: LedgerKeeper,
  ledger: string,
  ticketsOf: (session: string) => SessionTickets | undefined,
): LedgerKeeper {
  return {
    timeOrigin: keeper.timeOrigin,
    keep(record, then) {
      const session = record.kind === 'forget' ? undefined : record.session;
      const tickets = session === undefined ? undefined : ticketsOf(session);
      if (tickets?.keep({ ledger, record }, then) !== true) keeper.keep(record, then);
    },
  };
}

/** The commands of all clients of one protocol, in one order. */
export class CommandIntake {
  readonly limits: FrontendLimits;
  /** Whose commands these are: all principals that reach every session, or one other. */
  readonly principal: Principal;
  readonly #agentOf: (session: string) => string | undefined;
  readonly #storeObstacles: () => readonly string[];
  readonly #listeners = new Set<BroadcastListener>();
  readonly #refusals: Record<CountedRefusal, number> = { sessionLimit: 0, frameSize: 0 };
  readonly #breakers: CircuitBreakers;
  readonly #ledger: Ledger;
  readonly #name: string;
  readonly #ticketsOf: (session: string) => SessionTickets | undefined;
  /** Sessions whose records the ledger has; null: nothing is kept. */
  #known: WeakSet<SessionTickets> | null = null;
  /** Commands that came before the ledger of the process before was read. Null: it is read. */
  #early: CommandRequest[] | null = null;

  /** `name`: of the ledger among all of the gateway. */
  constructor(limits: FrontendLimits, principal: Principal, ports: CommandIntakePorts, name = principal.name) {
    const { clock, timeOrigin } = ports;
    const agentOf = (session: string) => ports.agentOf(session, principal);
    this.limits = limits;
    this.principal = principal;
    this.#storeObstacles = () => ports.storeObstacles?.() ?? [];
    this.#agentOf = agentOf;
    this.#breakers = new CircuitBreakers(limits.breaker, clock, timeOrigin);
    const keeper = ports.keeperOf?.(name);
    this.#name = name;
    this.#ticketsOf = (session) => ports.openSession(session)?.tickets;
    this.#ledger = createLedger({
      ...(keeper === undefined ? {} : { keeper: withSessions(keeper, name, this.#ticketsOf) }),
      clock,
      limits: limits.ledger,
      digest: (text) => createHash('sha256').update(text).digest('base64'),
      counterOf: (session) => (agentOf(session) === undefined ? undefined : ports.openSession(session)?.version),
      broadcast: (broadcast) => this.broadcast(broadcast),
    });
    if (keeper !== undefined) this.#restore(keeper);
  }

  submit(request: CommandRequest): void {
    if (this.#early !== null) return void this.#early.push(request);
    const { command, ticket, session, execute, settle } = request;
    if (session !== undefined) this.#learn(session);
    let timedOut = () => {};
    this.#ledger.submit({
      ticket,
      run: (done) => {
        const agent = session === undefined ? undefined : this.#agentOf(session);
        if (session === undefined || agent === undefined) return execute(command, done);
        const call = this.#breakers.enter(command, { agent, session });
        if ('ok' in call) return done(call);
        timedOut = () => call.ended('timeout');
        execute(command, (outcome) => {
          call.ended(outcome);
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

  /** Takes what a session has brought from an earlier process. */
  #learn(session: string): void {
    const tickets = this.#known === null ? undefined : this.#ticketsOf(session);
    if (tickets === undefined || this.#known?.has(tickets) === true) return;
    this.#known?.add(tickets);
    const records = tickets.recordsOf(this.#name).flatMap((record) => LedgerRecord.safeParse(record).data ?? []);
    this.#ledger.restore(records);
  }

  #restore(keeper: KeptLedger): void {
    this.#known = new WeakSet();
    this.#early = [];
    void keeper
      .open(() => this.#ledger.records())
      .then((records) => {
        this.#ledger.restore(records);
        const early = this.#early ?? [];
        this.#early = null;
        for (const request of early) this.submit(request);
      });
  }

  broadcast(broadcast: Broadcast): void {
    // A copy: a listener may leave while it handles the broadcast.
    for (const listener of [...this.#listeners]) listener.onBroadcast(broadcast);
  }

  /** Adds a client. Returns the function that removes it. */
  subscribe(client: BroadcastListener): () => void {
    this.#listeners.add(client);
    return () => void this.#listeners.delete(client);
  }

  /** Number of connected clients. */
  get clients(): number {
    return [...this.#listeners].filter(({ isHeard }) => isHeard !== false).length;
  }

  /** Refusals of the ledger so far, by the exceeded limit. */
  get ledgerRefusals(): ReturnType<Ledger['figures']>['refused'] {
    return this.#ledger.figures().refused;
  }

  count(refusal: CountedRefusal): void {
    this.#refusals[refusal] += 1;
  }

  /** Forgets a closed session. */
  forget(session: string): void {
    this.#ledger.forget(session);
    this.#breakers.forget(session);
  }

  /** The answer to a health query. */
  health(): Outcome {
    const openCircuits = this.#breakers.openAgents();
    const openShells = this.#breakers.openShells();
    const unkept = this.#storeObstacles();
    const issues = [
      ...unkept,
      ...openCircuits.map((name) => `Circuit open for ${name}`),
      ...openShells.map((name) => `Bash circuit open for ${name === '*' ? 'all sessions' : `session ${name}`}`),
    ];
    // An open breaker is a fault of the agent, so a gateway that answers is healthy (docs/protocols/pi-server.md
    // 17.10), unless it cannot keep what it promises to keep (docs/faults.md F24).
    return { ok: true, data: { healthy: unkept.length === 0, issues, openCircuits, openShells } };
  }

  /** The answer to a metrics query. */
  metrics(all: Pick<GatewayFigures, 'sessions' | 'questions'>): Outcome {
    const { refused, ...figures } = this.#ledger.figures();
    const { maxInFlight, maxOutcomes, allCommandsPerMinute: maxPerMinute } = this.limits.ledger;
    const values: GatewayFigures = {
      ...all,
      clients: this.clients,
      ledger: { ...figures, maxInFlight, maxOutcomes, maxPerMinute },
      refused: { ...this.#refusals, ...refused },
      ...this.#breakers.figures(),
    };
    return { ok: true, data: { values } };
  }

  /** Refuses new commands, announces the shutdown, and resolves when every accepted command has been answered. */
  drain(graceMs: number): Promise<void> {
    this.#ledger.shut();
    this.broadcast({ kind: 'shutdown', graceMs });
    return new Promise((resolve) => this.#ledger.whenIdle(resolve));
  }
}
