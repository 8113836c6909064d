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

/** Unusual lines that clients must survive. */
const strange = ['events', 'fields', 'responses', 'methods', 'separators', 'long-lines'];

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
  {
    fault: 'gives two open commands one id',
    caughtBy: ['id-unique'],
    make: sendsBefore('prompt', { type: 'get_state', id: 'twice' }, { type: 'get_commands', id: 'twice' }),
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
    fault: 'sends images as URLs',
    caughtBy: ['images-base64'],
    make: images((image) => ({ ...image, data: `data:image/png;base64,${String(image.data)}` })),
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

export const piClientMutants: readonly Mutant[] = [...commandMutants, ...dialogMutants];
