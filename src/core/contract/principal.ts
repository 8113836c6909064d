// Who a client acts for: the rights that come with its token, and nothing else (docs/threats.md T24).

/** The holder of one token. */
export interface Principal {
  /** For logs and lists; no secret. */
  readonly name: string;
  /** An observer reads; every command of an observer is refused. */
  readonly role: 'controller' | 'observer';
  /** The agents that the principal may use and see; null: all. */
  readonly agents: ReadonlySet<string> | null;
  /** The sessions that the principal reaches. */
  readonly sessions: 'own' | 'all';
}

/** The holder of the single token, and the owner of the process on stdio: everything is allowed. */
export const owner: Principal = { name: 'owner', role: 'controller', agents: null, sessions: 'all' };

/** Whether the principal may use and see the agent. */
export function mayUse({ agents }: Principal, agent: string): boolean {
  return agents === null || agents.has(agent);
}

/** Whether the principal reaches a session. A session out of reach looks like an unknown one (docs/threats.md T20). */
export function reaches(
  principal: Principal,
  session: { readonly principal: string; readonly agent: string },
): boolean {
  const isIncluded = principal.sessions === 'all' || session.principal === principal.name;
  return isIncluded && mayUse(principal, session.agent);
}
