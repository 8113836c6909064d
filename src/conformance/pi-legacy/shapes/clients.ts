// The shapes of what clients of pi-legacy say (docs/protocols/pi-legacy.md 1).
import { fields, words } from '../../check/shape.ts';
import { shapeRules } from '../../check/shape-rows.ts';
import { word } from '../../pi/shapes/parts.ts';
import { clientPlaces } from './places.ts';

const anyPrompt = ['text', 'think', 'tool'];
const prompts = { section: 'Prompt Message', covers: ['command:prompt'], scenarios: anyPrompt };
const files = { section: 'Attachment', covers: ['command:prompt'], scenarios: anyPrompt };

/** Rules on the shapes of clients' commands. */
export const shapeRulesOfClients = shapeRules('pi-legacy/client', clientPlaces, {
  'known-commands': {
    section: 'Input Message Types',
    sentence: 'The `type` of each line is `prompt`, `abort` or `compact`.',
    covers: ['command:prompt', 'command:abort', 'command:compact'],
    scenarios: anyPrompt,
    shapes: { line: fields({ type: words('prompt', 'abort', 'compact') }) },
  },
  'prompt-message': {
    ...prompts,
    sentence: 'The `message` of a prompt is a string.',
    shapes: { 'command:prompt': fields({ message: 'string' }) },
  },
  'prompt-words': {
    ...prompts,
    isMeasured: true,
    sentence: 'The `message` of a prompt is not empty, for that gets no answer at all.',
    shapes: { 'command:prompt': fields({ 'message?': word }) },
  },
  'attachments-list': {
    ...prompts,
    sentence: 'The `attachments` of a prompt are a list of objects.',
    shapes: { 'prompt with attachments': fields({ 'attachments?': ['object'] }) },
  },
  'attachment-fields': {
    ...files,
    sentence: 'Each attachment has the fields of its type.',
    shapes: {
      attachment: fields({
        ...{ id: 'string', type: 'string', fileName: 'string', mimeType: 'string', size: 'number', content: 'string' },
        ...{ 'extractedText?': 'string', 'preview?': 'string' },
      }),
    },
  },
  'attachment-type': {
    ...files,
    sentence: 'An attachment is an `image` or a `document`.',
    shapes: { attachment: fields({ type: words('image', 'document') }) },
  },
  'document-text': {
    ...files,
    level: 'MAY',
    isMeasured: true,
    sentence: 'A document brings its text along, for without it the model never sees it.',
    shapes: { document: fields({ extractedText: 'string' }) },
  },
  'compact-fields': {
    section: 'Compact Message',
    sentence: 'The `customInstructions` of a compact are a string, or not there.',
    scenarios: anyPrompt,
    shapes: { 'command:compact': fields({ 'customInstructions?': 'string' }) },
  },
});
