// Contents that arrive whole, in a message of the model or in the history, as contents of a chat (docs/protocols/eca.md
// 8.3).
import type { Content, Dictionary } from '../../../core/model/content.ts';
import { imageOf } from '../frontend/encode-values.ts';
import type { CallWriter } from './call-writer.ts';
import type { ContentWriter } from './encode-call.ts';
import { type TextFrames, textFrames } from './encode-frame.ts';

/** Writes the output of the model. */
export interface ModelWriter extends ContentWriter {
  /** Frames of the model's texts. */
  readonly text: TextFrames;
  /** Sends frames of the model, after the progress "Generating". */
  model(frames: readonly string[]): void;
}

/** The dependencies of the writer of whole contents. */
export interface WholePorts {
  readonly calls: CallWriter;
  loss(text: string): void;
}

/** The frames of the thought with this id. */
export function thoughtFrames(writer: ContentWriter, id: string): TextFrames {
  return textFrames(writer.chatRef, 'assistant', { type: 'reasonText', id }, 'text');
}

/** Writes one content. `id` is used for a thought. */
export function writeWhole(content: Content, writer: ModelWriter, id: string, ports: WholePorts): void {
  const { calls, loss } = ports;
  const say = (words: Dictionary) => {
    writer.generating();
    writer.content('assistant', words);
  };
  const link = (url: string | undefined, title: string | undefined) =>
    url === undefined ? loss(content.type) : say({ type: 'url', title: title ?? url, url });
  switch (content.type) {
    case 'text':
      return content.text === '' ? undefined : writer.model(writer.text(content.text));
    case 'thinking':
      // The provider hid this thought: there is nothing to show.
      if (content.redacted === true) return loss('redacted thinking');
      say({ type: 'reasonStarted', id });
      if (content.text !== '') writer.model(thoughtFrames(writer, id)(content.text));
      return writer.content('assistant', { type: 'reasonFinished', id, totalTimeMs: 0 });
    case 'tool-call':
      return calls.addWhole(content.id, content.name, content.input, writer);
    case 'link':
      return link(content.url, content.title);
    case 'image': {
      const image = imageOf(content);
      return image === null ? link(content.url, content.name) : say(image);
    }
    case 'document':
      return link(content.url, content.name);
    case 'opaque':
      return loss(`block ${content.name}`);
    default:
      return content satisfies never;
  }
}
