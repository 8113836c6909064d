// Tracks how much of the model's context is used, from the events of the session.
import type { Usage } from '../../model/content.ts';
import type { Event } from '../../model/event.ts';

/** Tokens; null if unknown. */
export interface ContextFigures {
  readonly tokens: number | null;
  readonly window: number | null;
}

/** The figures of a session without events. */
export const unknownContext: ContextFigures = { tokens: null, window: null };

/** The figures after one more event. */
export function contextAfter(before: ContextFigures, event: Event): ContextFigures {
  switch (event.type) {
    case 'usage-changed':
      return { tokens: event.contextTokens ?? before.tokens, window: event.contextWindow ?? before.window };
    case 'message-end':
      // A sub-agent has its own context, and the figures of a failed call are not reliable.
      if (event.parent !== undefined || event.failure !== undefined) return before;
      return { ...before, tokens: sumOf(event.usage) ?? before.tokens };
    case 'message-added':
      if (event.parent !== undefined || event.role !== 'assistant') return before;
      return { ...before, tokens: sumOf(event.usage) ?? before.tokens };
    case 'compaction-end':
      return event.outcome === 'completed' ? { ...before, tokens: event.tokensAfter ?? null } : before;
    case 'history-reset':
      return { ...before, tokens: null };
    default:
      return before;
  }
}

/** The input and output tokens of one call: together, the context before the next call. */
function sumOf(usage: Usage | undefined): number | null {
  return usage === undefined ? null : usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
}
