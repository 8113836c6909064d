// Contents that arrive whole, in a message of the model or in the history, as contents of a chat (docs/protocols/eca.md
// 8.3).
import type { Content, Dictionary } from '../../../core/model/content.ts';
import type { Place } from './encode-call.ts';
import { type TextFrames, textFrames } from './encode-frame.ts';
import { imageOf } from '../frontend/encode-values.ts';
import type { CallTeller } from './calls.ts';

/** Where the output of the model is written. */
export interface Speaker extends Place {
  /** Frames of the model's texts. */
  readonly text: TextFrames;
  /** Sends frames of the model, after the progress "Generating". */
  model(frames: readonly string[]): void;
}

/** What whole contents need. */
export interface WholePorts {
  readonly calls: CallTeller;
  loss(text: string): void;
}

/** The frames of the thought with this id. */
export function thoughtFrames(speaker: Place, id: string): TextFrames {
  return textFrames(speaker.voice, 'assistant', { type: 'reasonText', id }, 'text');
}

/** Writes one content. `id` is used for a thought. */
export function tellWhole(content: Content, speaker: Speaker, id: string, ports: WholePorts): void {
  const { calls, loss } = ports;
  const say = (words: Dictionary) => {
    speaker.generating();
    speaker.content('assistant', words);
  };
  const link = (url: string | undefined, title: string | undefined) =>
    url === undefined ? loss(content.type) : say({ type: 'url', title: title ?? url, url });
  switch (content.type) {
    case 'text':
      return content.text === '' ? undefined : speaker.model(speaker.text(content.text));
    case 'thinking':
      // The provider hid this thought: there is nothing to show.
      if (content.redacted === true) return loss('redacted thinking');
      say({ type: 'reasonStarted', id });
      if (content.text !== '') speaker.model(thoughtFrames(speaker, id)(content.text));
      return speaker.content('assistant', { type: 'reasonFinished', id, totalTimeMs: 0 });
    case 'tool-call':
      return calls.tell(content.id, content.name, content.input, speaker);
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
