// Converts pi's updates of one assistant message to blocks with deltas. The content comes from the `delta` fields and
// from the end of the message, never from the snapshots: these run ahead of the deltas (docs/protocols/pi.md 7.3, 7.4).
import type { Env } from '../../../../core/contract/adapter/action.ts';
import { createHeldBack } from '../../../../core/contract/adapter/held-back.ts';
import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Dictionary, Failure, Stop } from '../../../../core/model/content.ts';
import { dictionaryOf, without } from '../../../../core/model/dictionary.ts';
import type { BlockHead } from '../../../../core/model/event.ts';
import { GrowingText } from '../../../../core/model/growing-text.ts';
import { endingOf, extraOf, figuresOf, leaked, same, wordOf } from '../../decode-values.ts';
import type { AssistantMessageEvent } from '../../wire/events.ts';
import type { AssistantMessage, Block } from '../../wire/values.ts';
import { blockOf, factsOf, headOf, isJson, type Kind, kindOf, previewOf, toolHead, wholeOf } from './block.ts';

interface OpenBlock {
  /** Null until a tool call has its id and name. Its deltas wait until then. */
  head: BlockHead | null;
  kind: Kind;
  readonly streamed: GrowingText;
  ended: boolean;
  /** The content and facts that the block-end reported. */
  fields: Dictionary;
}

/** Fields in `extra` for pi clients only. */
type Marks = Readonly<Dictionary>;

/** Marks an event for which pi printed no line (encode-values.ts, isUnsaid). */
const unsaid: Marks = { unsaid: true };

/** Decodes the lines of one assistant message. */
export interface MessageDecoder {
  start(message: Partial<AssistantMessage>): void;
  /**
   * Reads an update of the message. `snapshot` is the message so far, in dialects that repeat it, and is read only for
   * names and signatures. `aside` holds other fields of the line: the figures so far, fields of a newer pi.
   */
  update(update: AssistantMessageEvent, snapshot: unknown, aside?: Dictionary): void;
  /** Ends every block, then the message. */
  end(message: AssistantMessage): { stop: Stop; failure: Failure | undefined };
  /** The block at this index, if a delta for the block would yield a `block-delta` and nothing else. */
  streaming(index: number): object | null;
  /** Records a delta that the fast path has delivered. */
  streamed(index: number, delta: string): void;
  /** Forgets an open message that will not continue. */
  forget(): void;
}

export function createMessageDecoder(env: Env, out: Outbox): MessageDecoder {
  let blocks: Map<number, OpenBlock> | null = null;
  /** Fields of the message start, which the end need not repeat. */
  let begun: Dictionary = {};
  /** The figures of the message start, as JSON. */
  let figures: string | undefined;
  const held = createHeldBack(out);
  let heldBytes = 0;
  /** The fields of the current line beside its update. */
  let beside: Dictionary = {};

  function start(message: Partial<AssistantMessage>, missed = false): Map<number, OpenBlock> {
    blocks = new Map();
    held.release(heldBytes);
    heldBytes = 0;
    const { usage, cost, rest } = figuresOf(message.usage);
    const prices = cost && { ...cost, ...dictionaryOf(rest?.cost) };
    const wire = without(message, 'role', 'content', 'provider', 'model', 'usage', 'timestamp');
    begun = { provider: message.provider, model: message.model, timestamp: message.timestamp };
    figures = JSON.stringify(message.usage);
    // Since 0.87 a message may begin with its first block.
    const ahead = message.content === undefined || message.content.length === 0 ? undefined : message.content;
    out.deliver({
      type: 'message-start',
      id: message.responseId ?? env.id('message'),
      model: message.model,
      provider: message.provider,
      usage,
      timestamp: message.timestamp,
      synthetic: missed || undefined,
      ...extraOf({
        ...wire,
        content: ahead,
        usage: rest && { ...rest, cost: prices },
      }),
    });
    return blocks;
  }

  /** The block at this index, opened if new. */
  function blockAt(index: number, kind: Kind, head: BlockHead | null, marks: Marks = {}): OpenBlock {
    const known = (blocks ?? start({}, true)).get(index);
    if (known !== undefined) {
      if (known.head === null && head !== null) open(index, known, head, {});
      return known;
    }
    const block: OpenBlock = { head: null, kind, streamed: new GrowingText(), ended: false, fields: {} };
    blocks?.set(index, block);
    if (head === null) heldBytes += held.add(block.fields);
    if (head !== null) open(index, block, head, marks);
    return block;
  }

  function open(index: number, block: OpenBlock, head: BlockHead, marks: Marks): void {
    block.head = head;
    out.deliver({ type: 'block-start', index, block: head, ...extraOf({ ...beside, ...marks }) });
    if (!block.streamed.isEmpty) out.deliver({ type: 'block-delta', index, delta: block.streamed.text });
  }

  /** For delivered text, only its existence matters. Arguments are kept, because they must be valid JSON at the end. */
  function remember(block: OpenBlock, delta: string): void {
    if (block.head === null) heldBytes += held.add(delta);
    if (block.head === null || block.kind === 'toolcall' || block.streamed.isEmpty) block.streamed.add(delta);
  }

  function append(index: number, kind: Kind, delta: string): void {
    const block = blockAt(index, kind, kind === 'toolcall' ? null : { kind });
    if (block.ended) return out.note('repair', 'message_update: ignored a delta of a block that has ended');
    remember(block, delta);
    if (block.head !== null) out.deliver({ type: 'block-delta', index, delta, ...extraOf(beside) });
  }

  /**
   * Ends a block with its final form. Streams a text now if it never streamed. `marks` belong to events for which pi
   * printed no line.
   */
  function close(index: number, final: Block, cut: boolean, marks: Marks = {}): void {
    const kind = kindOf(final);
    if (kind === null) return deliverWhole(index, final);
    const block = blockAt(index, kind, headOf(kind, final), marks);
    if (block.ended || block.head === null) return;
    const preview = block.streamed.isEmpty ? previewOf(kind, final) : '';
    if (preview !== '') out.deliver({ type: 'block-delta', index, delta: preview, ...extraOf(unsaid) });
    block.ended = true;
    block.fields = without(final, ...leaked);
    const isHalfCall = kind === 'toolcall' && cut && !isJson(block.streamed.text);
    const incomplete = isHalfCall || (kind !== 'toolcall' && cut) || undefined;
    const { textSignature, thinkingSignature, thoughtSignature, redacted, ...others } = factsOf(final);
    // A thinking block without text is dropped, but its empty signature must return to pi clients.
    const empty = thinkingSignature === '' ? { thinkingSignature } : {};
    out.deliver({
      type: 'block-end',
      index,
      ...wholeOf(kind, final),
      signature: wordOf(textSignature) ?? wordOf(thinkingSignature) ?? wordOf(thoughtSignature),
      redacted: redacted === true || undefined,
      // pi's guess at incomplete arguments is not a valid input.
      ...(isHalfCall ? { input: {} } : {}),
      incomplete,
      ...extraOf({
        ...others,
        ...empty,
        ...beside,
        ...marks,
        arguments: isHalfCall ? final.arguments : undefined,
        // The raw arguments of a cut call, which pi leaves in the whole message (docs/protocols/pi.md 7.3, 7.4).
        partialJson: cut ? final.partialJson : undefined,
      }),
    });
  }

  function deliverWhole(index: number, final: Block): void {
    if (blocks?.has(index)) return;
    const content = { type: 'opaque', name: final.type, protocol: 'pi', payload: final } as const;
    out.deliver({ type: 'block-start', index, block: { kind: 'whole', content }, ...extraOf(unsaid) });
    out.deliver({ type: 'block-end', index, ...extraOf(unsaid) });
  }

  /** Closes the blocks that an interleaved run left behind: blocks missing in the final message. */
  function closeStrays(known: number): void {
    for (const [index, block] of blocks ?? []) {
      if (index < known || block.ended || block.head === null) continue;
      const incomplete = block.kind === 'toolcall' || undefined;
      out.deliver({ type: 'block-end', index, incomplete, ...extraOf(unsaid) });
    }
  }

  /**
   * Facts in the whole message that differ from the reported facts of already ended blocks (signatures, since 0.84).
   */
  function lateFacts(content: readonly Block[], blocks: ReadonlyMap<number, OpenBlock>): Dictionary[] {
    return content.flatMap((final, index) => {
      const block = blocks.get(index);
      if (block === undefined || !block.ended) return [];
      const late = Object.entries(without(final, 'index')).filter(([name, value]) => !same(value, block.fields[name]));
      return late.length === 0 ? [] : [{ index, ...Object.fromEntries(late) }];
    });
  }

  /** The fields of the message start that differ at the end. */
  function changed(message: AssistantMessage): Dictionary {
    const { provider, model, timestamp } = message;
    return Object.fromEntries(
      Object.entries({ provider, model, timestamp }).filter(([name, value]) => begun[name] !== value),
    );
  }

  return {
    start: (message) => void start(message),

    update(update, snapshot, aside = {}) {
      const { usage, ...rest } = aside;
      beside = usage === undefined || JSON.stringify(usage) === figures ? rest : aside;
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
      beside = {};
      for (const [index, block] of message.content.entries()) close(index, block, cut, unsaid);
      closeStrays(message.content.length);
      if (late.some((facts) => 'thinkingSignature' in facts || 'redacted' in facts)) {
        out.note('loss', 'message_end: the proof of a thinking block came after the block had ended');
      }
      const content = late.length === 0 ? undefined : late;
      // Interleaved runs, and messages that lost streamed content.
      const kept = [...open.keys()].some((index) => index >= message.content.length)
        ? message.content.length
        : undefined;
      out.deliver({
        type: 'message-end',
        ...ending,
        ...extraOf({ ...rest, ...changed(message), content, blocks: kept }),
      });
      blocks = null;
      return ending;
    },

    streaming(index) {
      const block = blocks?.get(index);
      return block === undefined || block.head === null || block.ended ? null : block;
    },

    streamed(index, delta) {
      const block = blocks?.get(index);
      if (block !== undefined) remember(block, delta);
    },

    forget() {
      blocks = null;
    },
  };
}
