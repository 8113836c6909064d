// The events of a chat, by both sides, in order. Types only.
import type { Dictionary } from '../../../core/model/content.ts';
import type { InTrace, Request } from '../../check/json-rpc.ts';

/** A content of `chat/contentReceived`. */
export interface Content extends InTrace {
  readonly is: 'content';
  readonly role: unknown;
  /** The content type; may be unknown. */
  readonly type: unknown;
  readonly content: Dictionary;
  readonly params: Dictionary;
  /** Replayed from the past: after `chat/cleared`, up to the next prompt. */
  readonly isHistory: boolean;
}

/** The other events of a chat. */
export type ChatEvent =
  | Content
  | (InTrace & { readonly is: 'status'; readonly status: unknown })
  | (InTrace & { readonly is: 'opened' | 'cleared' | 'deleted' })
  | (InTrace & { readonly is: 'prompt'; readonly ask: Request })
  | (InTrace & { readonly is: 'stop' })
  | (InTrace & { readonly is: 'approve' | 'reject'; readonly call: unknown })
  | (InTrace & { readonly is: 'delete'; readonly ask: Request });
