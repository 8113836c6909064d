// A client that does what a test tells it, on a channel of its own.
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import type { Frontend } from '../../../src/core/contract/adapter/frontend.ts';
import type { Clock } from '../../../src/core/contract/clock.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import { createWire, type Wire } from './wire.ts';

type Actions = readonly Action<Command>[];

/** What the frontend does by itself; nothing where it is absent. */
export interface ClientScript {
  readonly start?: Actions;
  readonly end?: Actions;
  reply?(command: Command, outcome: Outcome): Actions;
  wake?(timer: string): Actions;
  dress?: Frontend['mapOutgoing'];
  watching?: Frontend['subscribed'];
  over?(session: string, reason: string): Actions;
  hear?(): Actions;
}

/** The client, in the hand of a test. */
export interface ScriptedClient {
  readonly wire: Wire;
  readonly frontend: Frontend;
  /** One frame comes from the client, and its frontend makes these actions of it. */
  act(...actions: Action<Command>[]): void;
  /** One frame that asks for these. */
  ask(...commands: Command[]): void;
}

/** A new client on that clock. Its replies are frames that name the command and the outcome. */
export function createClient(clock: Clock, script: ClientScript = {}): ScriptedClient {
  const wire = createWire(clock, 'client');
  let next: Actions = [];
  const client: ScriptedClient = {
    wire,
    frontend: {
      start: () => [...(script.start ?? [])],
      end: () => [...(script.end ?? [])],
      decode: () => [...next],
      fault: (fault) => [
        { do: 'note', level: 'violation', text: fault.message },
        { do: 'send', frame: `fault ${fault.message}` },
      ],
      reply: (command, outcome) => [...(script.reply?.(command, outcome) ?? [answerTo(command, outcome)])],
      onTimer: (timer) => [...(script.wake?.(timer) ?? [])],
      ...(script.dress === undefined ? {} : { mapOutgoing: script.dress }),
      subscribed: (view) => script.watching?.(view),
      onBroadcast: () => [...(script.hear?.() ?? [])],
      sessionEnded: (session, reason) => [...(script.over?.(session, reason) ?? [])],
    },
    act(...actions) {
      next = actions;
      wire.frame();
    },
    ask: (...commands) => client.act(...commands.map((message) => ({ do: 'deliver' as const, message }))),
  };
  return client;
}

function answerTo(command: Command, outcome: Outcome): Action<Command> {
  return { do: 'send', frame: `${command.type}: ${outcome.ok ? 'ok' : outcome.error.code}` };
}
