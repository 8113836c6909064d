// What may stand where: one turn after the other, one message at a time on the main thread, a result behind the message
// that calls for it and before the next, a sub-agent behind the call that it lives in (docs/protocols/claude.md 4.9, 4.11). What
// comes too early waits here. Knows frames; knows no events.
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { WireFrame } from '../wire/client.ts';

/** Sorts the frames of one session. Each method returns the frames whose time has come, in wire order. */
export interface Thread {
  /** A turn begins. What was said between two turns follows its first frame. */
  begin(init: WireFrame): WireFrame[];
  /** The turn ends: messages are closed and calls answered by now. */
  end(result: WireFrame): WireFrame[];
  /** A message of the main thread in one piece. */
  message(frames: readonly WireFrame[]): WireFrame[];
  /** A message of the main thread begins. */
  open(frames: readonly WireFrame[]): WireFrame[];
  /** Whether what extends the open message goes out at once and moves nothing else. */
  readonly isLive: boolean;
  /** It goes on. */
  extend(frames: readonly WireFrame[]): WireFrame[];
  /** It ends. */
  close(frames: readonly WireFrame[]): WireFrame[];
  /** The result of a call. `parent` is the lane that the call was told on. */
  answer(call: string, parent: string | undefined, frame: WireFrame): WireFrame[];
  /** What stands between messages of the main thread. */
  aside(frames: readonly WireFrame[]): WireFrame[];
  /** What may stand in the middle of a message as well (docs/protocols/claude.md 5.2): it stays where it came. */
  anywhere(frames: readonly WireFrame[]): WireFrame[];
  /** What a sub-agent says, in whole frames. */
  lane(parent: string, frames: readonly WireFrame[]): WireFrame[];
  /** How many frames were given up since the last call: too many between turns, or of a sub-agent nobody called. */
  lost(): number;
}

type Waiting =
  | { readonly kind: 'message'; readonly frames: WireFrame[]; whole: boolean }
  | { readonly kind: 'answer'; readonly call: string; readonly isMain: boolean; readonly frames: readonly WireFrame[] }
  | { readonly kind: 'aside'; readonly frames: readonly WireFrame[] }
  | { readonly kind: 'lane'; readonly parent: string; readonly frames: readonly WireFrame[] };

/** An extension may chatter for hours without a turn. */
const mostBetweenTurns = 64;

/** Begins between two turns. */
export function createThread(): Thread {
  let waiting: Waiting[] = [];
  let inTurn = false;
  /** The open message: whether its frames go out at once or gather in `waiting`. */
  let speaking: 'live' | Extract<Waiting, { kind: 'message' }> | null = null;
  /** Calls of this turn that are on the wire, and those among them that want a result: on the main thread, elsewhere. */
  const shown = new Set<string>();
  const owed = new Set<string>();
  const owedAside = new Set<string>();
  let lost = 0;

  function say(frames: readonly WireFrame[]): readonly WireFrame[] {
    for (const frame of frames) {
      for (const call of callsIn(frame)) {
        shown.add(call);
        (frame.parent_tool_use_id === null ? owed : owedAside).add(call);
      }
    }
    return frames;
  }

  function mayGo(item: Waiting, place: number): boolean {
    switch (item.kind) {
      case 'lane':
        return shown.has(item.parent);
      case 'answer':
        return item.isMain ? speaking !== 'live' && owed.has(item.call) : owedAside.has(item.call);
      case 'aside':
        return speaking !== 'live' && isNext(place);
      case 'message':
        return speaking !== 'live' && owed.size === 0 && isNext(place);
      default:
        return item satisfies never;
    }
  }

  /** Messages and what stands between them keep their order. */
  const isNext = (place: number) => waiting.findIndex(({ kind }) => kind === 'message' || kind === 'aside') === place;

  function release(): WireFrame[] {
    const frames: WireFrame[] = [];
    while (inTurn) {
      const place = waiting.findIndex(mayGo);
      const item = waiting[place];
      if (item === undefined) break;
      waiting.splice(place, 1);
      if (item.kind === 'answer') (item.isMain ? owed : owedAside).delete(item.call);
      if (item.kind === 'message' && !item.whole) speaking = 'live';
      // Not spread: a message that was held may have more frames than a call may have arguments.
      for (const frame of say(item.frames)) frames.push(frame);
    }
    return frames;
  }

  function wait(item: Waiting): WireFrame[] {
    if (item.frames.length > 0 || item.kind === 'message') waiting.push(item);
    if (!inTurn && waiting.length > mostBetweenTurns) lost += waiting.shift()?.frames.length ?? 0;
    return release();
  }

  function extend(frames: readonly WireFrame[]): WireFrame[] {
    if (speaking === null) return [];
    if (speaking !== 'live') {
      for (const frame of frames) speaking.frames.push(frame);
      return [];
    }
    // A call may just have been shown whose sub-agent has spoken already.
    return [...say(frames), ...release()];
  }

  return {
    begin(init) {
      inTurn = true;
      return [init, ...release()];
    },
    end(result) {
      const frames = [...release(), result];
      lost += waiting.reduce((sum, item) => sum + item.frames.length, 0);
      waiting = [];
      inTurn = false;
      shown.clear();
      owed.clear();
      owedAside.clear();
      return frames;
    },
    message: (frames) => wait({ kind: 'message', frames: [...frames], whole: true }),
    open(frames) {
      const message: Waiting = { kind: 'message', frames: [...frames], whole: false };
      speaking = message;
      return wait(message);
    },
    get isLive() {
      return speaking === 'live' && waiting.length === 0;
    },
    extend,
    close(frames) {
      if (speaking === null) return [];
      const message = speaking;
      speaking = null;
      if (message === 'live') return [...say(frames), ...release()];
      for (const frame of frames) message.frames.push(frame);
      message.whole = true;
      return release();
    },
    answer: (call, parent, frame) => wait({ kind: 'answer', call, isMain: parent === undefined, frames: [frame] }),
    aside: (frames) => wait({ kind: 'aside', frames }),
    anywhere(frames) {
      // An agent of this protocol speaks between two turns, too, and what it says there is said of then.
      if (!inTurn) return [...frames];
      return speaking === null ? wait({ kind: 'aside', frames }) : extend(frames);
    },
    lane: (parent, frames) => wait({ kind: 'lane', parent, frames }),
    lost() {
      const count = lost;
      lost = 0;
      return count;
    },
  };
}

/** The calls that a frame puts on the wire: its `assistant` frame is where a call is whole. */
function callsIn(frame: WireFrame): string[] {
  if (frame.type !== 'assistant' || !isDictionary(frame.message) || !Array.isArray(frame.message.content)) return [];
  return frame.message.content.flatMap((block) =>
    isDictionary(block) && block.type === 'tool_use' && typeof block.id === 'string' ? [block.id] : [],
  );
}
