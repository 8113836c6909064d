// Mutants that break no sentence, and why. Read before you add one: a reason is a claim about the specification.

/** What a mutant changes, as a pattern over its name; in which protocols, where not in all; and why it is legal. */
interface Reason {
  readonly pattern: RegExp;
  readonly protocols?: readonly string[];
  readonly why: string;
}

const piFamily = ['pi', 'pi-legacy', 'pi-server'];

const reasons: readonly Reason[] = [
  {
    pattern: /^(?:other|truncate) \S+ (?:event\.)?(?:type|subtype|method|params\.content\.type)$/u,
    why: 'A type that nobody knows is one of a newer version: clients skip it.',
  },
  {
    pattern:
      /^(?:other|truncate) .*\b(?:uuid|session_id|sessionId|chatId|request_id|requestId|responseId|id|contentId|model|api|provider|toolType|title|summary|description|text|errorMessage|reason|message|name|server|notifyType|method|key|statusKey|statusText|toolName|tool_name|tool_use_id|parent_tool_use_id|selectModel|lastMessageCost|messageCost|thinkingSignature|signature|firstKeptEntryId|data|mimeType|stop_reason|terminal_reason|status|url|role)$/u,
    why: 'Any other word would do: nothing that was told before or is told later names it.',
  },
  {
    pattern:
      /^other .*\b(?:timestamp|usage\S*|cost\S*|duration_ms|duration_api_ms|total_cost_usd|num_turns|totalTimeMs|tokensBefore|estimatedTokensAfter|delayMs|maxAttempts|timeout|\w+Tokens|\w+_tokens|context|output|pre_tokens|attempt|max_retries|retry_delay_ms|elapsed_time_seconds)$/u,
    why: 'Any other figure would do: nothing that was told says what it should be.',
  },
  {
    pattern: /^null .*\b(?:usage|cost)\b.*\.\w+$/u,
    protocols: piFamily,
    why: 'JSON has null for the price of a model without prices, and the rule on usage allows null for each figure.',
  },
  {
    pattern:
      /^(?:drop|duplicate|swap) .*\b(?:notice|showMessage|extension_ui_request|queue_update|metadata|usage|compact_boundary|status|agent_settled|tool_execution_update|compaction|config\/updated|api_retry|auto_retry)/u,
    why: 'News beside the conversation: its number and its place are the agent’s.',
  },
];

/** Why a mutant is legal; null for one that a rule should have noticed. */
export function reasonFor(protocol: string, name: string): string | null {
  const own = reasons.find(
    ({ pattern, protocols }) => pattern.test(name) && (protocols === undefined || protocols.includes(protocol)),
  );
  return own?.why ?? null;
}
