// The order of frames: one turn after the other, one message at a time on the main thread, a result between the message
// that calls for it and the next one, a sub-agent after the call that contains it (docs/protocols/claude.md 4.9, 4.11).
// Frames that come too early wait here.
import { isDictionary } from '../../../core/model/dictionary.ts';
import { estimateBytes } from '../../../core/model/memory-estimate.ts';
import type { WireFrame } from '../wire/client.ts';

/** Orders the frames of one session. Each method returns the frames that can be sent now, in wire order. */
export interface FrameOrder {
  /** A turn begins. Frames from between the turns follow its first frame. */
  begin(init: WireFrame): WireFrame[];
  /** The turn ends. Its messages are closed and its calls answered. */
  end(result: WireFrame): WireFrame[];
  /** A whole message of the main thread. */
  message(frames: readonly WireFrame[]): WireFrame[];
  /** A message of the main thread begins. */
  open(frames: readonly WireFrame[]): WireFrame[];
  /** Whether frames of the open message are sent at once and release no waiting frames. */
  readonly isLive: boolean;
  /** Adds to the open message. */
  extend(frames: readonly WireFrame[]): WireFrame[];
  /** Ends the open message. */
  close(frames: readonly WireFrame[]): WireFrame[];
  /** The result of a call. `parent` is the lane on which the call was shown. */
  answer(call: string, parent: string | undefined, frame: WireFrame): WireFrame[];
  /** Frames between messages of the main thread. */
  betweenMessages(frames: readonly WireFrame[]): WireFrame[];
  /** Frames that may also stand inside a message (docs/protocols/claude.md 5.2). They keep their place. */
  anywhere(frames: readonly WireFrame[]): WireFrame[];
  /** Whole frames of a sub-agent. */
  lane(parent: string, frames: readonly WireFrame[]): WireFrame[];
  /** The number of frames dropped since the last call: too many between turns, or of a sub-agent without a call. */
  lost(): number;
}

type Waiting =
  | { readonly kind: 'message'; readonly frames: WireFrame[]; whole: boolean }
  | { readonly kind: 'answer'; readonly call: string; readonly isMain: boolean; readonly frames: readonly WireFrame[] }
  | { readonly kind: 'aside'; readonly frames: readonly WireFrame[]; readonly bytes: number }
  | { readonly kind: 'lane'; readonly parent: string; readonly frames: readonly WireFrame[] };

/** The maximum number of waiting items between turns. An extension may send notices for hours without a turn. */
const mostBetweenTurns = 64;
/**
 * The maximum bytes of frames that wait for the end of a message and are no part of the transcript, as an estimate of
 * memory: an agent may never end the message (docs/limits.md 5.6).
 */
const mostAsideBytes = 16 * 1024 * 1024;

/** Creates the order in the state between two turns. */
export function createFrameOrder(): FrameOrder {
  let waiting: Waiting[] = [];
  let inTurn = false;
  /** The open message: its frames are sent at once, or gathered in `waiting`. */
  let openMessage: 'live' | Extract<Waiting, { kind: 'message' }> | null = null;
  /** Calls of this turn that were sent; and those of them that need a result, on the main thread and elsewhere. */
  const shown = new Set<string>();
  const owedOnMain = new Set<string>();
  const owedElsewhere = new Set<string>();
  let lost = 0;
  let asideBytes = 0;

  function noteCalls(frames: readonly WireFrame[]): readonly WireFrame[] {
    for (const frame of frames) {
      for (const call of callsIn(frame)) {
        shown.add(call);
        (frame.parent_tool_use_id === null ? owedOnMain : owedElsewhere).add(call);
      }
    }
    return frames;
  }

  function mayGo(item: Waiting, place: number): boolean {
    switch (item.kind) {
      case 'lane':
        return shown.has(item.parent);
      case 'answer':
        return item.isMain ? openMessage !== 'live' && owedOnMain.has(item.call) : owedElsewhere.has(item.call);
      case 'aside':
        return openMessage !== 'live' && isNext(place);
      case 'message':
        return openMessage !== 'live' && owedOnMain.size === 0 && isNext(place);
      default:
        return item satisfies never;
    }
  }

  /** Whether the item is the first that waits among messages and the frames between them, which keep their order. */
  const isNext = (place: number) => waiting.findIndex(({ kind }) => kind === 'message' || kind === 'aside') === place;

  function takeReady(): WireFrame[] {
    const frames: WireFrame[] = [];
    while (inTurn) {
      const place = waiting.findIndex(mayGo);
      const item = waiting[place];
      if (item === undefined) break;
      waiting.splice(place, 1);
      if (item.kind === 'aside') asideBytes -= item.bytes;
      if (item.kind === 'answer') (item.isMain ? owedOnMain : owedElsewhere).delete(item.call);
      if (item.kind === 'message' && !item.whole) openMessage = 'live';
      // Do not spread: a waiting message may have more frames than a function call may have arguments.
      for (const frame of noteCalls(item.frames)) frames.push(frame);
    }
    return frames;
  }

  function wait(item: Waiting): WireFrame[] {
    if (item.frames.length > 0 || item.kind === 'message') waiting.push(item);
    if (!inTurn && waiting.length > mostBetweenTurns) dropOldest();
    return takeReady();
  }

  function dropOldest(): void {
    const oldest = waiting.shift();
    lost += oldest?.frames.length ?? 0;
    if (oldest?.kind === 'aside') asideBytes -= oldest.bytes;
  }

  /** The bytes of frames beside the transcript, which are counted; null: too many wait already, and these are lost. */
  function counted(frames: readonly WireFrame[]): number | null {
    const bytes = estimateBytes(frames, mostAsideBytes);
    // One alone always finds room: it may go out at once.
    if (asideBytes > 0 && asideBytes + bytes > mostAsideBytes) {
      lost += frames.length;
      return null;
    }
    asideBytes += bytes;
    return bytes;
  }

  function waitAside(frames: readonly WireFrame[]): WireFrame[] {
    if (frames.length === 0) return takeReady();
    const bytes = counted(frames);
    return bytes === null ? [] : wait({ kind: 'aside', frames, bytes });
  }

  function extend(frames: readonly WireFrame[]): WireFrame[] {
    if (openMessage === null) return [];
    if (openMessage !== 'live') {
      for (const frame of frames) openMessage.frames.push(frame);
      return [];
    }
    // The frames may have shown a call whose sub-agent already wrote something.
    return [...noteCalls(frames), ...takeReady()];
  }

  return {
    begin(init) {
      inTurn = true;
      return [init, ...takeReady()];
    },
    end(result) {
      const frames = [...takeReady(), result];
      lost += waiting.reduce((sum, item) => sum + item.frames.length, 0);
      waiting = [];
      asideBytes = 0;
      inTurn = false;
      shown.clear();
      owedOnMain.clear();
      owedElsewhere.clear();
      return frames;
    },
    message: (frames) => wait({ kind: 'message', frames: [...frames], whole: true }),
    open(frames) {
      const message: Waiting = { kind: 'message', frames: [...frames], whole: false };
      openMessage = message;
      return wait(message);
    },
    get isLive() {
      return openMessage === 'live' && waiting.length === 0;
    },
    extend,
    close(frames) {
      if (openMessage === null) return [];
      const message = openMessage;
      openMessage = null;
      if (message === 'live') return [...noteCalls(frames), ...takeReady()];
      for (const frame of frames) message.frames.push(frame);
      message.whole = true;
      return takeReady();
    },
    answer: (call, parent, frame) => wait({ kind: 'answer', call, isMain: parent === undefined, frames: [frame] }),
    betweenMessages: waitAside,
    anywhere(frames) {
      // Between two turns, frames of an agent of this protocol are sent at once.
      if (!inTurn) return [...frames];
      if (openMessage === null) return waitAside(frames);
      // Frames of a live message go out at once.
      return openMessage === 'live' || counted(frames) !== null ? extend(frames) : [];
    },
    lane: (parent, frames) => wait({ kind: 'lane', parent, frames }),
    lost() {
      const count = lost;
      lost = 0;
      return count;
    },
  };
}

/** The calls in a frame. A call is complete in its `assistant` frame. */
function callsIn(frame: WireFrame): string[] {
  if (frame.type !== 'assistant' || !isDictionary(frame.message) || !Array.isArray(frame.message.content)) return [];
  return frame.message.content.flatMap((block) =>
    isDictionary(block) && block.type === 'tool_use' && typeof block.id === 'string' ? [block.id] : [],
  );
}
