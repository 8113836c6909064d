// The reasons of one chat, as brackets: start, texts, end.
import type { ChatEvent, Content } from './chat-events.ts';

/** A content of a reason, and how the reason stood before; `over`: one with that id was open, and is no more. */
export interface ReasonStep extends Content {
  readonly type: 'reasonStarted' | 'reasonText' | 'reasonFinished';
  readonly was: 'new' | 'open' | 'over';
}

const kinds = ['reasonStarted', 'reasonText', 'reasonFinished'] as const;

/** Follows the reasons through these events; all that are open are over at an event that `closes` them. */
export function* reasonSteps(
  events: Iterable<ChatEvent>,
  closes: (event: ChatEvent) => boolean,
): Generator<ReasonStep> {
  const reasons = new Map<unknown, 'open' | 'over'>();
  for (const event of events) {
    if (closes(event)) for (const id of reasons.keys()) reasons.set(id, 'over');
    if (event.is !== 'content') continue;
    const type = kinds.find((kind) => kind === event.type);
    if (type === undefined) continue;
    const { id } = event.content;
    yield { ...event, type, was: reasons.get(id) ?? 'new' };
    if (type === 'reasonStarted') reasons.set(id, 'open');
    if (type === 'reasonFinished') reasons.set(id, 'over');
  }
}
