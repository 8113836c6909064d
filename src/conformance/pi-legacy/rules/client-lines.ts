// Rules on the lines, commands and fields that clients of pi-legacy send (docs/protocols/pi-legacy.md 1, 4.6).
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { base64Fault } from '../../check/base64.ts';
import { each, type Finding } from '../../check/rule.ts';
import { fields, misfit } from '../../check/shape.ts';
import type { Line, View } from '../view/parts.ts';
import { rulesOf } from './legacy-rule.ts';

const commands = ['prompt', 'abort', 'compact'];
const ofType = ({ client }: View, type: string) => client.filter((line) => line.type === type);

/** Prompts with attachments. */
const withFiles = (view: View) => ofType(view, 'prompt').filter(({ json }) => json.attachments !== undefined);

interface Filed {
  readonly frame: number;
  readonly file: Dictionary;
}
function* filesIn(view: View): Generator<Filed> {
  for (const { frame, json } of withFiles(view))
    if (Array.isArray(json.attachments))
      for (const file of json.attachments.filter(isDictionary)) yield { frame, file };
}

const attachment = fields({
  ...{ id: 'string', type: 'string', fileName: 'string', mimeType: 'string', size: 'number', content: 'string' },
  ...{ 'extractedText?': 'string', 'preview?': 'string' },
});

const anyPrompt = ['text', 'think', 'tool'];

export const clientLineRules = rulesOf('client/', [
  {
    name: 'json-lines',
    section: 'Input Protocol',
    sentence: 'Each line of the client is one JSON object.',
    scenarios: anyPrompt,
    *judge({ trace }): Generator<Finding> {
      for (const [frame, { by, json, text }] of trace.frames.entries()) {
        if (by === 'client') yield { frame, wrong: isDictionary(json) ? null : `no JSON object: ${text.slice(0, 80)}` };
      }
    },
  },
  {
    name: 'separators-escaped',
    section: 'Input Protocol',
    level: 'SHOULD',
    measured: true,
    sentence: 'U+2028 and U+2029 are escaped, for agents whose reader takes them for ends of lines.',
    scenarios: anyPrompt,
    *judge({ trace }): Generator<Finding> {
      for (const [frame, { by, text }] of trace.frames.entries()) {
        if (by === 'client')
          yield { frame, wrong: /[\u2028\u2029]/u.test(text) ? 'one of them stands as it is' : null };
      }
    },
  },
  {
    name: 'known-commands',
    section: 'Input Message Types',
    sentence: 'The `type` of each line is `prompt`, `abort` or `compact`.',
    covers: ['command:prompt', 'command:abort', 'command:compact'],
    scenarios: anyPrompt,
    judge: ({ client }) =>
      each(client, ({ type, json }) =>
        commands.includes(type) ? null : `unknown type ${JSON.stringify(json.type)}: it gets no answer at all`,
      ),
  },
  {
    name: 'prompt-message',
    section: 'Prompt Message',
    sentence: 'The `message` of a prompt is a string.',
    covers: ['command:prompt'],
    scenarios: anyPrompt,
    judge: (view) => each(ofType(view, 'prompt'), ({ json }) => misfit(json, fields({ message: 'string' }), 'prompt')),
  },
  {
    name: 'prompt-words',
    section: 'Prompt Message',
    level: 'SHOULD',
    measured: true,
    sentence: 'The `message` of a prompt is not empty, for that gets no answer at all.',
    covers: ['command:prompt'],
    scenarios: anyPrompt,
    judge: (view) => each(ofType(view, 'prompt'), ({ json }) => (json.message === '' ? 'it is empty' : null)),
  },
  {
    name: 'attachments-list',
    section: 'Prompt Message',
    sentence: 'The `attachments` of a prompt are a list of objects.',
    covers: ['command:prompt'],
    scenarios: anyPrompt,
    judge: (view) => each(withFiles(view), ({ json }) => misfit(json.attachments, ['object'], 'attachments')),
  },
  {
    name: 'attachment-fields',
    section: 'Attachment',
    sentence: 'Each attachment has the fields of its type.',
    covers: ['command:prompt'],
    scenarios: anyPrompt,
    judge: (view) => each(filesIn(view), ({ file }) => misfit(file, attachment, 'attachment')),
  },
  {
    name: 'attachment-type',
    section: 'Attachment',
    sentence: 'An attachment is an `image` or a `document`.',
    covers: ['command:prompt'],
    scenarios: anyPrompt,
    judge: (view) =>
      each(filesIn(view), ({ file }) =>
        file.type === 'image' || file.type === 'document' ? null : `it is ${JSON.stringify(file.type)}`,
      ),
  },
  {
    name: 'attachment-base64',
    section: 'Attachment',
    sentence: 'The content of an attachment is base64, without the prefix of a data URL.',
    covers: ['command:prompt'],
    scenarios: anyPrompt,
    judge: (view) =>
      each(filesIn(view), ({ file: { content } }) => (typeof content === 'string' ? base64Fault(content) : null)),
  },
  {
    name: 'document-text',
    section: 'Attachment',
    level: 'MAY',
    measured: true,
    sentence: 'A document brings its text along, for without it the model never sees it.',
    covers: ['command:prompt'],
    scenarios: anyPrompt,
    *judge(view) {
      for (const { frame, file } of filesIn(view)) {
        if (file.type !== 'document') continue;
        yield { frame, wrong: typeof file.extractedText === 'string' ? null : 'there is no extractedText' };
      }
    },
  },
  {
    name: 'compact-fields',
    section: 'Compact Message',
    sentence: 'The `customInstructions` of a compact are a string, or not there.',
    covers: ['command:compact'],
    scenarios: anyPrompt,
    judge: (view) =>
      each(ofType(view, 'compact'), ({ json }: Line) =>
        misfit(json, fields({ 'customInstructions?': 'string' }), 'compact'),
      ),
  },
]);
