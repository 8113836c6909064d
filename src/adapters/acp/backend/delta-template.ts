// Where a chunk of an agent holds its text, for the fast path (decision 0011, core/fast-path/text-template.ts).
import type { Streaming, TemplateRecogniser } from '../../../core/fast-path/templates.ts';
import { createTextRecogniser } from '../../../core/fast-path/text-template.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';

/** Learns from parsed chunks and recognises chunks of the same form. */
export function createChunkRecogniser(streaming: Streaming): TemplateRecogniser {
  return createTextRecogniser(streaming, (frame) => {
    const { update } = dictionaryOf(dictionaryOf(frame).params);
    return dictionaryOf(dictionaryOf(update).content).text;
  });
}
