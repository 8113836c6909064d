// One item of the conversation, whatever it is.
import type { VNode } from 'preact';
import { visible } from '../state/format.ts';
import type { Item, NoteItem } from '../state/items.ts';
import { ApprovalCard } from './approval-card.tsx';
import { DialogCard } from './dialog-card.tsx';
import { MessageView } from './message.tsx';
import { ToolCard } from './tool-card.tsx';

const drawn = (item: Item) => <ItemView key={item.key} item={item} />;

export function ItemView({ item }: { readonly item: Item }): VNode | null {
  switch (item.is) {
    case 'message':
      return <MessageView item={item} draw={drawn} />;
    case 'tool':
      return <ToolCard tool={item} draw={drawn} />;
    case 'approval':
      return <ApprovalCard item={item} />;
    case 'dialog':
      return <DialogCard item={item} />;
    case 'note':
      return <Note item={item} />;
    default:
      return item satisfies never;
  }
}

function Note({ item: { level, text } }: { readonly item: NoteItem }): VNode {
  return (
    <p class={`note ${level}`}>
      <bdi>{visible(text)}</bdi>
    </p>
  );
}
