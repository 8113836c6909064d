// The shapes of what clients of pi say: docs/protocols/pi.md 3.1, 4 and 12.
import { fields, orNull, words } from '../../check/shape.ts';
import { shapeRules } from '../../check/shape-rows.ts';
import { levels } from './parts.ts';
import { clientPlaces } from './places.ts';

const message = fields({ message: 'string' });
const enabled = fields({ enabled: 'boolean' });
const cancel = fields({ cancelled: 'boolean' });
const value = { oneOf: [fields({ value: 'string' }), cancel] };

const anything = ['text'];
/** The behaviour during which our own client sends all its commands. */
const busy = ['busy'];
const answers = {
  reads: 'both',
  section: 'Dialog Methods (require response)',
  covers: ['command:extension_ui_response'],
} as const;
const images = { section: 'Image Support', scenarios: anything };

/** Rules on the shapes of clients' commands and answers. */
export const shapeRulesOfClients = shapeRules('pi/client', clientPlaces, {
  'id-string': {
    section: 'Core Protocol',
    sentence: 'The `id` of a command is a string, or not there.',
    covers: [],
    scenarios: anything,
    shapes: { command: fields({ 'id?': 'string' }) },
  },
  'prompt-fields': {
    section: 'prompt',
    sentence: 'A prompt has a message, which is a string.',
    scenarios: anything,
    shapes: { 'command:prompt': message },
  },
  'steer-fields': {
    section: 'steer',
    sentence: 'steer has a message, which is a string.',
    scenarios: busy,
    shapes: { 'command:steer': message },
  },
  'follow-up-fields': {
    section: 'follow_up',
    sentence: 'follow_up has a message, which is a string.',
    scenarios: busy,
    shapes: { 'command:follow_up': message },
  },
  'images-list': {
    ...images,
    sentence: 'The `images` of a prompt are a list of objects of type `image`, with `data` and `mimeType`.',
    covers: ['command:prompt', 'command:steer', 'command:follow_up'],
    shapes: {
      'command with images': fields({
        'images?': orNull([fields({ type: words('image'), data: 'string', mimeType: 'string' })]),
      }),
    },
  },
  'images-mime-type': {
    ...images,
    // Newer versions may accept more.
    level: 'MAY',
    sentence: 'The `mimeType` of an image is one of the four that are supported.',
    covers: ['command:prompt'],
    shapes: { image: fields({ 'mimeType?': words('image/png', 'image/jpeg', 'image/gif', 'image/webp') }) },
  },
  'set-model-fields': {
    section: 'set_model',
    sentence: 'set_model names a provider and a model.',
    scenarios: anything,
    shapes: { 'command:set_model': fields({ provider: 'string', modelId: 'string' }) },
  },
  'set-thinking-level-fields': {
    section: 'set_thinking_level',
    sentence: 'set_thinking_level has a level.',
    scenarios: anything,
    shapes: { 'command:set_thinking_level': fields({ level: 'string' }) },
  },
  'set-thinking-level-values': {
    section: 'set_thinking_level',
    // An agent replaces an unknown level without an error (docs/protocols/pi.md 4.11).
    level: 'MAY',
    reads: 'both',
    sentence: `The \`level\` of set_thinking_level is one of ${levels.join(', ')}.`,
    scenarios: anything,
    shapes: { 'command:set_thinking_level': fields({ 'level?': words(...levels) }) },
  },
  'set-steering-mode-fields': {
    section: 'set_steering_mode',
    sentence: 'set_steering_mode has a mode.',
    scenarios: anything,
    shapes: { 'command:set_steering_mode': fields({ mode: 'string' }) },
  },
  'set-follow-up-mode-fields': {
    section: 'set_follow_up_mode',
    sentence: 'set_follow_up_mode has a mode.',
    scenarios: anything,
    shapes: { 'command:set_follow_up_mode': fields({ mode: 'string' }) },
  },
  'set-auto-compaction-fields': {
    section: 'set_auto_compaction',
    sentence: 'set_auto_compaction says on or off.',
    scenarios: anything,
    shapes: { 'command:set_auto_compaction': enabled },
  },
  'set-auto-retry-fields': {
    section: 'set_auto_retry',
    sentence: 'set_auto_retry says on or off.',
    scenarios: anything,
    shapes: { 'command:set_auto_retry': enabled },
  },
  'compact-fields': {
    section: 'compact',
    sentence: 'The `customInstructions` of compact are a string.',
    scenarios: anything,
    shapes: { 'command:compact': fields({ 'customInstructions?': 'string' }) },
  },
  'bash-fields': {
    section: 'bash',
    sentence: 'bash has a command.',
    scenarios: anything,
    shapes: { 'command:bash': fields({ command: 'string' }) },
  },
  'new-session-fields': {
    section: 'new_session',
    sentence: 'The `parentSession` of new_session is a path.',
    scenarios: anything,
    shapes: { 'command:new_session': fields({ 'parentSession?': 'string' }) },
  },
  'switch-session-fields': {
    section: 'switch_session',
    sentence: 'switch_session has a path.',
    scenarios: anything,
    shapes: { 'command:switch_session': fields({ sessionPath: 'string' }) },
  },
  'fork-fields': {
    section: 'fork',
    sentence: 'fork names an entry.',
    scenarios: anything,
    shapes: { 'command:fork': fields({ entryId: 'string' }) },
  },
  'export-html-fields': {
    section: 'export_html',
    sentence: 'The `outputPath` of export_html is a path.',
    scenarios: anything,
    shapes: { 'command:export_html': fields({ 'outputPath?': 'string' }) },
  },
  'set-session-name-fields': {
    section: 'set_session_name',
    sentence: 'set_session_name has a name.',
    scenarios: anything,
    shapes: { 'command:set_session_name': fields({ name: 'string' }) },
  },
  'select-answer': {
    ...answers,
    sentence: 'The answer to select has `value`, or cancels.',
    scenarios: ['select'],
    shapes: { 'answer to select': value },
  },
  'confirm-answer': {
    ...answers,
    sentence: 'The answer to confirm has `confirmed`, or cancels.',
    scenarios: ['confirm'],
    shapes: { 'answer to confirm': { oneOf: [fields({ confirmed: 'boolean' }), cancel] } },
  },
  'input-answer': {
    ...answers,
    sentence: 'The answer to input has `value`, or cancels.',
    scenarios: ['input'],
    shapes: { 'answer to input': value },
  },
  'editor-answer': {
    ...answers,
    sentence: 'The answer to editor has `value`, or cancels.',
    scenarios: ['editor'],
    shapes: { 'answer to editor': value },
  },
});
