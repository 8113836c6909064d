// The tool servers that a client brings along, told to the agent once, on its stdin: they hold secrets, so they stand
// neither on a command line nor in a file (docs/protocols/claude.md 8.10). The words of the agent's answer may repeat
// them and are shown to nobody.
import { z } from 'zod';
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { BroughtServer } from '../../../core/model/session-info.ts';
import type { Requests } from './requests.ts';

/** The tool servers of one agent. */
export interface ToolServers {
  /** Sends the servers, unless they were sent before or there are none. */
  send(): void;
  /** Whether the agent still has to answer. A prompt waits for that: the model would lack the tools. */
  readonly areDue: boolean;
}

const Answered = z.object({ errors: z.record(z.string(), z.unknown()).optional() });

/** `settled`: called when the agent has answered, or has not answered in time. */
export function createToolServers(
  out: Outbox,
  requests: Pick<Requests, 'ask'>,
  servers: readonly BroughtServer[],
  settled: () => void,
): ToolServers {
  let state: 'unsent' | 'sent' | 'settled' = servers.length === 0 ? 'settled' : 'unsent';

  function warn(names: readonly string[]): void {
    if (names.length === 0) return;
    const text = `The agent could not start these tool servers: ${names.join(', ')}.`;
    out.deliver({ type: 'notice', level: 'warning', text, source: 'gateway' });
  }

  return {
    get areDue() {
      return state !== 'settled';
    },
    send() {
      if (state !== 'unsent') return;
      state = 'sent';
      const configs = Object.fromEntries(servers.map(({ name, config }) => [name, config]));
      requests.ask({ subtype: 'mcp_set_servers', servers: configs }, (answer) => {
        state = 'settled';
        const names = servers.map(({ name }) => name);
        const { errors = {} } = 'response' in answer ? (Answered.safeParse(answer.response).data ?? {}) : {};
        warn('error' in answer ? names : names.filter((name) => Object.hasOwn(errors, name)));
        settled();
      });
    },
  };
}
