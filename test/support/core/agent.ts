// An agent that does what a test tells it: actions on demand, commands written down.
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import type { Clock } from '../../../src/core/contract/clock.ts';
import type { AgentConnection } from '../../../src/core/link/agent-link.ts';
import type { Command, CommandType } from '../../../src/core/model/command.ts';
import type { Message } from '../../../src/core/model/content.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createWire, type Wire } from './wire.ts';

type Actions = readonly Action<Event>[];

/** What the agent does by itself; nothing where it is absent. */
export interface Script {
  readonly takesContexts?: boolean;
  readonly keepsPermissions?: boolean;
  readonly start?: Actions;
  readonly end?: Actions;
  readonly leave?: Actions;
  encode?(command: Command, id: string): Actions;
  wake?(timer: string): Actions;
  /** It keeps no session itself. */
  recall?(messages: readonly Message[]): void;
}

/** The agent, in the hand of a test. */
export interface ScriptedAgent extends AgentConnection {
  readonly wire: Wire;
  /** Commands in order, with the ids under which they are to be settled. */
  readonly received: { readonly id: string; readonly command: Command }[];
  /** One frame comes from the agent, and its backend makes these actions of it. */
  act(...actions: Action<Event>[]): void;
  /** One frame that delivers these events. */
  say(...events: Event[]): void;
  /** Settles the last command of that type. */
  settle(type: CommandType, outcome?: Outcome): void;
}

/** A new agent on that clock. */
export function createAgent(clock: Clock, script: Script = {}): ScriptedAgent {
  const wire = createWire(clock, 'agent');
  let next: Actions = [];
  const agent: ScriptedAgent = {
    wire,
    channel: wire.channel,
    received: [],
    backend: {
      ...(script.takesContexts === undefined ? {} : { takesContexts: script.takesContexts }),
      ...(script.keepsPermissions === undefined ? {} : { keepsPermissions: script.keepsPermissions }),
      ...(script.recall === undefined ? {} : { restoreHistory: script.recall }),
      start: () => [...(script.start ?? [])],
      end: () => [...(script.end ?? [])],
      leave: () => [...(script.leave ?? [])],
      decode: () => [...next],
      encode(command, id) {
        agent.received.push({ id, command });
        return [...(script.encode?.(command, id) ?? [])];
      },
      onTimer: (timer) => [...(script.wake?.(timer) ?? [])],
    },
    act(...actions) {
      next = actions;
      wire.frame();
    },
    say: (...events) => agent.act(...events.map((message) => ({ do: 'deliver' as const, message }))),
    settle(type, outcome = { ok: true }) {
      const last = agent.received.findLast(({ command }) => command.type === type);
      if (last === undefined) throw new Error(`the agent has received no ${type}`);
      agent.act({ do: 'settle', id: last.id, outcome });
    },
  };
  return agent;
}
