// The command intakes of all protocols whose commands carry tickets.
import type { FrontendLimits } from '../core/contract/adapter.ts';
import type { Broadcast } from '../core/contract/broadcast.ts';
import type { Command } from '../core/model/command.ts';
import type { Outcome } from '../core/model/errors.ts';
import { CommandIntake, type CommandIntakePorts } from './command-intake.ts';

/** All intakes. Each is created with the first client of its protocol. */
export class CommandIntakes {
  readonly #ports: CommandIntakePorts;
  readonly #intakes = new Map<string, CommandIntake>();
  #isDraining = false;

  constructor(ports: CommandIntakePorts) {
    this.#ports = ports;
  }

  /** The intake of this protocol. */
  of(frontend: string, limits: FrontendLimits): CommandIntake {
    const known = this.#intakes.get(frontend);
    if (known !== undefined) return known;
    const created = new CommandIntake(limits, this.#ports);
    this.#intakes.set(frontend, created);
    if (this.#isDraining) void created.drain();
    return created;
  }

  broadcast(broadcast: Exclude<Broadcast, { kind: 'command' }>): void {
    for (const intake of this.#intakes.values()) intake.broadcast(broadcast);
  }

  /** A command without a ticket has been carried out: the version of its session may have changed. */
  carriedOut(command: Command, session: string, outcome: Outcome): void {
    if (!outcome.ok || !changesSession(command)) return;
    for (const intake of this.#intakes.values()) intake.changed(session);
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

  /** Refuses new commands, announces the shutdown, and resolves when every accepted command has been answered. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await Promise.all([...this.#intakes.values()].map((intake) => intake.drain()));
  }
}

/** Whether success of the command changes its session. Queries and answers do not; a deleted session has no version. */
function changesSession({ type }: Command): boolean {
  return type !== 'query' && type !== 'answer-approval' && type !== 'answer-dialog' && type !== 'delete-session';
}
