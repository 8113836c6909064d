// A compaction that a client requested as a prompt: a turn of its own, with the frames that Claude Code writes for
// `/compact` (docs/protocols/claude.md 6.4), and with `init` as the first frame (docs/protocols/claude.md 4.12).
import type { EventOf } from '../../../core/model/event.ts';
import type { ResultCounter } from '../frontend/result-frame.ts';
import { compactedFrames, compactingFrame } from '../frontend/system-frames.ts';
import type { WireFrame } from '../wire/client.ts';
import type { FrameOrder } from './frame-order.ts';

/** Shows a compaction as a turn of its own, for one session. */
export interface CompactionTurn {
  readonly isOpen: boolean;
  begin(event: EventOf<'compaction-start'>, init: WireFrame, at: number): WireFrame[];
  end(event: EventOf<'compaction-end'>, at: number): WireFrame[];
}

/** Creates the state without an open compaction. */
export function createCompactionTurn(order: FrameOrder, counter: ResultCounter): CompactionTurn {
  let isOpen = false;
  return {
    get isOpen() {
      return isOpen;
    },
    begin(event, init, at) {
      isOpen = true;
      counter.begin(at);
      return [...order.begin(init), ...order.betweenMessages([compactingFrame(event)])];
    },
    end(event, at) {
      isOpen = false;
      const withTrigger = { trigger: 'manual', ...event } as const;
      const frames = [...compactedFrames(withTrigger), ...(event.outcome === 'completed' ? printed(event) : [])];
      return [...order.betweenMessages(frames), ...order.end(counter.compaction(event, at))];
    },
  };
}

/**
 * User frames that are nobody's prompts: the summary that the model continues with, and the output that a terminal
 * would show.
 */
function printed({ summary }: EventOf<'compaction-end'>): WireFrame[] {
  const frame = (content: string, mark: object): WireFrame => ({
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    ...mark,
  });
  return [
    ...(summary === undefined || summary === '' ? [] : [frame(summary, { isReplay: false, isSynthetic: true })]),
    frame('<local-command-stdout>Compacted </local-command-stdout>', { isReplay: true }),
  ];
}
