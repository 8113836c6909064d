// The answer to `initialize`, and the refusals of logins (docs/protocols/acp.md 2.10 to 2.13).
import { protocolVersion } from '../wire/version.ts';

/** What the gateway can do as an agent. Whatever version is asked for, the answer is 1. */
export function initializeResult(): object {
  return {
    protocolVersion,
    agentInfo: { name: 'agent-patchbay', title: 'Patchbay', version: '1' },
    authMethods: [],
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
      auth: {},
    },
  };
}
