// What is said in a chat and of it, by both sides, in order. Types only.
import type { Dictionary } from '../../../core/model/content.ts';
import type { Request, InTrace } from './messages.ts';

/** A content of `chat/contentReceived`. */
export interface Content extends InTrace {
  readonly is: 'content';
  readonly role: unknown;
  /** Its type; not checked to be one that is known. */
  readonly type: unknown;
  readonly content: Dictionary;
  readonly params: Dictionary;
  /** Told again from the past: behind `chat/cleared`, up to the next prompt. */
  readonly isHistory: boolean;
}

/** What else happens in a chat, by who says it. */
export type ChatEvent =
  | Content
  | (InTrace & { readonly is: 'status'; readonly status: unknown })
  | (InTrace & { readonly is: 'opened' | 'cleared' | 'deleted' })
  | (InTrace & { readonly is: 'prompt'; readonly ask: Request })
  | (InTrace & { readonly is: 'stop' })
  | (InTrace & { readonly is: 'approve' | 'reject'; readonly call: unknown })
  | (InTrace & { readonly is: 'delete'; readonly ask: Request });
