// A translated frame as columns of a terminal: frame of the tape, canonical event or command, frames of the other protocol.
import type { NoteLevel } from '../../core/contract/adapter/action.ts';
import { printable } from '../../transports/printable.ts';

/** What became of one frame of a tape. */
export interface Explained {
  /** The line of the tape; null: what the end of the tape caused. */
  readonly line: number | null;
  /** `in` is towards the agent. */
  readonly dir: 'in' | 'out';
  readonly frame: string;
  /** The events that the frame gave, or its commands, or `answer <command>`. */
  readonly canonical: readonly { readonly type: string }[];
  readonly frames: readonly { readonly dir: 'in' | 'out'; readonly text: string }[];
  readonly marks: readonly { readonly level: NoteLevel; readonly text: string; readonly rule: string }[];
}

/** The terminal. */
export interface Layout {
  /** Its width, characters. */
  readonly columns: number;
  readonly isColoured: boolean;
}

/** Signs and colours (SGR) of marks. */
const signs = {
  loss: { sign: '-', colour: 33 },
  repair: { sign: '~', colour: 36 },
  violation: { sign: '!', colour: 31 },
  internal: { sign: '!', colour: 31 },
} as const satisfies Record<NoteLevel, object>;

const arrows = { in: '>', out: '<' } as const;
const numberWidth = 6;
const between = ' | ';
const leastWidth = 8;

/** The names of the columns, with the protocols. */
export function headOf({ from, to }: { readonly from: string; readonly to: string }, layout: Layout): string {
  const names = [`${from}: > to the agent, < from it`, 'canonical', `${to}: > from the client, < to it`];
  return `${coloured(lineOf('line', names, layout), 1, layout)}\n`;
}

/** The lines of one frame; each ends in LF. */
export function columnsOf({ line, dir, frame, canonical, frames, marks }: Explained, layout: Layout): string {
  const height = Math.max(1, canonical.length, frames.length);
  const lines = Array.from({ length: height }, (_, at) => {
    const left = at === 0 ? (line === null ? '(end of the tape)' : `${arrows[dir]} ${frame}`) : '';
    const event = canonical[at];
    const middle = event === undefined ? (at === 0 ? '(none)' : '') : `${event.type} ${fieldsOf(event)}`;
    const target = frames[at];
    const right = target === undefined ? (at === 0 ? '-' : '') : `${arrows[target.dir]} ${target.text}`;
    return lineOf(at === 0 ? String(line ?? '') : '', [left, middle, right], layout);
  });
  const marked = marks.map(({ level, text, rule }) => {
    const { sign, colour } = signs[level];
    // The rule stays readable in a narrow terminal.
    const tail = ` [${rule}]`;
    const room = Math.max(leastWidth, layout.columns - numberWidth - 3 - tail.length);
    const said = `${sign} ${fitted(`${level}: ${text}`, room).trimEnd()}${tail}`;
    return coloured(`${' '.repeat(numberWidth)} ${said}`, colour, layout);
  });
  return [...lines, ...marked, ''].join('\n');
}

function fieldsOf({ type: _, ...fields }: { readonly type: string }): string {
  return Object.keys(fields).length === 0 ? '' : JSON.stringify(fields);
}

function lineOf(number: string, cells: readonly string[], { columns }: Layout): string {
  const room = columns - numberWidth - 1 - between.length * (cells.length - 1);
  const width = Math.max(leastWidth, Math.floor(room / cells.length));
  return `${number.padStart(numberWidth)} ${cells.map((cell) => fitted(cell, width)).join(between)}`.trimEnd();
}

/** The text in so many characters, cut or padded. Nothing in it moves a cursor. */
function fitted(text: string, width: number): string {
  // A frame may have megabytes; an escaped character has at most eight.
  const characters = [...printable(text.slice(0, width * 2))];
  if (characters.length <= width && text.length <= width * 2) return characters.join('').padEnd(width);
  return `${characters.slice(0, width - 1).join('')}…`;
}

function coloured(text: string, colour: number, { isColoured }: Layout): string {
  return isColoured ? `\u001b[${colour}m${text}\u001b[0m` : text;
}
