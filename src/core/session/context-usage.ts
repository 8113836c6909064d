// How full the model's context is, as the events tell it. Knows no protocol.
import type { Usage } from '../model/content.ts';
import type { Event } from '../model/event.ts';

/** Tokens; null when nobody can tell. */
export interface ContextFigures {
  readonly tokens: number | null;
  readonly window: number | null;
}

/** Before any event. */
export const unknownContext: ContextFigures = { tokens: null, window: null };

/** The figures after one more event. */
export function contextAfter(before: ContextFigures, event: Event): ContextFigures {
  switch (event.type) {
    case 'usage-changed':
      return { tokens: event.contextTokens ?? before.tokens, window: event.contextWindow ?? before.window };
    case 'message-end':
      // A sub-agent has a context of its own; a call that failed tells no figures that hold.
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

/** What one call read and wrote is what the next one has before it. */
function sumOf(usage: Usage | undefined): number | null {
  return usage === undefined ? null : usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
}
