// The state of an open message of the model, and how it ended (docs/protocols/claude.md 5.3, 5.5).
import type { Dictionary, Failure, Stop, Usage } from '../../../../core/model/content.ts';
import type { AgentUsage } from '../../wire/agent.ts';
import type { OpenBlock } from './block.ts';
import type { UnreadFields } from './unread-fields.ts';
import { stopOf } from './values.ts';

/** The end of a message, from `message_delta`. */
export interface Ending {
  readonly stopReason: string | null;
  readonly usage: AgentUsage | null | undefined;
  readonly fields: Dictionary;
}

/** A message that has begun. */
export interface OpenMessage {
  /** The API's id. */
  readonly id: string | undefined;
  /** The message's name in the frames of its stream. */
  readonly name: unknown;
  readonly streams: boolean;
  /** The other fields of the message's start. */
  readonly begun: Dictionary;
  readonly usage: Usage | undefined;
  readonly blocks: Map<number, OpenBlock>;
  /** Bytes of what no event has told yet (core/contract/adapter/held-back.ts). */
  held: number;
  ending: Ending | null;
  aborted: boolean;
}

/** The stop reason of a message that arrived as whole copies. Most agents do not report one. */
export function wholeStop({ aborted, blocks, ending }: OpenMessage): Stop {
  if (aborted) return { reason: 'aborted' };
  if (typeof ending?.stopReason === 'string') return stopOf(ending.stopReason);
  return { reason: [...blocks.values()].some(({ head }) => head?.kind === 'tool-call') ? 'tool-use' : 'end' };
}

/** A null reason means an interrupt. Without a `message_delta` the stream broke (docs/protocols/claude.md 5.3, 5.5). */
export function stopOfEnding({ ending, aborted }: OpenMessage): Stop {
  if (ending === null) return { reason: aborted ? 'aborted' : 'error' };
  return ending.stopReason === null ? { reason: 'aborted' } : stopOf(ending.stopReason);
}

/** Why the message was cut; undefined if it was not. */
export function failureOf(message: OpenMessage): Failure | undefined {
  const { reason } = stopOfEnding(message);
  if (reason === 'aborted') return { kind: 'aborted', message: 'the answer was interrupted' };
  return reason === 'error' ? { kind: 'provider', message: 'the answer broke off' } : undefined;
}

/** The extra fields of the message's end. `stop`: the unread fields of `message_stop`. */
export function extraOfEnding({ ending }: OpenMessage, stop: UnreadFields): Dictionary {
  return { ...ending?.fields, usage: ending?.usage ?? undefined, stop: stop.frame, stopEvent: stop.event };
}

/** Drops the fields whose null is their default. */
export function withoutNulls(fields: Dictionary): Dictionary {
  const isDefault = ([name, value]: [string, unknown]) =>
    value === undefined || (value === null && (name === 'stop_reason' || name === 'stop_sequence'));
  return Object.fromEntries(Object.entries(fields).filter((entry) => !isDefault(entry)));
}

/** The fields that have changed. */
export function changedFrom(begun: Dictionary, now: Dictionary): Dictionary {
  const isNew = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(begun[name]);
  return Object.fromEntries(Object.entries(now).filter(isNew));
}
