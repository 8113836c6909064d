// The faults of one direction.
import { type CutFraming, createCutter, type WireFrame, wholeOf } from '../tape/cutter.ts';
import type { FaultAction, FaultRow } from './action.ts';
import { chance, type Place } from './chance.ts';
import { garbage, hugeFrame, inPieces, truncated, withBadJson, withMark, withOtherLineEnds } from './change.ts';
import { createKept } from './kept.ts';
import { type Direction, type FaultRule, kinds } from './rule.ts';
import { createMatcher, namesIn, type PlacedFrame } from './where.ts';

/** One direction. Times are ms since the start. */
export interface Lane {
  push(chunk: Buffer, now: number): FaultAction[];
  end(now: number): FaultAction[];
  wakeAt(): number | null;
  wake(now: number): FaultAction[];
}

interface LaneOptions {
  /** Of both directions: a rule is told apart by its place in the whole list. */
  readonly rules: readonly FaultRule[];
  readonly on: Direction;
  readonly seed: number;
  readonly connection: number;
  readonly framing: CutFraming;
  acted(row: FaultRow): void;
}

/** A rule and what has come of it. */
interface ArmedRule {
  readonly rule: FaultRule;
  readonly index: number;
  readonly fits: (frame: PlacedFrame) => boolean;
  left: number;
}

/** What becomes of one frame, as its rules go by. */
interface Passage {
  readonly place: Place;
  readonly placed: PlacedFrame;
  frames: readonly WireFrame[];
  pieceBytes: number;
  /** Bytes a second. */
  rate: number;
  /** Frames that must pass before. */
  behind: number;
  /** Frames that share its write. */
  together: number;
}

const space = 0x20;
/** Longer frames pass as they come: faults leave them alone. Bytes. */
const longestFrame = 8 * 1024 * 1024;

/** The lane of one direction. */
export function createLane({ rules, on, seed, connection, framing, acted }: LaneOptions): Lane {
  /** The time of the call that is going on. */
  let now = 0;
  const cutter = createCutter(framing, pass, { frameBytes: longestFrame });
  const kept = createKept();
  const armed: readonly ArmedRule[] = rules
    .map((rule, index) => ({ rule, index, fits: createMatcher(rule.where), left: rule.count }))
    .filter(({ rule }) => rule.on === on);
  let frames = 0;
  let bytes = 0;
  /** Nothing leaves before this time. */
  let clock = 0;
  let isOver = false;
  let actions: FaultAction[] = [];

  function done(): FaultAction[] {
    const list = actions;
    actions = [];
    return list;
  }

  function write(chunk: Buffer, rate = Number.POSITIVE_INFINITY): void {
    if (chunk.length === 0) return;
    actions.push({ type: 'write', on, bytes: chunk, at: clock });
    clock += (chunk.length / rate) * 1000;
  }

  function writeAll(chunks: readonly Buffer[]): void {
    for (const chunk of chunks) write(chunk);
  }

  /** Deeds that no frame is needed for. */
  function strike({ kind, argument }: FaultRule): void {
    switch (kind) {
      case 'stall':
        clock += argument;
        return;
      case 'close':
        actions.push({ type: 'end', on, at: clock, isFault: true });
        isOver = true;
        return;
      case 'reset':
      case 'kill':
        actions.push({ type: kind, on, at: clock });
        isOver = true;
        return;
      case 'exit':
        actions.push({ type: 'exit', on, code: argument, at: clock });
        isOver = true;
        return;
      case 'pause':
        actions.push({ type: 'pause', on, ms: argument, at: clock });
        return;
      case 'stderr-flood':
        // A line end, so that a reader that waits for one ends as well.
        actions.push({ type: 'fill', on: 'err', byte: 0x78, bytes: argument, at: clock });
        actions.push({ type: 'fill', on: 'err', byte: 0x0a, bytes: 1, at: clock });
        return;
      default:
        throw new TypeError(`${kind} needs a frame`);
    }
  }

  function act({ rule, index }: ArmedRule, passage: Passage): void {
    const place = { ...passage.place, rule: index };
    const change = (how: (frame: WireFrame) => WireFrame) => {
      passage.frames = passage.frames.map(how);
    };
    switch (rule.kind) {
      case 'delay':
        clock += rule.argument;
        return;
      case 'jitter':
        clock += rule.argument * chance(place, 1);
        return;
      case 'rate':
        passage.rate = Math.min(passage.rate, rule.argument);
        return;
      case 'drop':
        passage.frames = [];
        return;
      case 'dup':
        passage.frames = passage.frames.flatMap((frame) => [frame, frame]);
        return;
      case 'reorder':
        passage.behind = rule.argument;
        return;
      case 'split':
        passage.pieceBytes = rule.argument;
        return;
      case 'join':
        passage.together = rule.argument;
        return;
      case 'truncate':
        return change((frame) => truncated(frame, cutAt(rule, passage.placed)));
      case 'garbage':
        passage.frames = [garbage(rule.argument, place), ...passage.frames];
        return;
      case 'badjson':
        return change(withBadJson);
      case 'huge':
        return writeHuge(passage.placed.frame, rule.argument);
      case 'crlf':
        return change(withOtherLineEnds);
      case 'bom':
        return change(withMark);
      default:
        strike(rule);
    }
  }

  function writeHuge(like: WireFrame, size: number): void {
    const { begin, end } = hugeFrame(like, size);
    write(begin);
    actions.push({ type: 'fill', on, byte: space, bytes: size, at: clock });
    write(end);
  }

  function happens(one: ArmedRule, placed: PlacedFrame, place: Place): boolean {
    // Every frame is shown to every matcher: `after` remembers.
    const isAbout = one.fits(placed);
    if (!isAbout || one.left < 1 || isBusy(one.rule)) return false;
    return chance({ ...place, rule: one.index }, 0) < one.rule.probability;
  }

  /** A frame that passes while another one is kept back is what that one is kept back for. */
  function isBusy({ kind }: FaultRule): boolean {
    return (kind === 'reorder' && kept.isReordering) || (kind === 'join' && kept.isJoining);
  }

  function pass(frame: WireFrame): void {
    clock = Math.max(clock, now);
    const all = wholeOf(frame);
    const from = bytes;
    bytes += all.length;
    if (isOver) return;
    if (frame.kind === 'part' || frame.kind === 'raw') return write(all);
    frames += 1;
    const place: Place = { seed, connection, on, rule: 0, frame: frames };
    let names: ReadonlySet<string> | null = null;
    const placed: PlacedFrame = {
      frame,
      number: frames,
      from,
      to: bytes,
      at: now,
      names() {
        names ??= namesIn(frame);
        return names;
      },
    };
    const passage: Passage = { place, placed, frames: [frame], pieceBytes: 0, rate: Infinity, behind: 0, together: 1 };
    for (const one of armed) {
      if (!happens(one, placed, place)) continue;
      one.left -= 1;
      acted({ dir: 'fault', fault: one.rule.text, on, frame: frames, at: now });
      act(one, passage);
      if (isOver) return;
    }
    leave(passage);
  }

  function leave({ frames: list, pieceBytes, rate, behind, together }: Passage): void {
    const whole = Buffer.concat(list.map(wholeOf));
    if (kept.isJoining || together > 1) writeAll(kept.join(whole, together, now));
    else if (behind > 0) return kept.putBehind(whole, behind, now);
    else if (pieceBytes > 0) {
      for (const piece of inPieces(whole, pieceBytes)) {
        write(piece, rate);
        // A reader that is awake sees each piece alone.
        clock += 1;
      }
    } else write(whole, rate);
    writeAll(kept.passed());
  }

  return {
    push(chunk, at) {
      now = at;
      cutter.push(chunk);
      return done();
    },
    end(at) {
      now = at;
      cutter.end();
      clock = Math.max(clock, now);
      if (!isOver) {
        writeAll(kept.all());
        actions.push({ type: 'end', on, at: clock, isFault: false });
      }
      isOver = true;
      return done();
    },
    wakeAt() {
      if (isOver) return null;
      const times = armed.filter(isDue).map(({ rule }) => (rule.where.type === 'time' ? rule.where.ms : 0));
      const first = Math.min(kept.until() ?? Number.POSITIVE_INFINITY, ...times);
      return Number.isFinite(first) ? first : null;
    },
    wake(at) {
      now = at;
      if (isOver) return done();
      clock = Math.max(clock, now);
      if ((kept.until() ?? Number.POSITIVE_INFINITY) <= now) writeAll(kept.all());
      for (const one of armed.filter(isDue)) {
        const { where } = one.rule;
        if (isOver || where.type !== 'time' || where.ms > now) continue;
        one.left = 0;
        if (chance({ seed, connection, on, rule: one.index, frame: 0 }, 0) >= one.rule.probability) continue;
        acted({ dir: 'fault', fault: one.rule.text, on, frame: null, at: now });
        strike(one.rule);
      }
      return done();
    },
  };
}

/** Happens at its time, whether frames come or not. */
function isDue({ rule, left }: ArmedRule): boolean {
  return rule.where.type === 'time' && !kinds[rule.kind].needsFrame && left > 0;
}

/** Where `truncate` cuts: at the byte of its place, else at its argument. */
function cutAt({ where, argument }: FaultRule, { from }: PlacedFrame): number {
  return where.type === 'byte' && argument === -1 ? where.offset - from : argument;
}
