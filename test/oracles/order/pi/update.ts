// The checker of one streaming message of pi: blocks start, grow and end, and the final message repeats them.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

const Line = z.record(z.string(), z.unknown());
export type Line = z.infer<typeof Line>;

/** The object, or an empty one. */
export function lineOf(value: unknown): Line {
  return Line.safeParse(value).data ?? {};
}

/** Reports what is wrong with a line; order.ts has the rules. */
export type Complain = (rule: 'block' | 'snapshot' | 'content', says: string) => void;

interface Block {
  readonly kind: string;
  said: string;
  ended: boolean;
}

/** A message of the model in progress. */
export interface OpenMessage {
  update(line: Line): void;
  end(message: Line): void;
}

const fields: ReadonlyMap<string, string> = new Map([
  ['text', 'text'],
  ['thinking', 'thinking'],
]);

export function openMessage(complain: Complain): OpenMessage {
  const blocks = new Map<number, Block>();

  /** Both snapshots must be equal, and hold everything streamed so far. */
  function checkSnapshots(line: Line, event: Line, index: number, block: Block): void {
    const { partial } = event;
    if (partial === undefined && line.message === undefined) return;
    if (!isDeepStrictEqual(partial, line.message)) complain('snapshot', '`partial` and `message` differ');
    const content = lineOf(line.message).content;
    const own = lineOf(Array.isArray(content) ? content[index] : undefined);
    const field = fields.get(block.kind);
    if (field === undefined) {
      if (typeof own.arguments !== 'object') complain('snapshot', 'a tool call without arguments');
    } else if (own[field] !== block.said) complain('snapshot', `block ${index} is not what its deltas said`);
  }

  return {
    update(line) {
      const event = lineOf(line.assistantMessageEvent);
      const [kind = '', step] = String(event.type).split('_');
      const index = Number(event.contentIndex);
      const known = blocks.get(index);
      if (step === 'start') {
        if (known !== undefined) return complain('block', `block ${index} starts twice`);
        const block = { kind, said: '', ended: false };
        blocks.set(index, block);
        return checkSnapshots(line, event, index, block);
      }
      if (known === undefined || known.ended || known.kind !== kind) {
        return complain('block', `${String(event.type)} of a block that is not open: ${index}`);
      }
      if (step === 'delta') known.said += String(event.delta);
      if (step === 'end') {
        known.ended = true;
        if (typeof event.content === 'string') {
          if (known.said !== '' && event.content !== known.said)
            complain('block', `the end of block ${index} says another thing`);
          known.said = event.content;
        }
      }
      checkSnapshots(line, event, index, known);
    },
    end(message) {
      const content = Array.isArray(message.content) ? message.content.map(lineOf) : [];
      const isCut = message.stopReason === 'error' || message.stopReason === 'aborted';
      for (const [index, { kind, said, ended }] of blocks) {
        if (!ended && !isCut) complain('block', `block ${index} is open at the end of its message`);
        const own = content[index];
        if (own === undefined) complain('content', `block ${index} is not in its message`);
        const field = fields.get(kind);
        if (field !== undefined && own !== undefined && said !== '' && own[field] !== said) {
          complain('content', `block ${index} ends as ${JSON.stringify(own)}, not as it was told`);
        }
      }
    },
  };
}
