// Text that belongs to no run, and remarks that are no words of the model: notices (docs/protocols/acp.md 4.28, 4.32, 9.61).
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Chunk } from '../wire/agent.ts';
import { acpExtra } from './decode/values.ts';

/** Sorts the chunks of an agent into words of the model and remarks. */
export interface Remarks {
  /**
   * A chunk of text in a run. Returns the chunks that are words of the model, in order. The first chunk without an id may
   * be held back until the next one tells whether the agent has ids.
   */
  inRun(chunk: Chunk): readonly Chunk[];
  /** A thought with an id: the agent has ids, and what was held back is a remark. */
  inThought(): void;
  /** What comes shows nothing about ids: returns what was held back. */
  release(): readonly Chunk[];
  /** Text outside a run. */
  outside(text: string): void;
  /** Delivers the text from outside runs. */
  flush(): void;
  /** Words of the model come as they are: nothing is held back and no chunk can be a remark. */
  readonly isPlain: boolean;
  onTimer(timer: string): boolean;
}

const timer = 'outside';
/** Chunks that belong together come within this time, ms. */
const pause = 200;
/** UTF-16 units of one notice. */
const longest = 64 * 1024;

export function createRemarks(out: Outbox): Remarks {
  /** `unknown`: the agent has said nothing that tells. */
  let ids: 'unknown' | 'uses' | 'none' = 'unknown';
  let held: Chunk | null = null;
  let text = '';

  function remark(words: string, meta?: unknown): void {
    const shown = words.trim();
    if (shown === '') return;
    const level = /^\W*warning\b/iu.test(shown) ? 'warning' : 'info';
    out.deliver({ type: 'notice', level, text: shown, source: 'agent', ...acpExtra({ _meta: meta ?? undefined }) });
  }

  function release(): readonly Chunk[] {
    const released = held === null ? [] : [held];
    held = null;
    return released;
  }

  function flush(): void {
    if (text === '') return;
    const words = text;
    text = '';
    out.timer(timer, null);
    remark(words);
  }

  function usesIds(): void {
    ids = 'uses';
    for (const { content, _meta } of release()) remark(content.text ?? '', _meta);
  }

  return {
    get isPlain() {
      return held === null;
    },
    inThought: usesIds,
    inRun(chunk) {
      if (typeof chunk.messageId === 'string') {
        usesIds();
        return [chunk];
      }
      if (ids === 'none' || chunk.content.type !== 'text') return [...release(), chunk];
      if (ids === 'uses') {
        remark(chunk.content.text ?? '', chunk._meta);
        return [];
      }
      if (held !== null) {
        ids = 'none';
        return [...release(), chunk];
      }
      held = chunk;
      return [];
    },
    release,
    outside(words) {
      text = (text + words).slice(0, longest);
      if (text !== '') out.timer(timer, pause);
    },
    flush,
    onTimer(name) {
      if (name !== timer) return false;
      flush();
      return true;
    },
  };
}
