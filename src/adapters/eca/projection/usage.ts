// What a conversation has used and cost, in the fields of both eras (docs/protocols/eca.md 3.5). Knows no order.
import type { SessionView } from '../../../core/contract/adapter.ts';
import type { Cost, Dictionary, Usage } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { costWord, saidIn, withRest } from '../frontend/encode-values.ts';

/** The figures of one chat; each call returns the content to be told, or null where nothing is known. */
export interface UsageTeller {
  message(event: EventOf<'message-end'>): Dictionary | null;
  changed(event: EventOf<'usage-changed'>): Dictionary;
  compacted(event: EventOf<'compaction-end'>): Dictionary | null;
}

const inputOf = ({ input, cacheRead, cacheWrite }: Usage): number => input + cacheRead + cacheWrite;
const totalOf = (usage: Usage): number => inputOf(usage) + usage.output;

/**
 * `isModern`: newer clients compare `sessionTokens` with the limit, so they get the tokens of the context; to the first era's
 * they are those of the whole chat, added up (docs/protocols/eca.md 3.5).
 */
export function createUsageTeller(session: SessionView, isModern: boolean): UsageTeller {
  let last: Usage | undefined;
  let lastCost: Pick<Cost, 'total'> | undefined;
  let isCostKnown = false;
  /** What the agent counts of the chat beside what its messages tell. */
  let uncounted = 0;
  let contextTokens: number | undefined;
  let contextWindow: number | undefined;

  function tokens(): number {
    if (isModern) return contextTokens ?? (last === undefined ? 0 : totalOf(last));
    return totalOf(session.transcript.usage) + uncounted;
  }

  function content(): Dictionary {
    const { info, cost } = session.transcript;
    const { contextWindow: context = contextWindow, maxOutput: output } = info.model ?? {};
    const costs =
      lastCost === undefined ? {} : { messageCost: costWord(lastCost), lastMessageCost: costWord(lastCost) };
    return {
      type: 'usage',
      ...(last === undefined ? {} : { messageInputTokens: inputOf(last), messageOutputTokens: last.output }),
      sessionTokens: tokens(),
      ...costs,
      ...(isCostKnown ? { sessionCost: costWord({ total: cost }) } : {}),
      ...(context === undefined ? {} : { limit: { context: contextWindow ?? context, output } }),
    };
  }

  function learn(usage: Usage | undefined, cost: Pick<Cost, 'total'> | undefined): void {
    last = usage ?? last;
    // The cost of another message than the last would be taken for its cost.
    if (usage !== undefined || cost !== undefined) lastCost = cost;
    isCostKnown ||= cost !== undefined;
  }

  return {
    message(event) {
      const { usage, cost, stop } = event;
      if (usage === undefined) return null;
      // A real turn that is cut off ends without figures (docs/protocols/eca.md 4.6), and many agents then have none to tell.
      if (stop.reason === 'aborted' || stop.reason === 'error') return null;
      learn(usage, cost);
      contextTokens = undefined;
      return withRest(content(), saidIn(event));
    },
    changed(event) {
      const { usage, cost, sessionTokens, sessionCost } = event;
      learn(usage, cost);
      isCostKnown ||= sessionCost !== undefined;
      if (sessionTokens !== undefined) uncounted = sessionTokens - totalOf(session.transcript.usage);
      contextTokens = event.contextTokens ?? (isModern ? sessionTokens : undefined) ?? contextTokens;
      contextWindow = event.contextWindow ?? contextWindow;
      const said = saidIn(event);
      const ours = content();
      // Of the limits we know one, and a server may say more of them.
      const limits = isDictionary(said.limit) ? { limit: withRest(dictionaryOf(ours.limit), said.limit) } : {};
      return withRest({ ...ours, ...limits }, said);
    },
    compacted({ outcome, tokensAfter }) {
      if (outcome !== 'completed' || tokensAfter === undefined) return null;
      contextTokens = tokensAfter;
      return content();
    },
  };
}
