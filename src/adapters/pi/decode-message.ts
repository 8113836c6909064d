// One streaming assistant message at a time: from pi's updates to blocks with deltas. What a block says comes from its
// `delta`s and its ending, never from the snapshots beside them, which run ahead (reference pi, section 3). Knows no run.
import type { Env } from '../../core/adapter.ts';
import type { Dictionary, Failure, Stop } from '../../core/content.ts';
import type { BlockHead } from '../../core/event.ts';
import { blockOf, factsOf, headOf, isJson, type Kind, kindOf, previewOf, toolHead, wholeOf } from './block.ts';
import type { Outbox } from './outbox.ts';
import { endingOf, extraOf, figuresOf, same, without, wordOf } from './values.ts';
import type { AssistantMessageEvent } from './wire/events.ts';
import type { AssistantMessage, Block } from './wire/values.ts';

interface OpenBlock {
  /** Null until a tool call has told its id and name; its deltas wait. */
  head: BlockHead | null;
  kind: Kind;
  streamed: string;
  ended: boolean;
  /** What the ending told besides the text. */
  told: Dictionary;
}

/** Reads the lines of one assistant message. */
export interface MessageDecoder {
  start(message: Partial<AssistantMessage>): void;
  /** `snapshot` is the message so far, where the dialect repeats it; read for names and signatures only. */
  update(update: AssistantMessageEvent, snapshot: unknown): void;
  /** Ends every block, then the message. */
  end(message: AssistantMessage): { stop: Stop; failure: Failure | undefined };
  /** Forgets an open message that will not be continued. */
  forget(): void;
}

export function createMessageDecoder(env: Env, out: Outbox): MessageDecoder {
  let blocks: Map<number, OpenBlock> | null = null;

  function start(message: Partial<AssistantMessage>, missed = false): Map<number, OpenBlock> {
    blocks = new Map();
    const { usage, cost, rest } = figuresOf(message.usage);
    const wire = without(message, 'role', 'content', 'provider', 'model', 'usage', 'timestamp');
    out.deliver({
      type: 'message-start',
      id: message.responseId ?? env.id('message'),
      model: message.model,
      provider: message.provider,
      usage,
      timestamp: message.timestamp,
      synthetic: missed || undefined,
      ...extraOf(rest === undefined ? wire : { ...wire, usage: { ...rest, cost } }),
    });
    return blocks;
  }

  /** The block of that index, opened if it is new. */
  function blockAt(index: number, kind: Kind, head: BlockHead | null): OpenBlock {
    const known = (blocks ?? start({}, true)).get(index);
    if (known !== undefined) {
      if (known.head === null && head !== null) open(index, known, head);
      return known;
    }
    const block: OpenBlock = { head: null, kind, streamed: '', ended: false, told: {} };
    blocks?.set(index, block);
    if (head !== null) open(index, block, head);
    return block;
  }

  function open(index: number, block: OpenBlock, head: BlockHead): void {
    block.head = head;
    out.deliver({ type: 'block-start', index, block: head });
    if (block.streamed !== '') out.deliver({ type: 'block-delta', index, delta: block.streamed });
  }

  function append(index: number, kind: Kind, delta: string): void {
    const block = blockAt(index, kind, kind === 'toolcall' ? null : { kind });
    if (block.ended) return out.note('repair', 'message_update: ignored a delta of a block that has ended');
    // Empty deltas occur (reference pi, section 3) and say nothing.
    if (delta === '') return;
    block.streamed += delta;
    if (block.head !== null) out.deliver({ type: 'block-delta', index, delta });
  }

  /** Ends a block with its final form; a text that never streamed is streamed now. */
  function close(index: number, final: Block, cut: boolean): void {
    const kind = kindOf(final);
    if (kind === null) return deliverWhole(index, final);
    const block = blockAt(index, kind, headOf(kind, final));
    if (block.ended || block.head === null) return;
    const preview = block.streamed === '' ? previewOf(kind, final) : '';
    if (preview !== '') out.deliver({ type: 'block-delta', index, delta: preview });
    block.ended = true;
    block.told = factsOf(final);
    const isHalfCall = kind === 'toolcall' && cut && !isJson(block.streamed);
    const incomplete = isHalfCall || (kind !== 'toolcall' && cut) || undefined;
    const { textSignature, thinkingSignature, thoughtSignature, redacted, ...others } = block.told;
    out.deliver({
      type: 'block-end',
      index,
      ...wholeOf(kind, final),
      signature: wordOf(textSignature) ?? wordOf(thinkingSignature) ?? wordOf(thoughtSignature),
      redacted: redacted === true || undefined,
      // What pi guesses of half an argument is no argument.
      ...(isHalfCall ? { input: {} } : {}),
      incomplete,
      ...extraOf({ ...others, arguments: isHalfCall ? final.arguments : undefined }),
    });
  }

  function deliverWhole(index: number, final: Block): void {
    if (blocks?.has(index)) return;
    const content = { type: 'opaque', name: final.type, protocol: 'pi', payload: final } as const;
    out.deliver({ type: 'block-start', index, block: { kind: 'whole', content } });
    out.deliver({ type: 'block-end', index });
  }

  /** Blocks that the message at its end does not know: an interleaved run left them behind. */
  function closeStrays(known: number): void {
    for (const [index, block] of blocks ?? []) {
      if (index < known || block.ended || block.head === null) continue;
      out.deliver({ type: 'block-end', index, incomplete: block.kind === 'toolcall' || undefined });
    }
  }

  /** What only the whole message tells of blocks that had ended before (signatures, since 0.84). */
  function lateFacts(content: readonly Block[], told: ReadonlyMap<number, OpenBlock>): Dictionary[] {
    return content.flatMap((final, index) => {
      const block = told.get(index);
      if (block === undefined || !block.ended) return [];
      const late = Object.entries(factsOf(final)).filter(([name, value]) => !same(value, block.told[name]));
      return late.length === 0 ? [] : [{ index, ...Object.fromEntries(late) }];
    });
  }

  return {
    start: (message) => void start(message),

    update(update, snapshot) {
      const index = update.contentIndex;
      switch (update.type) {
        case 'text_start':
        case 'thinking_start': {
          const kind = update.type === 'text_start' ? 'text' : 'thinking';
          blockAt(index, kind, { kind });
          return;
        }
        case 'toolcall_start':
          blockAt(
            index,
            'toolcall',
            toolHead(update.id, update.toolName) ?? headOf('toolcall', blockOf(snapshot, index)),
          );
          return;
        case 'text_delta':
          return append(index, 'text', update.delta);
        case 'thinking_delta':
          return append(index, 'thinking', update.delta);
        case 'toolcall_delta':
          return append(index, 'toolcall', update.delta);
        case 'text_end':
          return close(index, { ...blockOf(snapshot, index), type: 'text', text: update.content }, false);
        case 'thinking_end':
          return close(index, { ...blockOf(snapshot, index), type: 'thinking', thinking: update.content }, false);
        case 'toolcall_end':
          return close(index, { ...update.toolCall, type: 'toolCall' }, false);
        default:
          return update satisfies never;
      }
    },

    end(message) {
      const open = blocks ?? start(message, true);
      const { rest, ...ending } = endingOf(message);
      const cut = ending.failure !== undefined;
      const late = lateFacts(message.content, open);
      for (const [index, block] of message.content.entries()) close(index, block, cut);
      closeStrays(message.content.length);
      if (late.some((facts) => 'thinkingSignature' in facts || 'redacted' in facts)) {
        out.note('loss', 'message_end: the proof of a thinking block came after the block had ended');
      }
      const content = late.length === 0 ? undefined : late;
      out.deliver({ type: 'message-end', ...ending, ...extraOf({ ...rest, content }) });
      blocks = null;
      return ending;
    },

    forget() {
      blocks = null;
    },
  };
}
