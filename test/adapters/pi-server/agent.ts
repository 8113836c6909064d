// A pi-server backend on a bench: the bench of pi's, with a session of a known name and what it closes.
import { piServer } from '../../../src/adapters/pi-server/index.ts';
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import type { Adapter } from '../../../src/core/contract/adapter/adapter.ts';
import type { Backend } from '../../../src/core/contract/adapter/backend.ts';
import type { CommandOf } from '../../../src/core/model/command.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { type Bench, bench, wire as pi } from '../pi/harness.ts';

type Json = Record<string, unknown>;

/** The name of the session. */
export const name = 's';

/** A bench for one session. */
export interface AgentBench extends Bench {
  /** Why it closed the connection; null while it did not. */
  closed(): string | null;
  /** The frames that it sends as its last. */
  leave(): Json[];
}

/** A backend that has not been greeted yet. */
export function strangeAgent(options: Json = {}, folders: readonly string[] = ['/home/me/project']): AgentBench {
  let closed: string | null = null;
  let machine: Backend | null = null;
  const watched = (actions: Action<Event>[]) => {
    for (const action of actions) if (action.do === 'close') closed ??= action.reason;
    return actions;
  };
  const adapter: Adapter = {
    ...piServer,
    agent: {
      ...piServer.agent,
      backend(env, given) {
        const backend = piServer.agent?.backend(env, given, folders, name);
        if (backend === undefined) throw new Error('pi-server has no agent side');
        machine = backend;
        return {
          ...backend,
          start: () => watched(backend.start?.() ?? []),
          decode: (frame) => watched(backend.decode(frame)),
          encode: (command, id) => watched(backend.encode(command, id)),
          onTimer: (timer) => watched(backend.onTimer?.(timer) ?? []),
        };
      },
    },
  };
  const rig = bench(options, adapter);
  return {
    ...rig,
    closed: () => closed,
    leave() {
      const actions = machine?.leave?.() ?? [];
      return actions.flatMap((action) => (action.do === 'send' ? [JSON.parse(String(action.frame))] : []));
    },
  };
}

/** The description of the session. */
export const info = {
  sessionId: name,
  sessionFile: '/home/me/.pi/s.jsonl',
  model: { id: 'small', provider: 'p' },
  thinkingLevel: 'medium',
  isStreaming: false,
  messageCount: 0,
  createdAt: '2026-03-01T00:00:00.000Z',
};

/** A backend whose session is open; what it has said so far is forgotten. */
export function agent(options: Json = {}): AgentBench {
  const server = strangeAgent(options);
  server.start();
  server.feed(wire.ready(), wire.answer(1, 'create_session', { sessionId: name, sessionInfo: info }, 0));
  server.feed(wire.answer(2, 'switch_session', { sessionInfo: info }, 0));
  server.sent();
  server.events();
  return server;
}

const lifecycle =
  (type: string) =>
  (n: number | string, commandType: string, more: Json = {}) => ({
    type,
    data: {
      commandId: typeof n === 'number' ? `${name}:${n}` : n,
      commandType,
      sessionId: name,
      dependsOn: [],
      ...more,
    },
  });

/** Frames of a server, as short as they can be. Numbers are those of our commands: the session took 1 and 2. */
export const wire = {
  ready: (protocolVersion: unknown = '1.0.0') => ({
    type: 'server_ready',
    data: { serverVersion: '0.1.0', protocolVersion, transports: ['websocket', 'stdio'] },
  }),
  answer: (n: number, command: string, data?: unknown, sessionVersion?: number) => ({
    id: `${name}:${n}`,
    type: 'response',
    command,
    success: true,
    data,
    sessionVersion,
  }),
  refusal: (n: number, command: string, error: string, more: Json = {}) => ({
    id: `${name}:${n}`,
    type: 'response',
    command,
    success: false,
    error,
    ...more,
  }),
  accepted: lifecycle('command_accepted'),
  started: lifecycle('command_started'),
  finished: lifecycle('command_finished'),
  event: (event: object) => ({ type: 'event', sessionId: name, event }),
  events: (...events: object[]) => events.map((event) => ({ type: 'event', sessionId: name, event })),
} as const;

/** One try of an agent: a message that ends so. */
export const once = (stopReason = 'stop', errorMessage?: string): object[] =>
  wire.events(
    pi.agentStart,
    pi.turnStart,
    pi.assistantStart(),
    pi.assistantEnd([], { stopReason, errorMessage }),
    pi.turnEnd,
    pi.agentEnd,
  );

/** The beginning of a run that goes on: a text that is not over. */
export const speaking = (text = 'I was '): object[] =>
  wire.events(
    pi.agentStart,
    pi.turnStart,
    pi.assistantStart(),
    pi.update({ type: 'text_start', contentIndex: 0 }),
    pi.update({ type: 'text_delta', contentIndex: 0, delta: text }),
  );

/** A prompt with these words. */
export const prompt = (text: string, more: Partial<CommandOf<'prompt'>> = {}): CommandOf<'prompt'> => ({
  type: 'prompt',
  content: [{ type: 'text', text }],
  ...more,
});
