// One fault as it was asked for: what happens, to which frames, how often, in which direction.

/** `in` means towards the agent, as in a tape. */
export type Direction = 'in' | 'out';

/** The argument that a kind takes. */
type Argument =
  | { readonly type: 'none' }
  /** ms. Without a default the argument must be given. `Infinity`: for good. */
  | { readonly type: 'time'; readonly otherwise?: number }
  /** Bytes. */
  | { readonly type: 'size'; readonly otherwise?: number }
  | { readonly type: 'count'; readonly least: number; readonly most: number; readonly otherwise?: number };

interface Kind {
  readonly argument: Argument;
  /** Happens once unless the rule says otherwise. Other kinds happen at each frame. */
  readonly isOnce: boolean;
  /** Needs no frame: happens at its time, if the rule names a time. */
  readonly needsFrame: boolean;
  /** For the help. */
  readonly says: string;
}

const none = { type: 'none' } as const;
const atFrame = { isOnce: false, needsFrame: true } as const;
const single = { isOnce: true, needsFrame: false } as const;
const KiB = 1024;
const MiB = 1024 * KiB;

/** All kinds of fault. */
export const kinds = {
  delay: {
    ...atFrame,
    argument: { type: 'time' },
    says: 'delay 200ms: the frame, and all behind it, come so much later',
  },
  jitter: { ...atFrame, argument: { type: 'time' }, says: 'jitter 50ms: later by up to so much' },
  rate: { ...atFrame, argument: { type: 'size' }, says: 'rate 2KiB: so many bytes a second' },
  stall: {
    ...single,
    argument: { type: 'time', otherwise: Number.POSITIVE_INFINITY },
    says: 'stall [3s]: nothing comes for so long; without a time for good',
  },
  drop: { ...atFrame, argument: none, says: 'drop: the frame is lost' },
  dup: { ...atFrame, argument: none, says: 'dup: the frame comes twice' },
  reorder: {
    ...atFrame,
    argument: { type: 'count', least: 1, most: 1000, otherwise: 1 },
    says: 'reorder [1]: the frame comes behind the next n frames',
  },
  split: {
    ...atFrame,
    argument: { type: 'count', least: 1, most: MiB, otherwise: 1 },
    says: 'split [1]: the frame comes in pieces of n bytes, also within a character or a header',
  },
  join: {
    ...atFrame,
    argument: { type: 'count', least: 2, most: 1000, otherwise: 2 },
    says: 'join [2]: n frames come in one write',
  },
  truncate: {
    ...atFrame,
    argument: { type: 'count', least: 0, most: 1024 * MiB, otherwise: -1 },
    says: 'truncate [100]: what is behind byte n of the frame is lost, with its line end; without n the second half',
  },
  garbage: {
    ...atFrame,
    argument: { type: 'count', least: 1, most: MiB, otherwise: 16 },
    says: 'garbage [16]: n bytes that are no text come before the frame, and a line end',
  },
  badjson: { ...atFrame, argument: none, says: 'badjson: the last character of the frame is lost, not its line end' },
  huge: {
    ...atFrame,
    isOnce: true,
    argument: { type: 'size', otherwise: 64 * MiB },
    says: 'huge [64MiB]: a frame of that size comes before the frame',
  },
  crlf: { ...atFrame, argument: none, says: 'crlf: the line ends with CR LF; a header without CR' },
  bom: { ...atFrame, argument: none, says: 'bom: a byte order mark comes before the frame' },
  close: { ...single, argument: none, says: 'close: this direction ends before the frame' },
  reset: { ...single, argument: none, says: 'reset: both directions end at once; what was on its way is lost' },
  kill: { ...single, argument: none, says: 'kill: the agent is killed (SIGKILL)' },
  pause: {
    ...single,
    argument: { type: 'time', otherwise: Number.POSITIVE_INFINITY },
    says: 'pause [3s]: the agent is stopped (SIGSTOP) for so long; without a time for good',
  },
  exit: {
    ...single,
    argument: { type: 'count', least: 0, most: 255, otherwise: 1 },
    says: 'exit [1]: the agent ends with this exit code',
  },
  'stderr-flood': {
    ...single,
    argument: { type: 'size', otherwise: MiB },
    says: 'stderr-flood [1MiB]: so much comes on stderr',
  },
} as const satisfies Record<string, Kind>;

/** The name of a kind. */
export type FaultKind = keyof typeof kinds;

/** All names, in the order of the help. */
export const kindNames = Object.keys(kinds) as readonly FaultKind[];

/** Which frames a rule is about. Frames are counted from 1 for each direction. */
export type Where =
  | { readonly type: 'any' }
  | { readonly type: 'frames'; readonly from: number; readonly to: number }
  | { readonly type: 'every'; readonly step: number }
  /** Frames of that type or method. */
  | { readonly type: 'named'; readonly name: string }
  /** All frames behind the first one of that type or method. */
  | { readonly type: 'after'; readonly name: string }
  /** The frame that holds this byte of its direction, counted from 0. */
  | { readonly type: 'byte'; readonly offset: number }
  /** From that time on, ms since the start. */
  | { readonly type: 'time'; readonly ms: number };

/** One fault. */
export interface FaultRule {
  /** As it was written. */
  readonly text: string;
  readonly kind: FaultKind;
  /** ms, bytes or a number, as the kind has it; 0 for kinds without an argument. */
  readonly argument: number;
  readonly where: Where;
  /** Most times that the fault happens. `Infinity`: no bound. */
  readonly count: number;
  /** 0 to 1. */
  readonly probability: number;
  readonly on: Direction;
}
