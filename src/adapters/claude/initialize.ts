// The greeting of the control protocol: what a client offers, and what it is told of an agent that does not speak for
// itself (reference claude-sdk 1.1). Pure.
import type { SessionInfo } from '../../core/event.ts';
import type { ControlRequestFrame } from './wire.ts';

/** `models` and `commands` are served from here by the SDK, without another message (reference 1.1). */
export function initializeResponse(info: SessionInfo): object {
  const models = info.models ?? (info.model === undefined ? [] : [info.model]);
  return {
    commands: (info.commands ?? []).map(({ name, description }) => ({
      name,
      description: description ?? '',
      argumentHint: '',
    })),
    agents: [],
    output_style: 'default',
    available_output_styles: ['default'],
    models: models.map(({ id, name }) => ({ value: id, displayName: name ?? id, description: '' })),
    account: {},
  };
}

/** What the agent would have to call, and what people call it. */
const offers = new Map([
  ['hooks', 'hooks'],
  ['sdkMcpServers', 'tools of its own'],
]);

/** What the client offers that only an agent of this protocol can call, in words. */
export function unservedIn(request: ControlRequestFrame['request']): string[] {
  return [...offers].flatMap(([key, words]) => (isOffered(request[key]) ? [words] : []));
}

function isOffered(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
