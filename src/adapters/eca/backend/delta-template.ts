// Where a content of a server holds its text, for the fast path (decision 0011, core/fast-path/text-template.ts).
import type { Streaming, TemplateRecogniser } from '../../../core/fast-path/templates.ts';
import { createTextRecogniser } from '../../../core/fast-path/text-template.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';

/** Learns from parsed contents and recognises contents of the same form. */
export function createContentRecogniser(streaming: Streaming): TemplateRecogniser {
  return createTextRecogniser(
    streaming,
    (frame) => dictionaryOf(dictionaryOf(dictionaryOf(frame).params).content).text,
  );
}
