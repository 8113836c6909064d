// A compaction, reported in three or more frames: `status`, `status` again, the boundary in the conversation, then the
// summary in the user's name (docs/protocols/claude.md 6.4). The compaction ends when no further frame of it can
// follow.

import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Dictionary } from '../../../../core/model/content.ts';
import type { EventOf } from '../../../../core/model/event.ts';
import { claudeExtra, claudeExtraParts } from './values.ts';

type Trigger = EventOf<'compaction-start'>['trigger'];

/** The result of a compaction. */
export interface Compacted {
  readonly summary: string;
  readonly tokensBefore?: number;
}

/** The compactions of one agent. */
export interface Compactions {
  readonly open: boolean;
  /** The compaction worked, and its end was not delivered yet. */
  readonly held: boolean;
  /** The last successful compaction; null if there was none. */
  readonly last: Compacted | null;
  start(trigger: Trigger, frame: Dictionary): void;
  /** Must be called when the compaction worked. Figures and summary follow. */
  worked(frame: Dictionary): void;
  failed(message: string, frame: Dictionary): void;
  boundary(trigger: Trigger, before: number | undefined, after: number | undefined, frame: Dictionary): void;
  summary(text: string): void;
  /** Delivers the held end, because another frame follows. */
  flush(): void;
  forget(): void;
}

export function createCompactions(out: Outbox): Compactions {
  let open = false;
  let last: Compacted | null = null;
  let held: EventOf<'compaction-end'> | null = null;
  let frames: { status?: Dictionary; boundary?: Dictionary } = {};

  function flush(): void {
    if (held === null) return;
    const { summary = '', tokensBefore } = held;
    last = tokensBefore === undefined ? { summary } : { summary, tokensBefore };
    out.deliver({ ...held, ...claudeExtraParts(frames) });
    held = null;
    open = false;
    frames = {};
  }

  function start(trigger: Trigger, frame: Dictionary): void {
    flush();
    if (open) return;
    open = true;
    out.deliver({ type: 'compaction-start', trigger, ...claudeExtra(frame) });
  }

  return {
    get open() {
      return open;
    },
    get held() {
      return held !== null;
    },
    get last() {
      return last;
    },
    start,
    worked(frame) {
      if (!open) return;
      frames = { status: frame };
      held = { type: 'compaction-end', outcome: 'completed' };
    },
    failed(message, frame) {
      if (!open) return;
      held = null;
      open = false;
      const isAborted = /\baborted\b/iu.test(message);
      const failure = { kind: isAborted ? ('aborted' as const) : ('agent' as const), message };
      const outcome = isAborted ? 'aborted' : 'failed';
      out.deliver({ type: 'compaction-end', outcome, failure, ...claudeExtraParts({ status: frame }) });
    },
    boundary(trigger, tokensBefore, tokensAfter, frame) {
      if (!open) start(trigger, {});
      frames = { ...frames, boundary: frame };
      held = {
        type: 'compaction-end',
        outcome: 'completed',
        trigger,
        ...(tokensBefore === undefined ? {} : { tokensBefore }),
        ...(tokensAfter === undefined ? {} : { tokensAfter }),
      };
    },
    summary(text) {
      if (held !== null) held = { ...held, summary: text };
      flush();
    },
    flush,
    forget() {
      last = null;
    },
  };
}
