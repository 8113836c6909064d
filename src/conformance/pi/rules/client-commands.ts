// Rules on the commands that clients of pi send: lines, types, ids and fields (docs/protocols/pi.md 3.1, 4).
import { isDictionary } from '../../../core/model/dictionary.ts';
import { base64Fault } from '../../check/base64.ts';
import type { Finding } from '../../check/rule.ts';
import { modes } from '../shapes/parts.ts';
import { type ClientRows, type ClientView, knownCommands } from '../view/client-view.ts';
import { isPlain } from '../view/queued-messages.ts';
import { runAt } from '../view/view.ts';

/** The behaviour during which our own client sends all its commands. */
const busy = ['busy'];
const anything = ['text'];

/** A rule on a field with a fixed set of values. */
function oneOf(type: string, field: string, values: readonly string[]): ClientRows[string] {
  return {
    section: type,
    sentence: `The \`${field}\` of ${type} is one of ${values.join(', ')}.`,
    covers: [`command:${type}`],
    scenarios: anything,
    reads: 'both',
    *judge(view) {
      for (const { frame, json, answers } of view.commandsOf(type)) {
        const value = json[field];
        if (typeof value !== 'string') continue;
        // Newer versions may accept more values; the agent's answer decides.
        const isFine = values.includes(value) || answers[0]?.json.success !== false;
        yield { frame, wrong: isFine ? null : `it is ${value}` };
      }
    },
  };
}

interface Imaged {
  readonly frame: number;
  readonly image: unknown;
}
function* imagesIn(view: ClientView): Generator<Imaged> {
  for (const { frame, json } of view.commandsOf('prompt', 'steer', 'follow_up'))
    if (Array.isArray(json.images)) for (const image of json.images.values()) yield { frame, image };
}

/** Whether a prompted run was open. A run that begins by itself may cross the client's line. */
function isHeardOf(view: ClientView, frame: number): boolean {
  const run = runAt(view, frame);
  if (run === undefined) return false;
  const before = view.runs.findLast(({ start }) => start < run.start)?.start ?? -1;
  return view.commandsOf('prompt').some((one) => {
    return one.frame > before && one.frame < run.start && one.answers[0]?.json.success !== false;
  });
}

/** Rules on lines and ids. */
const lineRows: ClientRows = {
  'json-lines': {
    section: 'Core Protocol',
    sentence: 'Each line of the client is one JSON object.',
    covers: [],
    scenarios: anything,
    *judge({ frames }): Generator<Finding> {
      for (const [frame, { by, json, text }] of frames.entries()) {
        if (by === 'client') yield { frame, wrong: isDictionary(json) ? null : `no JSON object: ${text.slice(0, 80)}` };
      }
    },
  },
  'separators-escaped': {
    isMeasured: true,
    section: 'Core Protocol',
    sentence: 'U+2028 and U+2029 are escaped, for agents whose reader takes them for ends of lines.',
    covers: [],
    scenarios: anything,
    *judge({ frames }): Generator<Finding> {
      for (const [frame, { by, text }] of frames.entries()) {
        if (by === 'client')
          yield { frame, wrong: /[\u2028\u2029]/u.test(text) ? 'one of them stands as it is' : null };
      }
    },
  },
  'known-commands': {
    section: 'Core Protocol',
    sentence: 'Each line has a `type`, which is a command or `extension_ui_response`.',
    covers: [],
    scenarios: anything,
    *judge(view) {
      for (const { frame, type, json, answers } of view.commands) {
        if (json === null) continue;
        if (type === null) yield { frame, wrong: `the type is ${JSON.stringify(json.type)}` };
        else if (knownCommands.includes(type) || answers[0]?.isSuccess === true) yield { frame, wrong: null };
        // Newer versions have commands that are not in these lists; the agent's answer decides.
        else if (/unknown/iu.test(String(answers[0]?.json.error)))
          yield { frame, wrong: `the agent knows no ${JSON.stringify(type)}` };
      }
    },
  },
  'id-unique': {
    reads: 'both',
    section: 'Core Protocol',
    sentence: 'No two commands that are open at the same time have the same `id`.',
    covers: [],
    scenarios: anything,
    *judge(view) {
      const commands = view.commandsOf(...knownCommands).filter(({ json }) => json.id !== undefined);
      for (const [at, { frame, json }] of commands.entries()) {
        // All answers to one id are assigned to its first command, so there must be as many as commands before this
        // one.
        const before = commands.slice(0, at).filter((one) => one.json.id === json.id).length;
        const answered = view.answers.filter((answer) => answer.frame < frame && answer.json.id === json.id).length;
        yield { frame, wrong: answered >= before ? null : `${JSON.stringify(json.id)} waits for its answer` };
      }
    },
  },
};

/** Rules on prompt, steer and follow_up. */
const messageRows: ClientRows = {
  'streaming-behavior': {
    reads: 'both',
    section: 'Streaming Behavior',
    sentence: 'The `streamingBehavior` of a prompt is `steer` or `followUp`.',
    covers: ['command:prompt'],
    scenarios: busy,
    *judge(view) {
      for (const { frame, json, answers } of view.commandsOf('prompt')) {
        const { streamingBehavior: how } = json;
        if (how === undefined || how === null) continue;
        // Newer versions may know more modes.
        const isNewer = typeof how === 'string' && answers[0]?.json.success !== false;
        const isFine = how === 'steer' || how === 'followUp' || isNewer;
        yield { frame, wrong: isFine ? null : `it is ${JSON.stringify(how)}` };
      }
    },
  },
  'prompt-while-streaming': {
    reads: 'both',
    section: 'Streaming Behavior',
    sentence: 'A prompt that comes during a run says how it is to be delivered.',
    covers: ['command:prompt'],
    scenarios: ['busy', 'text'],
    *judge(view) {
      for (const { frame, json, answers } of view.commandsOf('prompt')) {
        // A text that begins with a slash is for extensions, which run independently.
        if (!isPlain(json.message)) continue;
        const hasBehavior = json.streamingBehavior !== undefined && json.streamingBehavior !== null;
        const isRefused = answers[0]?.json.success === false && isHeardOf(view, frame);
        yield { frame, wrong: isRefused && !hasBehavior ? 'a run is open, and there is no streamingBehavior' : null };
      }
    },
  },
  'images-base64': {
    section: 'Image Support',
    sentence: 'The `data` of an image is base64.',
    covers: ['command:prompt'],
    scenarios: anything,
    *judge(view) {
      for (const { frame, image } of imagesIn(view)) {
        const { data } = isDictionary(image) ? image : {};
        if (typeof data === 'string') yield { frame, wrong: base64Fault(data) };
      }
    },
  },
};

/** Rules on modes. */
const modeRows: ClientRows = {
  'set-steering-mode-values': oneOf('set_steering_mode', 'mode', modes),
  'set-follow-up-mode-values': oneOf('set_follow_up_mode', 'mode', modes),
};

/** All rules on commands. */
export const commandRows: ClientRows = { ...lineRows, ...messageRows, ...modeRows };
