// What the sessions of one token may use together (docs/limits.md 7.8 to 7.10).
import type { Config } from '../config/config.ts';
import type { Principal } from '../core/contract/principal.ts';
import { GatewayError } from '../core/model/errors.ts';
import type { Hub } from '../core/session/hub.ts';
import type { Session } from '../core/session/session.ts';

/** The quotas of all tokens. Counts what is open now; nothing is kept. */
export class Quotas {
  readonly #hub: Pick<Hub, 'list'>;
  readonly #limits: Config['limits']['perToken'];

  constructor(hub: Pick<Hub, 'list'>, limits: Config['limits']['perToken']) {
    this.#hub = hub;
    this.#limits = limits;
  }

  /** Throws `limit` if the token may open no further session. */
  checkSessions(principal: Principal): void {
    const { sessions } = this.#limits;
    if (sessions === null || this.#sessionsOf(principal).length < sessions) return;
    throw new GatewayError('limit', `this token has as many sessions as it may have (${sessions})`);
  }

  /** Throws `limit` if the token may start no further agent. */
  checkAgents(principal: Principal): void {
    const { agents } = this.#limits;
    if (this.#sessionsOf(principal).filter(({ hasAgent }) => hasAgent).length < agents) return;
    throw new GatewayError('limit', `this token runs as many agents as it may run (${agents}); close a session first`);
  }

  /** Why a new question of an agent is refused; null if it may stay open. */
  refuseQuestion(principal: Principal): string | null {
    const { questions } = this.#limits;
    const open = this.#sessionsOf(principal).reduce((sum, { transcript: { approvals, dialogs } }) => {
      return sum + approvals.size + dialogs.size;
    }, 0);
    return open > questions ? `more than ${questions} questions are open in the sessions of one token` : null;
  }

  #sessionsOf({ name }: Principal): readonly Session[] {
    return this.#hub.list().flatMap((entry) => (entry.principal === name ? [entry.session] : []));
  }
}
