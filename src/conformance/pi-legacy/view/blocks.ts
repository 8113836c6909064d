// The streamed blocks of one message, and where an update does not continue them. Reads the document's
// AssistantMessageEvent.
import { isDeepStrictEqual } from 'node:util';
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Block, Line, UpdateFindings } from './parts.ts';

/** The field that grows, by block type. */
const grows: ReadonlyMap<string, string> = new Map([
  ['text', 'text'],
  ['thinking', 'thinking'],
]);
const kindOf: ReadonlyMap<unknown, string> = new Map([
  ['text', 'text'],
  ['thinking', 'thinking'],
  ['toolCall', 'toolcall'],
]);

/** The text of a content block, for types that have one. */
export function textIn(block: unknown, kind: string): string | undefined {
  const field = grows.get(kind);
  const text = field === undefined ? undefined : dictionaryOf(block)[field];
  return typeof text === 'string' ? text : undefined;
}

/** Whether the content block has the type that streamed. */
export function isOfKind(block: unknown, kind: string): boolean {
  return kindOf.get(dictionaryOf(block).type) === kind;
}

/** The content of a message, or an empty list. */
export function contentOf(message: unknown): readonly unknown[] {
  const { content } = dictionaryOf(message);
  return Array.isArray(content) ? content : [];
}

/** Applies one update. */
export function takeUpdate(blocks: Map<number, Block>, line: Line, findings: UpdateFindings): void {
  const event = dictionaryOf(line.json.assistantMessageEvent);
  const { frame } = line;
  const [kind = '', step] = String(event.type).split('_');
  const index = Number(event.contentIndex);
  compareSnapshots(line, event, findings);
  // `start`, `done` and `error` belong to no block.
  if (step === undefined || !Number.isInteger(index)) return;
  const known = blocks.get(index);
  if (step === 'start') {
    const wrong = known === undefined ? null : `block ${index} starts again`;
    findings.order.push({ frame, wrong });
    if (known === undefined) blocks.set(index, { index, start: line, kind, streamed: '', deltas: 0, end: null });
    return;
  }
  if (known === undefined || known.kind !== kind || known.end !== null) {
    const state = known === undefined ? 'did not start' : known.end === null ? `is ${known.kind}` : 'has ended';
    findings.order.push({ frame, wrong: `${String(event.type)} of block ${index}, which ${state}` });
    return;
  }
  findings.order.push({ frame, wrong: null });
  if (step === 'end') known.end = line;
  if (step !== 'delta' || typeof event.delta !== 'string') return;
  known.streamed += event.delta;
  known.deltas += 1;
  const shown = textIn(contentOf(event.partial)[index], kind);
  if (shown === undefined) return;
  // Snapshots are printed late: they may be ahead of the deltas, but never behind (docs/protocols/pi.md 7.3).
  const wrong = shown.startsWith(known.streamed) ? null : `the snapshot of block ${index} lacks what has streamed`;
  findings.growth.push({ frame, wrong });
}

function compareSnapshots({ frame, json }: Line, { partial }: Dictionary, findings: UpdateFindings): void {
  if (partial === undefined || json.message === undefined) return;
  const isSame = isDeepStrictEqual(contentOf(partial), contentOf(json.message));
  findings.snapshots.push({ frame, wrong: isSame ? null : '`partial` and `message` hold different content' });
}
