// What a conversation shows, as people read it. Each item counts its changes, so that only its own nodes are drawn anew.
import { type Signal, signal } from '@preact/signals';
import type { Content, Cost, Failure, FileChange, Message, Stop, Usage } from '../../core/model/content.ts';
import type { EventOf } from '../../core/model/event.ts';
import type { Growing } from './growing.ts';

interface Base {
  readonly key: string;
  /** The event that began it. */
  readonly seq: number;
  readonly changed: Signal<number>;
}

/** One block of a message. */
export type Part =
  | { readonly is: 'text' | 'thinking'; readonly text: Growing; isOpen: boolean; redacted?: boolean }
  | { readonly is: 'tool'; readonly tool: ToolItem }
  | { readonly is: 'content'; readonly content: Content };

export interface MessageItem extends Base {
  readonly is: 'message';
  readonly role: Message['role'];
  readonly origin: Message['origin'];
  readonly model: string | undefined;
  /** By the index of the block. */
  readonly parts: Map<number, Part>;
  end: {
    stop?: Stop | undefined;
    usage?: Usage | undefined;
    cost?: Cost | undefined;
    failure?: Failure | undefined;
  } | null;
}

export interface ToolItem extends Base {
  readonly is: 'tool';
  readonly call: string;
  name: string;
  title: string | undefined;
  kind: string | undefined;
  /** The JSON text of the arguments while they stream; then the arguments. */
  input: { readonly text: Growing } | { readonly value: unknown };
  change: FileChange | undefined;
  output: Content[];
  state: 'written' | 'running' | 'done' | 'failed' | 'skipped';
  skipped: string | undefined;
  durationMs: number | undefined;
  /** What the sub-agent of this call said. */
  readonly children: Item[];
}

export interface ApprovalItem extends Base {
  readonly is: 'approval';
  readonly request: EventOf<'approval-request'>;
  end: EventOf<'approval-end'> | null;
}

export interface DialogItem extends Base {
  readonly is: 'dialog';
  readonly request: EventOf<'dialog-request'>;
  end: EventOf<'dialog-end'> | null;
}

/** One line between messages. */
export interface NoteItem extends Base {
  readonly is: 'note';
  readonly level: 'info' | 'warning' | 'error' | 'divider';
  text: string;
}

export type Item = MessageItem | ToolItem | ApprovalItem | DialogItem | NoteItem;

export const base = (seq: number, kind: string, id: string | number = seq): Base => ({
  key: `${kind}-${id}-${seq}`,
  seq,
  changed: signal(0),
});

/** Draws the item anew. */
export function touch(item: Base): void {
  item.changed.value += 1;
}
