// Plain text and links, whoever wrote them.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { bytes, visible } from '../state/format.ts';

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

/** A link that leads to http or https; any other is its text. */
export function Address({ url, label }: { readonly url: string; readonly label: string }): VNode {
  if (!/^https?:\/\//iu.test(url)) return <bdi class="quiet">{visible(url.slice(0, 400))}</bdi>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      {visible(label)}
    </a>
  );
}
