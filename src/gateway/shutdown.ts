// Shuts the gateway down: at once, or after the open runs.
import type { Clock } from '../core/contract/clock.ts';
import type { PacedWork } from '../core/contract/paced-work.ts';
import type { Hub } from '../core/session/hub.ts';
import type { Connections } from './clients/connections.ts';
import type { CommandIntakes } from './commands/command-intakes.ts';
import type { IdleSessions } from './sessions/idle-sessions.ts';
import type { Sessions } from './sessions/sessions.ts';

/** The parts that a shutdown ends. */
export interface ShutdownPorts {
  readonly hub: Hub;
  readonly idle: Pick<IdleSessions, 'stop'>;
  readonly sessions: Pick<Sessions, 'shut'>;
  readonly intakes: Pick<CommandIntakes, 'drain' | 'drainMs'>;
  readonly connections: Pick<Connections, 'leaveAll'>;
  readonly clock: Clock;
  readonly work: Pick<PacedWork, 'finish'>;
}

/** The shutdown of one gateway. */
export class Shutdown {
  readonly #ports: ShutdownPorts;
  #isClosed = false;

  constructor(ports: ShutdownPorts) {
    this.#ports = ports;
  }

  /** Whether `close` was called. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** See Gateway.drain. */
  async drain(reason: string, graceMs: number): Promise<void> {
    const { hub, intakes } = this.#ports;
    this.#shut();
    // One deadline for everything, and the one that clients are told.
    const ms = Math.max(graceMs, intakes.drainMs);
    const grace = this.#after(ms);
    // Accepted commands are carried out, waiting prompts included.
    await Promise.race([intakes.drain(ms), grace]);
    const open = hub.list().map((entry) => entry.session);
    for (const session of open) session.retire(reason);
    const idle = open.map((session) => new Promise<void>((resolve) => session.whenIdle(resolve)));
    await Promise.race([Promise.all(idle), grace]);
    this.close(reason);
  }

  /** See Gateway.close. */
  close(reason: string): void {
    this.#isClosed = true;
    this.#shut();
    this.#ports.hub.leaveAll(reason);
    this.#ports.connections.leaveAll(reason);
    // The process may end before the next turn, and the last frames must go out.
    this.#ports.work.finish();
  }

  #shut(): void {
    this.#ports.sessions.shut();
    this.#ports.idle.stop();
  }

  #after(ms: number): Promise<void> {
    return new Promise((resolve) => this.#ports.clock.after(ms, resolve));
  }
}
