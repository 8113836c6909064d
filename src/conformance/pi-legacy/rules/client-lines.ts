// Rules on the bytes that clients of pi-legacy send (docs/protocols/pi-legacy.md 1, 4.6).
import { isDictionary } from '../../../core/model/dictionary.ts';
import { base64Fault } from '../../check/base64.ts';
import { each, type Finding } from '../../check/rule.ts';
import { filesIn } from '../shapes/places.ts';
import type { LegacyRows } from './legacy-rows.ts';

const anyPrompt = ['text', 'think', 'tool'];

export const clientLineRows: LegacyRows = {
  'json-lines': {
    section: 'Input Protocol',
    sentence: 'Each line of the client is one JSON object.',
    scenarios: anyPrompt,
    covers: [],
    *judge({ trace }): Generator<Finding> {
      for (const [frame, { by, json, text }] of trace.frames.entries()) {
        if (by === 'client') yield { frame, wrong: isDictionary(json) ? null : `no JSON object: ${text.slice(0, 80)}` };
      }
    },
  },
  'separators-escaped': {
    section: 'Input Protocol',
    isMeasured: true,
    sentence: 'U+2028 and U+2029 are escaped, for agents whose reader takes them for ends of lines.',
    scenarios: anyPrompt,
    covers: [],
    *judge({ trace }): Generator<Finding> {
      for (const [frame, { by, text }] of trace.frames.entries()) {
        if (by === 'client')
          yield { frame, wrong: /[\u2028\u2029]/u.test(text) ? 'one of them stands as it is' : null };
      }
    },
  },
  'attachment-base64': {
    section: 'Attachment',
    sentence: 'The content of an attachment is base64, without the prefix of a data URL.',
    covers: ['command:prompt'],
    scenarios: anyPrompt,
    judge: (view) =>
      each(filesIn(view), ({ value: { content } }) => (typeof content === 'string' ? base64Fault(content) : null)),
  },
};
