// Content that does not stream: results of tools, images, documents, links.
import type { VNode } from 'preact';
import type { Content } from '../../core/model/content.ts';
import { Image } from './image.tsx';
import { JsonText, pretty } from './json-text.tsx';
import { Address, LongText } from './text.tsx';

export function ContentView({ content }: { readonly content: Content }): VNode {
  switch (content.type) {
    case 'text':
    case 'thinking':
      return <LongText text={content.text} />;
    case 'image':
      return <Image image={content} />;
    case 'link':
      return <Address url={content.url} label={content.title ?? content.url} />;
    case 'document':
      return content.text === undefined ? (
        <p class="quiet">document {content.name ?? content.url ?? content.mediaType}</p>
      ) : (
        <LongText text={content.text} />
      );
    case 'tool-call':
      return <JsonText text={pretty(content)} />;
    case 'opaque':
      return <JsonText text={pretty(content.payload)} />;
    default:
      content satisfies never;
      return <JsonText text={pretty(content)} />;
  }
}
