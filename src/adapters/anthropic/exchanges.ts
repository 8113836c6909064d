// Converts a restored history to the exchanges that the model gets.
import type { Content, Dictionary, Message } from '../../core/model/content.ts';
import { isDictionary } from '../../core/model/dictionary.ts';
import { isThought } from './block.ts';
import { sayPrompt } from './content.ts';
import type { Exchange } from './history.ts';

/** Exchanges with an answer, oldest first. Unanswered ones would spoil later requests; see history.ts. */
export function exchangesOf(messages: readonly Message[]): Exchange[] {
  const exchanges: { prompt: readonly Dictionary[]; answers: Exchange['answers'][number][]; isRefused: boolean }[] = [];
  for (const message of messages) {
    if (message.parent !== undefined) continue;
    if (message.role === 'user') {
      const { blocks } = sayPrompt({ type: 'prompt', content: message.content });
      exchanges.push({ prompt: blocks, answers: [], isRefused: false });
    }
    const open = exchanges.at(-1);
    if (message.role !== 'assistant' || open === undefined) continue;
    open.isRefused ||= message.stop?.reason === 'refusal';
    const blocks = blocksOf(message);
    if (blocks.length > 0) open.answers.push({ model: message.model ?? '', blocks });
  }
  return exchanges.flatMap(({ prompt, answers, isRefused }) =>
    prompt.length > 0 && answers.length > 0 && !isRefused ? [{ prompt, answers }] : [],
  );
}

function blocksOf({ content, provider, stop }: Message): Dictionary[] {
  // The API rejects thinking signatures of another provider, and cut blocks are incomplete.
  const isOurs = provider === 'anthropic' && stop?.reason !== 'aborted' && stop?.reason !== 'error';
  const answered = new Set(content.map(resultOf).filter((call) => call !== null));
  const blocks = content.map((part) => blockOf(part, isOurs, answered)).filter((block) => block !== null);
  // The API rejects a message that ends in thinking.
  return blocks.slice(0, blocks.findLastIndex((block) => !isThought(block)) + 1);
}

/** The id of the server tool call whose result this is. */
function resultOf(part: Content): string | null {
  if (part.type !== 'opaque' || part.protocol !== 'anthropic' || !isDictionary(part.payload)) return null;
  const { tool_use_id: call } = part.payload;
  return typeof call === 'string' ? call : null;
}

/** Null for content that cannot be sent back; see block.ts. */
function blockOf(part: Content, isOurs: boolean, answered: ReadonlySet<string>): Dictionary | null {
  switch (part.type) {
    case 'text': {
      const citations = isDictionary(part.extra?.anthropic) ? part.extra.anthropic.citations : undefined;
      if (part.text.trim() === '') return null;
      return { type: 'text', text: part.text, ...(isOurs && Array.isArray(citations) && { citations }) };
    }
    case 'thinking':
      if (!isOurs || part.signature === undefined) return null;
      if (part.redacted === true) return { type: 'redacted_thinking', data: part.signature };
      return { type: 'thinking', thinking: part.text, signature: part.signature };
    case 'tool-call':
      // Only calls of server tools have their result in the same message.
      if (!isOurs || !answered.has(part.id)) return null;
      return { ...fieldsOf(part), type: 'server_tool_use', id: part.id, name: part.name, input: part.input };
    case 'opaque':
      return isOurs && part.protocol === 'anthropic' && isDictionary(part.payload) ? part.payload : null;
    case 'image':
    case 'document':
    case 'link':
      return null;
    default:
      return part satisfies never;
  }
}

function fieldsOf({ extra }: Extract<Content, { type: 'tool-call' }>): Dictionary {
  return isDictionary(extra?.anthropic) ? extra.anthropic : {};
}
