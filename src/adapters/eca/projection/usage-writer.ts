// Usage and cost of a conversation, in the fields of both eras (docs/protocols/eca.md 3.5).
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Cost, Dictionary, Usage } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { costWord, ecaExtraIn, withExtra } from '../frontend/encode-values.ts';

/** The figures of one chat. Each call returns the content to send, or null if nothing is known. */
export interface UsageWriter {
  message(event: EventOf<'message-end'>): Dictionary | null;
  changed(event: EventOf<'usage-changed'>): Dictionary;
  compacted(event: EventOf<'compaction-end'>): Dictionary | null;
}

const inputOf = ({ input, cacheRead, cacheWrite }: Usage): number => input + cacheRead + cacheWrite;
const totalOf = (usage: Usage): number => inputOf(usage) + usage.output;

/**
 * `isModern`: newer clients compare `sessionTokens` with the limit, so they get the tokens of the context. Clients of
 * the first era get the sum over the whole chat (docs/protocols/eca.md 3.5).
 */
export function createUsageWriter(session: SessionView, isModern: boolean): UsageWriter {
  let last: Usage | undefined;
  let lastCost: Pick<Cost, 'total'> | undefined;
  let isCostKnown = false;
  /** Tokens that the agent counts for the chat beyond the sum over its messages. */
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
    // Forget the cost of an earlier message: it would be shown as the cost of this one.
    if (usage !== undefined || cost !== undefined) lastCost = cost;
    isCostKnown ||= cost !== undefined;
  }

  return {
    message(event) {
      const { usage, cost, stop } = event;
      if (usage === undefined) return null;
      // A real turn that is cut off ends without figures (docs/protocols/eca.md 4.6), and many agents have none in that
      // case.
      if (stop.reason === 'aborted' || stop.reason === 'error') return null;
      learn(usage, cost);
      contextTokens = undefined;
      return withExtra(content(), ecaExtraIn(event));
    },
    changed(event) {
      const { usage, cost, sessionTokens, sessionCost } = event;
      learn(usage, cost);
      isCostKnown ||= sessionCost !== undefined;
      if (sessionTokens !== undefined) uncounted = sessionTokens - totalOf(session.transcript.usage);
      contextTokens = event.contextTokens ?? (isModern ? sessionTokens : undefined) ?? contextTokens;
      contextWindow = event.contextWindow ?? contextWindow;
      const agentFields = ecaExtraIn(event);
      const ours = content();
      // Our content has only the limits that the canonical model knows. An ECA server may report more.
      const limits = isDictionary(agentFields.limit)
        ? { limit: withExtra(dictionaryOf(ours.limit), agentFields.limit) }
        : {};
      return withExtra({ ...ours, ...limits }, agentFields);
    },
    compacted({ outcome, tokensAfter }) {
      if (outcome !== 'completed' || tokensAfter === undefined) return null;
      contextTokens = tokensAfter;
      return content();
    },
  };
}
