// Broken clients of pi, each made from our own one.
import { probe } from '../../../src/conformance/pi/fake-agent/shared-behaviours.ts';
import type { Dictionary } from '../../../src/core/model/content.ts';
import { isDictionary } from '../../../src/core/model/dictionary.ts';
import { changesSent, disconnectsOn, omits, sendsBefore, sendsGarbage, without } from '../support/client-mutant.ts';
import type { Mutant } from '../support/mutant.ts';

const images = (change: (image: Dictionary) => Dictionary) =>
  changesSent('prompt', (frame) =>
    Array.isArray(frame.images) ? { ...frame, images: frame.images.filter(isDictionary).map(change) } : frame,
  );
const reply = 'extension_ui_response';
const replies = (change: (frame: Dictionary) => Dictionary) => changesSent(reply, change);
/** Changes the value of replies. */
const replied = (field: string, value: unknown) =>
  replies((frame) => (frame[field] === undefined ? frame : { ...frame, [field]: value }));

/** Commands, each with a required field. */
const needed: readonly (readonly [string, string])[] = [
  ['steer', 'message'],
  ['follow_up', 'message'],
  ['set_model', 'provider'],
  ['set_model', 'modelId'],
  ['set_thinking_level', 'level'],
  ['set_steering_mode', 'mode'],
  ['set_follow_up_mode', 'mode'],
  ['set_auto_compaction', 'enabled'],
  ['set_auto_retry', 'enabled'],
  ['bash', 'command'],
  ['switch_session', 'sessionPath'],
  ['fork', 'entryId'],
  ['set_session_name', 'name'],
];
/** Commands, each with an optional field. */
const optional: readonly (readonly [string, string])[] = [
  ['compact', 'customInstructions'],
  ['new_session', 'parentSession'],
  ['export_html', 'outputPath'],
];
const nameOf = (type: string) => `${type.replaceAll('_', '-')}-fields`;

/** Unusual lines that clients must survive. */
const strange = ['events', 'fields', 'responses', 'methods', 'separators', 'long-lines'];

const fieldMutants: readonly Mutant[] = [
  ...needed.map(([type, field]): Mutant => {
    const make = changesSent(type, (frame) => without(frame, field));
    return { fault: `sends ${type} without ${field}`, caughtBy: [nameOf(type)], make };
  }),
  ...optional.map(([type, field]): Mutant => {
    const make = changesSent(type, (frame) => ({ ...frame, [field]: 7 }));
    return { fault: `sends ${type} with a number as ${field}`, caughtBy: [nameOf(type)], make };
  }),
];

const commandMutants: readonly Mutant[] = [
  { fault: 'says what is no JSON', caughtBy: ['json-lines'], make: sendsGarbage('hello') },
  {
    fault: 'does not escape separators',
    caughtBy: ['separators-escaped'],
    make: changesSent('prompt', (frame) => ({ ...frame, message: `${String(frame.message)}\u2028` })),
  },
  {
    fault: 'asks for the weather',
    caughtBy: ['known-commands'],
    make: sendsBefore('prompt', { type: 'get_weather', id: 'weather' }),
  },
  { fault: 'counts its commands', caughtBy: ['id-string'], make: sendsBefore('prompt', { type: 'get_state', id: 7 }) },
  {
    fault: 'gives two open commands one id',
    caughtBy: ['id-unique'],
    make: sendsBefore('prompt', { type: 'get_state', id: 'twice' }, { type: 'get_commands', id: 'twice' }),
  },
  {
    fault: 'prompts without a message',
    caughtBy: ['prompt-fields'],
    alsoCaughtBy: ['prompt-while-streaming'],
    make: sendsBefore('prompt', { type: 'prompt', id: 'empty' }),
  },
  {
    fault: 'steers in a way of its own',
    caughtBy: ['streaming-behavior'],
    make: changesSent('prompt', (frame) =>
      frame.streamingBehavior === undefined ? frame : { ...frame, streamingBehavior: 'now' },
    ),
  },
  {
    fault: 'does not say how a prompt is to join',
    caughtBy: ['prompt-while-streaming'],
    make: changesSent('prompt', (frame) => without(frame, 'streamingBehavior')),
  },
  {
    fault: 'sends a word for images',
    caughtBy: ['images-list'],
    make: changesSent('prompt', (frame) => ({ ...frame, images: 'none' })),
  },
  {
    fault: 'sends images that say they are texts',
    caughtBy: ['images-list'],
    make: images((image) => ({ ...image, type: 'text' })),
  },
  {
    fault: 'sends images as URLs',
    caughtBy: ['images-base64'],
    make: images((image) => ({ ...image, data: `data:image/png;base64,${String(image.data)}` })),
  },
  {
    fault: 'sends images of a kind that is not supported',
    caughtBy: ['images-mime-type'],
    make: images((image) => ({ ...image, mimeType: 'image/tiff' })),
  },
  {
    fault: 'asks for a level of its own',
    caughtBy: ['set-thinking-level-values'],
    make: changesSent('set_thinking_level', (frame) => ({ ...frame, level: 'bogus' })),
  },
  {
    fault: 'asks for a way of steering of its own',
    caughtBy: ['set-steering-mode-values'],
    make: changesSent('set_steering_mode', (frame) => ({ ...frame, mode: 'some' })),
  },
  {
    fault: 'asks for a way of following up of its own',
    caughtBy: ['set-follow-up-mode-values'],
    make: changesSent('set_follow_up_mode', (frame) => ({ ...frame, mode: 'some' })),
  },
];

const dialogMutants: readonly Mutant[] = [
  { fault: 'does not answer dialogs', caughtBy: ['dialog-answered'], make: omits(reply) },
  {
    fault: 'answers dialogs twice',
    caughtBy: ['dialog-once'],
    make: () => ({ out: (frame) => (frame.type === reply ? [frame, frame] : [frame]) }),
  },
  {
    fault: 'answers what nobody has asked',
    caughtBy: ['dialog-known'],
    alsoCaughtBy: ['dialog-answered'],
    make: replies((frame) => ({ ...frame, id: 'nobody' })),
  },
  ...['select', 'input', 'editor'].map((method): Mutant => {
    const others = ['select', 'input', 'editor'].filter((one) => one !== method);
    return {
      fault: `answers ${method} with a number`,
      caughtBy: [`${method}-answer`],
      alsoCaughtBy: others.map((one) => `${one}-answer`),
      make: replied('value', 7),
    };
  }),
  { fault: 'answers confirm with a word', caughtBy: ['confirm-answer'], make: replied('confirmed', 'yes') },
  {
    fault: 'cancels with false',
    caughtBy: ['cancelled-true'],
    make: replies(({ type, id }) => ({ type, id, cancelled: false })),
  },
  {
    fault: 'selects what is no option',
    caughtBy: ['select-option'],
    make: replied('value', 'violet'),
  },
  {
    fault: 'answers what only informs',
    caughtBy: ['informs-unanswered'],
    make: () => ({
      in(frame, link) {
        if (frame.method === 'notify') link.toClient({ type: reply, id: frame.id, value: 'thank you' });
        return [frame];
      },
    }),
  },
  {
    fault: 'answers when the time is over',
    caughtBy: ['dialog-in-time'],
    make: () => {
      const late = new Map<unknown, Dictionary>();
      return {
        out(frame, link) {
          if (frame.type !== reply || frame.confirmed !== undefined) return [frame];
          late.set(link, frame);
          return [];
        },
        in(frame, link) {
          const held = late.get(link);
          if (frame.type === 'agent_end' && held !== undefined) link.toClient(held);
          return [frame];
        },
      };
    },
  },
  ...strange.map((what): Mutant => {
    const alsoCaughtBy = strange.map((one) => `survives-${one}`);
    return {
      fault: `flees from strange ${what}`,
      caughtBy: [`survives-${what}`],
      alsoCaughtBy,
      make: disconnectsOn(probe),
    };
  }),
];

export const piClientMutants: readonly Mutant[] = [...commandMutants, ...fieldMutants, ...dialogMutants];
