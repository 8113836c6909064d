// Forks, new sessions and stored sessions for agents that do not support them but can take a history: the session cuts
// or replaces its own conversation.
import type { SessionView } from '../contract/adapter/projection.ts';
import { messagesOf, textIn, userMessages } from '../log/messages.ts';
import type { CommandOf } from '../model/command.ts';
import type { Content, Message } from '../model/content.ts';
import { GatewayError, isUnsupported, messageOf, type Outcome, refused, type Settle } from '../model/errors.ts';
import type { Event, EventOf } from '../model/event.ts';
import type { AgentPort } from './agent/session-agent.ts';

/** Commands that the session carries out itself if its agent can take a history. */
export const forkCommands = ['fork', 'new-session', 'switch-session'] as const;

type Fork = CommandOf<(typeof forkCommands)[number]>;

/** What forks need of their session. */
export interface ForkPorts {
  readonly view: SessionView;
  readonly agent: AgentPort;
  /** Logs an event through the repair. */
  admit(event: Event): void;
  /** See SessionPorts. */
  readonly readStored: ((path: string) => readonly Message[]) | undefined;
  /** See Prompts. */
  isBusy(): boolean;
}

/**
 * Creates the function that handles these commands. The agent is asked first, because an agent that keeps its own
 * sessions creates the new one itself.
 */
export function createForks(ports: ForkPorts): (command: Fork, settle: Settle) => void {
  const { view, agent } = ports;
  const restoreHistory = () => agent.capabilities().restoreHistory;

  function goOn(reason: EventOf<'history-reset'>['reason'], messages: readonly Message[]): void {
    ports.admit({ type: 'history-reset', reason });
    for (const event of replayedMessages(messages)) ports.admit(event);
    restoreHistory()?.(messages);
  }

  function carryOut(command: Fork): Outcome {
    if (ports.isBusy()) return refused('busy', 'the agent is at work');
    switch (command.type) {
      case 'new-session':
        goOn('new', []);
        return { ok: true, data: { cancelled: false } };
      case 'fork': {
        const cut = cutAt(view, command.entry);
        if (cut === null) return refused('not-found', `there is no message ${command.entry}`);
        goOn('forked', cut.before);
        return { ok: true, data: { text: textIn(cut.content), cancelled: false } };
      }
      case 'switch-session':
        return switchTo(command.path);
      default:
        return command satisfies never;
    }
  }

  function switchTo(path: string): Outcome {
    if (ports.readStored === undefined) return refused('unsupported', 'there are no stored sessions');
    try {
      goOn('switched', ports.readStored(path));
      return { ok: true, data: { cancelled: false } };
    } catch (thrown) {
      return refused(thrown instanceof GatewayError ? thrown.code : 'internal', messageOf(thrown));
    }
  }

  return (command, settle) => {
    agent.forward(command, (outcome) => {
      const isForUs = isUnsupported(outcome) && restoreHistory() !== undefined;
      settle(isForUs && !agent.isSessionClosed() ? carryOut(command) : outcome);
    });
  };
}

/** Stored messages as the events of a replayed conversation. */
export function replayedMessages(messages: readonly Message[]): EventOf<'message-added'>[] {
  return messages.map((message) => ({ ...message, type: 'message-added', origin: 'replay' }));
}

/** The messages before one of the user's messages, or all messages without `entry`. Null if the entry is unknown. */
export function messagesBefore(view: SessionView, entry: string | undefined): readonly Message[] | null {
  if (entry === undefined) return messagesOf(view.transcript, view.timeOrigin);
  return cutAt(view, entry)?.before ?? null;
}

/** Cuts the messages before one of the user's messages (see userMessages). Null if the entry is unknown. */
function cutAt(
  { transcript, timeOrigin }: SessionView,
  entry: string,
): { readonly content: readonly Content[]; readonly before: readonly Message[] } | null {
  for (const [at, item] of transcript.items.entries()) {
    if (item.kind !== 'event' || item.logged.event.type !== 'message-added') continue;
    const [named] = userMessages({ ...transcript, items: [item] });
    if (named?.entry !== entry) continue;
    const before = messagesOf({ ...transcript, items: transcript.items.slice(0, at) }, timeOrigin);
    return { content: item.logged.event.content, before };
  }
  return null;
}
