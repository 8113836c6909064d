// Content that does not stream: results of tools, images, documents, links.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Content } from '../../core/model/content.ts';
import { bytes, visible } from '../state/format.ts';
import { Image } from './image.tsx';
import { JsonText, pretty } from './json-text.tsx';

/** Characters of a text that are shown before somebody asks for more. */
const preview = 4096;
/** Characters that one click adds. */
const chunk = 262_144;

/** Plain text, in parts if it is long. */
export function LongText({ text }: { readonly text: string }): VNode {
  const [shown, setShown] = useState(preview);
  return (
    <>
      <pre class="output" tabIndex={0}>
        {visible(text.slice(0, shown))}
      </pre>
      {text.length > shown && (
        <button type="button" class="link" onClick={() => setShown(shown + chunk)}>
          show {bytes(Math.min(chunk, text.length - shown))} more of {bytes(text.length)}
        </button>
      )}
    </>
  );
}

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

/** A link that leads to http or https; any other is its text. */
export function Address({ url, label }: { readonly url: string; readonly label: string }): VNode {
  if (!/^https?:\/\//iu.test(url)) return <bdi class="quiet">{visible(url.slice(0, 400))}</bdi>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      {visible(label)}
    </a>
  );
}
