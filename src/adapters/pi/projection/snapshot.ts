// A growing assistant message as JSON pieces that share their bytes: a snapshot costs the same few pieces at any length
// (docs/limits.md 2.1).
import type { Dictionary } from '../../../core/model/content.ts';
import { createGrowingBytes } from './growing-bytes.ts';
import { createGrowingJson } from './growing-json.ts';

type Piece = string | Uint8Array;

/**
 * The message so far. Blocks stand in the order of their start. `index` identifies a block, and equals its place in
 * `content` if blocks are numbered from 0.
 */
export interface Snapshot {
  /**
   * Opens a block with its wire fields. An initial value of the growing field (`text`, `thinking`) counts as the first
   * delta. The `arguments` of a tool call are shown until a delta replaces them.
   */
  start(index: number, block: Dictionary): void;
  /** Appends to the growing field: plain text, or the next piece of a tool call's JSON arguments. */
  append(index: number, delta: string): void;
  /** Closes a block with its final fields. Also adds a block that never streamed. */
  end(index: number, block: Dictionary): void;
  /** Sets all fields after `content`. */
  tail(fields: Dictionary): void;
  /**
   * JSON text of `{…head, "content":[…], …tail}` on one line. Neither the array nor its bytes ever change. Returns the
   * same array until something is added.
   */
  pieces(): readonly Piece[];
}

/** The current form of a block: bytes between two texts. */
interface Shown {
  readonly before: string;
  readonly bytes: Uint8Array | null;
  readonly after: string;
}

/** A block that may still grow. */
interface Growing {
  append(delta: string): void;
  show(): Shown;
}

/** A block of the message. `whole` is set once the block has ended. */
interface Block {
  growing: Growing;
  whole: string | null;
}

/** Block type -> the field to which deltas are added. */
const growingFields: ReadonlyMap<unknown, string> = new Map([
  ['text', 'text'],
  ['thinking', 'thinking'],
  ['toolCall', 'arguments'],
]);

/** Creates a snapshot from the fields before `content`, such as the role. */
export function createSnapshot(head: Dictionary): Snapshot {
  const opening = `{${[...fieldsOf(head), '"content":['].join(',')}`;
  let closing = ']}';
  /** The ended blocks with no open block before them, as JSON separated by commas. */
  const settled = createGrowingBytes();
  /** All other blocks, in the order of their start. */
  const blocks = new Map<number, Block>();
  let latest: readonly Piece[] | null = null;

  /** Moves ended blocks into bytes: a snapshot must not grow by a string per block. */
  function settle(): void {
    for (const [index, { whole }] of blocks) {
      if (whole === null) return;
      settled.write(settled.length === 0 ? whole : `,${whole}`);
      blocks.delete(index);
    }
  }

  function list(): Piece[] {
    const pieces: Piece[] = [];
    let text = opening;
    let comma = '';
    const addBytes = (bytes: Uint8Array) => {
      pieces.push(text, bytes);
      text = '';
    };
    if (settled.length > 0) {
      addBytes(settled.view(settled.length));
      comma = ',';
    }
    for (const { growing, whole } of blocks.values()) {
      const { before, bytes, after } = whole === null ? growing.show() : { before: whole, bytes: null, after: '' };
      text += comma + before;
      if (bytes !== null) addBytes(bytes);
      text += after;
      comma = ',';
    }
    pieces.push(text + closing);
    return pieces;
  }

  return {
    start(index, block) {
      blocks.set(index, { growing: growingBlock(block), whole: null });
      latest = null;
    },
    append(index, delta) {
      const block = blocks.get(index);
      if (block === undefined || block.whole !== null) return;
      block.growing.append(delta);
      latest = null;
    },
    end(index, block) {
      const whole = `{${fieldsOf(block).join(',')}}`;
      const open = blocks.get(index);
      if (open === undefined) blocks.set(index, { growing: growingBlock(block), whole });
      else open.whole = whole;
      settle();
      latest = null;
    },
    tail(fields) {
      closing = `]${fieldsOf(fields)
        .map((field) => `,${field}`)
        .join('')}}`;
      latest = null;
    },
    pieces: () => {
      latest ??= list();
      return latest;
    },
  };
}

/** A block between its constant start and end. */
function growingBlock(block: Dictionary): Growing {
  const name = growingFields.get(block.type);
  const names = Object.keys(block);
  const at = name === undefined ? -1 : names.indexOf(name);
  if (name === undefined || at === -1) {
    const shown = { before: `{${fieldsOf(block).join(',')}}`, bytes: null, after: '' };
    return { append() {}, show: () => shown };
  }
  const before = fieldsOf(block, names.slice(0, at)).map((field) => `${field},`);
  const after = fieldsOf(block, names.slice(at + 1)).map((field) => `,${field}`);
  const opening = `{${before.join('')}${JSON.stringify(name)}:`;
  const closing = `${after.join('')}}`;
  const value = block[name];
  return name === 'arguments' ? growingArguments(opening, value, closing) : growingText(opening, value, closing);
}

function growingText(opening: string, first: unknown, closing: string): Growing {
  const bytes = createGrowingBytes();
  const append = (delta: string) => bytes.write(escaped(delta));
  if (typeof first === 'string') append(first);
  const before = `${opening}"`;
  const after = `"${closing}`;
  return { append, show: () => ({ before, bytes: bytes.view(bytes.length), after }) };
}

function growingArguments(opening: string, first: unknown, closing: string): Growing {
  const json = createGrowingJson();
  const unknown = { before: `${opening}${JSON.stringify(first) ?? '{}'}${closing}`, bytes: null, after: '' };
  return {
    append: json.append,
    show() {
      const known = json.known();
      if (known === null) return unknown;
      return { before: opening, bytes: known.bytes, after: known.ending + closing };
    },
  };
}

/**
 * The text as it appears inside a JSON string. Half of a surrogate pair is escaped, so that two halves still form the
 * pair.
 */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** `"name":value` of each field that JSON can express. */
function fieldsOf(fields: Dictionary, names: readonly string[] = Object.keys(fields)): string[] {
  return names.flatMap((name) => {
    const value: string | undefined = JSON.stringify(fields[name]);
    return value === undefined ? [] : [`${JSON.stringify(name)}:${value}`];
  });
}
