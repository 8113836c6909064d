// Judges the events of one streamed message: its blocks start, grow and end, and the final message repeats them. Notes
// each judged place under the name of its rule. Accepts any input.
import { isDeepStrictEqual } from 'node:util';
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryIn, dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Line } from './lines.ts';

/** Notes that a rule applies at a frame, and what is wrong there. */
export type Note = (rule: string, frame: number, wrong: string | null) => void;

/** A message in progress. */
export interface OpenMessage {
  update(line: Line): void;
  end(line: Line): void;
}

interface Block {
  readonly kind: string;
  /** The joined deltas. */
  streamed: string;
  deltas: number;
  ended: boolean;
  /** The complete block, from its end event. */
  whole: unknown;
  /** Frame of the end of a call whose deltas are no JSON object; null for every other block. */
  garbled: number | null;
}

/** The content of a thought that the provider hides. */
const redacted = '[Reasoning redacted]';

/** The field that the deltas spell; for a tool call it is parsed. */
const fieldOf: ReadonlyMap<string, string> = new Map([
  ['text', 'text'],
  ['thinking', 'thinking'],
]);
/** Types of content that updates tell. */
const streamed: ReadonlySet<unknown> = new Set(['text', 'thinking', 'toolCall']);
/** Stop reasons with which a message may end in the middle of a block. */
const cuts: ReadonlySet<unknown> = new Set(['error', 'aborted', 'length']);
/** Update events, by block type and step. */
const kinds: ReadonlyMap<string, { readonly kind: string; readonly step: 'start' | 'delta' | 'end' }> = new Map(
  ['text', 'thinking', 'toolcall'].flatMap((kind) =>
    (['start', 'delta', 'end'] as const).map((step) => [`${kind}_${step}`, { kind, step }] as const),
  ),
);

/** A message that has just started. */
export function openMessage(note: Note): OpenMessage {
  const blocks = new Map<unknown, Block>();

  function snapshots({ frame, json }: Line, event: Dictionary, block: Block): void {
    const { partial } = event;
    if (!isDictionary(partial) || !Array.isArray(partial.content)) return;
    const own = dictionaryOf(partial.content[Number(event.contentIndex)]);
    const field = fieldOf.get(block.kind);
    if (field !== undefined) {
      // Snapshots are written late and may be ahead of the deltas (docs/protocols/pi.md 7.3).
      const isBehind = !String(own[field]).startsWith(block.streamed);
      note('partial', frame, isBehind ? `partial does not begin with what the deltas of its block said` : null);
    } else note('partial', frame, own.type === 'toolCall' ? null : 'partial has no tool call at that place');
    if (!isDictionary(json.message)) return;
    const isSame = isDeepStrictEqual(json.message.content, partial.content);
    note('partial-same', frame, isSame ? null : '`message` and `partial` have different content');
  }

  function start(frame: number, kind: string, index: unknown): Block {
    const known = blocks.get(index);
    const open = [...blocks.values()].some(({ ended }) => !ended);
    const wrong = known !== undefined ? `block ${String(index)} starts twice` : open ? 'another block is open' : null;
    note('block-order', frame, wrong);
    note('block-index', frame, index === blocks.size ? null : `the next block is ${blocks.size}, not ${String(index)}`);
    const block = { kind, streamed: '', deltas: 0, ended: false, whole: undefined, garbled: null };
    blocks.set(index, block);
    return block;
  }

  function end(frame: number, event: Dictionary, block: Block): void {
    block.ended = true;
    if (block.kind === 'toolcall') {
      const call = dictionaryOf(event.toolCall);
      block.whole = call;
      const isCall = typeof call.id === 'string' && typeof call.name === 'string' && isDictionary(call.arguments);
      const isTyped = isCall && call.type === 'toolCall';
      note('toolcall-end', frame, isTyped ? null : 'toolCall must have the type toolCall, an id, a name and arguments');
      if (isCall) spelled(frame, block, call.arguments);
      return;
    }
    block.whole = event.content;
    // The redacted thought is the one block whose text no delta says (docs/protocols/pi.md 7.5).
    if (block.kind === 'thinking' && block.deltas === 0 && event.content === redacted) return;
    const isSame = event.content === block.streamed;
    const says =
      block.deltas === 0 ? 'it has content, and no delta said it' : 'its content is not what the deltas said';
    note(`${block.kind}-deltas`, frame, isSame ? null : says);
  }

  /** Compares the arguments of a call with its deltas. A call without arguments may have no delta. */
  function spelled(frame: number, block: Block, own: unknown): void {
    if (block.streamed.trim() === '') {
      const isNone = isDeepStrictEqual(own, {});
      return note('toolcall-deltas', frame, isNone ? null : 'the call has arguments, and no delta said them');
    }
    const read = dictionaryIn(block.streamed);
    if (read === null) {
      // The agent decides what to make of arguments that the model cut off: the message must end first.
      block.garbled = frame;
      return;
    }
    const isSame = isDeepStrictEqual(read, own);
    note('toolcall-deltas', frame, isSame ? null : 'the deltas of the call spell other arguments');
  }

  return {
    update(line) {
      const { frame, json } = line;
      const event = dictionaryOf(json.assistantMessageEvent);
      const known = kinds.get(String(event.type));
      if (known === undefined) return;
      const { kind, step } = known;
      const index = event.contentIndex;
      if (step === 'start') return snapshots(line, event, start(frame, kind, index));
      const block = blocks.get(index);
      if (block === undefined || block.ended || block.kind !== kind)
        return note('block-order', frame, `${String(event.type)} of a block that is not open: ${String(index)}`);
      note('block-order', frame, null);
      if (step === 'delta') {
        block.deltas += 1;
        block.streamed += typeof event.delta === 'string' ? event.delta : '';
      } else end(frame, event, block);
      snapshots(line, event, block);
    },
    end({ frame, json }) {
      const message = dictionaryOf(json.message);
      const content = Array.isArray(message.content) ? message.content.map(dictionaryOf) : [];
      const isCut = cuts.has(message.stopReason);
      if (!isCut && blocks.size > 0) {
        const open = [...blocks].find(([, { ended }]) => !ended);
        note('blocks-end', frame, open === undefined ? null : `block ${String(open[0])} is open at the end`);
      }
      if (!isCut) {
        const silent = content.findIndex(({ type }, index) => streamed.has(type) && !blocks.has(index));
        const says = `block ${silent} is in the message, and no update told it`;
        if (content.length > 0) note('blocks-streamed', frame, silent < 0 ? null : says);
      }
      for (const [index, { kind, whole, ended, garbled }] of blocks) {
        // Arguments of a message that ended for its calls are whole.
        if (garbled !== null && message.stopReason === 'toolUse')
          note('toolcall-deltas', garbled, 'the deltas of the call, joined, are no JSON object');
        // Newer versions drop the arguments of a half-written call (docs/protocols/pi.md 8.6).
        if (!ended || (kind === 'toolcall' && message.stopReason === 'length')) continue;
        const own = content[Number(index)];
        const field = fieldOf.get(kind);
        const isSame =
          own !== undefined && (field === undefined ? isSameCall(own, dictionaryOf(whole)) : own[field] === whole);
        note('message-content', frame, isSame ? null : `block ${String(index)} is not what its end said`);
      }
    },
  };
}

function isSameCall(own: Dictionary, call: Dictionary): boolean {
  return own.id === call.id && own.name === call.name && isDeepStrictEqual(own.arguments, call.arguments);
}
