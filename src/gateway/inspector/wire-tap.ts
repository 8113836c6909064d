// Keeps the newest rows of one session's wire while a page looks at the session: frames, events and commands in the order in which
// they happened. Bounded in bytes; the oldest rows go first (docs/limits.md 12.1).
import type { NoteLevel } from '../../core/contract/adapter/action.ts';
import type { Out } from '../../core/contract/channel.ts';
import type { WireMark } from '../../core/contract/gateway/wire-rows.ts';
import type { ReadFrames, Tap } from '../../core/contract/tap.ts';
import { type Burst, eventCount, eventsIn } from '../../core/model/burst.ts';
import type { Command } from '../../core/model/command.ts';
import type { Logged } from '../../core/model/event.ts';
import { bytesOf } from '../../transports/framing/frame.ts';
import { type KeptFrames, keptFrame, keptTogether } from './kept-frames.ts';
import type { Mask } from './mask.ts';

/** A row as it is kept. */
export interface KeptRow {
  readonly at: number;
  /** The number of the last event before; null: none came since somebody looks. */
  readonly after: number | null;
  /** Of a burst: all its text as one delta, with the number of the first event. */
  readonly logged: Logged | null;
  /** What was logged together; null: at most one event. */
  readonly burst: Burst | null;
  readonly command: Command | null;
  readonly from: KeptFrames[];
  readonly to: KeptFrames[];
  readonly marks: WireMark[];
}

/** The events of a row one by one. */
export function eventsOf({ logged, burst }: KeptRow): readonly Logged[] {
  if (logged === null || burst === null) return logged === null ? [] : [logged];
  return [...eventsIn(burst)].map((event, place) => ({ seq: logged.seq + place, at: logged.at, event }));
}

/** What a row costs besides its frames, bytes. An event has about the size of its frame, and is kept by the session too. */
const rowBytes = 512;

/** Rows that may have been let go before the array is shortened. */
const slack = 1024;

/** What a tap works with. */
export interface WireTapPorts {
  readonly now: () => number;
  /** Called when the first row is let go since somebody looks. */
  readonly evicted: () => void;
  /** Null: frames are shown as they are. */
  readonly mask: Mask | null;
}

/** A class: its methods run for each frame and event. */
export class WireTap implements Tap {
  #now: () => number;
  readonly #mostBytes: number;
  readonly #evicted: () => void;
  readonly #mask: Mask | null;
  #rows: KeptRow[] = [];
  /** Rows of the array that are let go. */
  #gone = 0;
  /** The number of the first row in the array. */
  #base = 0;
  #bytes = 0;
  #counts = { from: 0, to: 0 };
  /** The number of the newest event since it is on. */
  #seq: number | null = null;
  /** What is being taken, until a row has it. */
  #frame: KeptFrames | null = null;
  /** The row that frames for the agent belong to; null: none is open. */
  #open: KeptRow | null = null;
  /** Marks and frames for the agent that wait for their row. */
  #marks: WireMark[] = [];
  #sent: KeptFrames[] = [];
  #isInside = false;
  #isOn = false;
  /** Rows were let go since it is on. */
  #hasEvicted = false;
  /** Called when nobody looks any more. */
  onOff: () => void = () => {};

  constructor({ now, evicted, mask }: WireTapPorts, mostBytes: number) {
    this.#now = now;
    this.#mostBytes = mostBytes;
    this.#evicted = evicted;
    this.#mask = mask;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  timed(now: () => number): void {
    this.#now = now;
  }

  on(): void {
    this.#isOn = true;
  }

  /** Forgets what it has kept. The numbers of rows and frames go on. */
  off(): void {
    this.#isOn = false;
    this.#base = this.end;
    this.#rows = [];
    this.#gone = 0;
    this.#bytes = 0;
    this.#marks = [];
    this.#seq = null;
    this.#hasEvicted = false;
    this.onOff();
  }

  /** The number of the first row that is kept. */
  get kept(): number {
    return this.#base + this.#gone;
  }

  /** The number behind the last row. */
  get end(): number {
    return this.#base + this.#rows.length;
  }

  /** The row with this number; undefined: it is not kept. */
  row(number: number): KeptRow | undefined {
    return number < this.kept ? undefined : this.#rows[number - this.#base];
  }

  frame(bytes: Uint8Array): void {
    this.#counts.from += 1;
    this.#begin(keptFrame(this.#counts.from, this.#now(), this.#mask?.(bytes) ?? bytes));
  }

  frames(frames: ReadFrames): void {
    this.#begin(keptTogether(this.#counts.from + 1, this.#now(), frames));
    this.#counts.from += frames.count;
  }

  taken(): void {
    const frame = this.#frame;
    if (frame !== null) {
      if (this.#sent.length === 0 && this.#marks.length === 0) this.#marks.push(ignored);
      this.#add(null, null);
    }
    this.#left();
  }

  command(command: Command): void {
    this.#open = this.#add(null, command);
    this.#isInside = true;
  }

  submitted(): void {
    this.#left();
  }

  sent(out: Out): void {
    this.#counts.to += 1;
    const bytes = bytesOf(out);
    const frame = keptFrame(this.#counts.to, this.#now(), this.#mask?.(bytes) ?? bytes);
    if (this.#open === null) {
      this.#sent.push(frame);
      // A timer of the backend.
      if (!this.#isInside) this.#add(null, null);
      return;
    }
    this.#open.to.push(frame);
    this.#pay(frame.bytes.length);
  }

  event(logged: Logged): void {
    const row = this.#add(logged, null);
    if (this.#isInside) this.#open ??= row;
  }

  burst(burst: Burst, seq: number, at: number): void {
    const { index, text: delta, extra } = burst;
    const event = { type: 'block-delta' as const, index, delta, ...(extra === undefined ? {} : { extra }) };
    this.#add({ seq, at, event }, null, burst);
  }

  note(level: NoteLevel, text: string): void {
    if (!this.isOn || (level !== 'loss' && level !== 'repair' && level !== 'violation')) return;
    // A repair comes before its event, a loss behind it.
    const mark: WireMark = { kind: level, text };
    const last = level === 'loss' ? this.#rows.at(-1) : undefined;
    (last?.marks ?? this.#marks).push(mark);
    if (!this.#isInside && this.#marks.length > mostMarks) this.#marks.shift();
  }

  #begin(frame: KeptFrames): void {
    this.#frame = frame;
    this.#open = null;
    this.#isInside = true;
  }

  /** What happened inside of a call without getting a row gets one. */
  #left(): void {
    if (this.#sent.length > 0 || (this.#marks.length > 0 && this.#open === null)) this.#add(null, null);
    this.#open = null;
    this.#isInside = false;
  }

  #add(logged: Logged | null, command: Command | null, burst: Burst | null = null): KeptRow {
    const from = this.#frame === null ? [] : [this.#frame];
    const after = this.#seq;
    if (logged !== null) this.#seq = logged.seq + (burst === null ? 0 : eventCount(burst) - 1);
    const row: KeptRow = { at: this.#now(), after, logged, burst, command, from, to: this.#sent, marks: this.#marks };
    this.#frame = null;
    this.#sent = [];
    this.#marks = [];
    this.#rows.push(row);
    this.#pay(costOf(row));
    return row;
  }

  #pay(bytes: number): void {
    this.#bytes += bytes;
    // The newest row stays, however long it is.
    while (this.#bytes > this.#mostBytes && this.#gone < this.#rows.length - 1) {
      const row = this.#rows[this.#gone];
      if (row !== undefined) this.#bytes -= costOf(row);
      if (!this.#hasEvicted) this.#evicted();
      this.#hasEvicted = true;
      this.#gone += 1;
    }
    if (this.#gone <= slack) return;
    this.#rows = this.#rows.slice(this.#gone);
    this.#base += this.#gone;
    this.#gone = 0;
  }
}

const ignored: WireMark = { kind: 'ignored', text: 'the frame gave no event' };

/** Most marks that wait for a row. */
const mostMarks = 64;

function costOf({ from, to, burst }: KeptRow): number {
  let bytes = rowBytes + (burst === null ? 0 : 8 * burst.count);
  // Each frame is kept as bytes, and what it says once more in its event.
  for (const frame of from) bytes += 2 * frame.bytes.length;
  for (const frame of to) bytes += frame.bytes.length;
  return bytes;
}
