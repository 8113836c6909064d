// What is said in a chat and of it, by both sides, in order. Types only.
import type { Dictionary } from '../../core/model/content.ts';
import type { Ask, Placed } from './messages.ts';

/** A content of `chat/contentReceived`. */
export interface Content extends Placed {
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
  | (Placed & { readonly is: 'status'; readonly status: unknown })
  | (Placed & { readonly is: 'opened' | 'cleared' | 'deleted' })
  | (Placed & { readonly is: 'prompt'; readonly ask: Ask })
  | (Placed & { readonly is: 'stop' })
  | (Placed & { readonly is: 'approve' | 'reject'; readonly call: unknown })
  | (Placed & { readonly is: 'delete'; readonly ask: Ask });
