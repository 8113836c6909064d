// The command intakes of all protocols whose commands carry tickets.
import type { FrontendLimits } from '../../core/contract/adapter/frontend.ts';
import type { Broadcast } from '../../core/contract/broadcast.ts';
import { owner, type Principal, reaches } from '../../core/contract/principal.ts';
import type { Command } from '../../core/model/command.ts';
import type { Outcome } from '../../core/model/errors.ts';
import type { HubEntry } from '../../core/session/hub.ts';
import { CommandIntake, type CommandIntakePorts } from './command-intake.ts';

/** All intakes. Each is created with the first client of its protocol. */
export class CommandIntakes {
  readonly #ports: CommandIntakePorts;
  readonly #intakes = new Map<string, CommandIntake>();
  /** The time that a shutdown gives; null before one. */
  #drainMs: number | null = null;

  constructor(ports: CommandIntakePorts) {
    this.#ports = ports;
  }

  /**
   * The intake of this protocol and principal. Principals that reach everything share one, so that their commands keep
   * one order; no outcome is replayed to another principal (docs/threats.md T21).
   */
  of(frontend: string, limits: FrontendLimits, principal: Principal): CommandIntake {
    const reachesAll = principal.sessions === 'all' && principal.agents === null && principal.role === 'controller';
    const key = reachesAll ? frontend : `${frontend} ${principal.name}`;
    const known = this.#intakes.get(key);
    if (known !== undefined) return known;
    const created = new CommandIntake(limits, reachesAll ? owner : principal, this.#ports, key);
    this.#intakes.set(key, created);
    if (this.#drainMs !== null) void created.drain(this.#drainMs);
    return created;
  }

  /** Tells all clients that reach the session. */
  broadcast(broadcast: Exclude<Broadcast, { kind: 'command' }>, about: HubEntry): void {
    for (const intake of this.#intakes.values()) if (reaches(intake.principal, about)) intake.broadcast(broadcast);
  }

  /** A command without a ticket has been carried out: its session may have changed. */
  carriedOut(command: Command, session: string, outcome: Outcome): void {
    if (!outcome.ok || !changesSession(command)) return;
    this.#ports.openSession(session)?.version.countChange();
  }

  /** Refusals of each ledger so far. */
  refusals(): readonly CommandIntake['ledgerRefusals'][] {
    return [...this.#intakes.values()].map(({ ledgerRefusals }) => ledgerRefusals);
  }

  /** Forgets a closed session. */
  forget(session: string): void {
    for (const intake of this.#intakes.values()) intake.forget(session);
  }

  /** How long runs may continue after a shutdown, ms: the longest time of the clients' protocols; 0 without clients. */
  get drainMs(): number {
    const used = [...this.#intakes.values()].filter(({ clients }) => clients > 0);
    return Math.max(0, ...used.map(({ limits }) => limits.drainMs));
  }

  /**
   * Refuses new commands, announces that the shutdown comes in `ms` at the latest, and resolves when every accepted
   * command has been answered.
   */
  async drain(ms: number): Promise<void> {
    this.#drainMs = ms;
    await Promise.all([...this.#intakes.values()].map((intake) => intake.drain(ms)));
  }
}

/** Whether success of the command changes its session. Queries and answers do not; a deleted session has no version. */
function changesSession({ type }: Command): boolean {
  return type !== 'query' && type !== 'answer-approval' && type !== 'answer-dialog' && type !== 'delete-session';
}
