// The versions of the protocol. The schemas beside this file are those of version 1; another version becomes another
// folder of schemas, chosen for each connection by the answer to `initialize` (docs/protocols/acp.md 2.10).

/** The version that both sides of the gateway speak, whatever the peer asks for. */
export const protocolVersion = 1;
