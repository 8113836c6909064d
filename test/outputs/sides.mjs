// The two sides of an adapter, in builds that group them (`agent`, `client`) and in older builds, which have all on the adapter itself.

/** What the agent side offers; undefined if no agents speak the protocol. */
export function agentSide(adapter) {
  if (adapter?.agent !== undefined) return adapter.agent;
  return adapter?.backend === undefined ? undefined : { backend: adapter.backend, multiplexing: adapter.trunk };
}

/** What the client side offers; undefined if no clients speak the protocol. */
export function clientSide(adapter) {
  if (adapter?.client !== undefined) return adapter.client;
  return adapter?.frontend === undefined ? undefined : { frontend: adapter.frontend };
}

/** The adapter with another way to reach its agents. */
export function withConnect(adapter, connect) {
  return adapter.agent === undefined ? { ...adapter, connect } : { ...adapter, agent: { ...adapter.agent, connect } };
}
