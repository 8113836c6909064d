// Rules on the commands that clients of pi send: lines, types, ids and fields (docs/protocols/pi.md 3.1, 4).
import { isDictionary } from '../../../core/model/dictionary.ts';
import { base64Fault } from '../../check/base64.ts';
import { each, type Finding, type Rule } from '../../check/rule.ts';
import { fields, misfit, type Shape } from '../../check/shape.ts';
import type { ClientView } from '../view/client-view.ts';
import { isPlain } from '../view/queued-messages.ts';
import { runAt } from '../view/view.ts';

type ClientRule = Rule<ClientView>;

const must = { level: 'MUST', basis: 'specification' } as const;
const should = { level: 'SHOULD', basis: 'specification' } as const;
const measured = { level: 'SHOULD', basis: 'measured' } as const;

/** Commands of the document: docs/protocols/pi.md 4, 13. */
const documentCommands = [
  ...['prompt', 'steer', 'follow_up', 'abort', 'new_session', 'get_state', 'get_messages', 'set_model', 'cycle_model'],
  ...['get_available_models', 'set_thinking_level', 'cycle_thinking_level', 'set_steering_mode', 'set_follow_up_mode'],
  ...['compact', 'set_auto_compaction', 'set_auto_retry', 'abort_retry', 'bash', 'abort_bash', 'get_session_stats'],
  ...['export_html', 'switch_session', 'fork', 'get_fork_messages', 'get_last_assistant_text', 'set_session_name'],
  'get_commands',
];
/** Commands of newer versions (docs/protocols/pi.md 1.7). */
const newerCommands = ['clone', 'clear_queue', 'get_entries', 'get_tree', 'get_available_thinking_levels'];
const known = new Set([...documentCommands, ...newerCommands]);

const levels = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'];
const modes = ['all', 'one-at-a-time'];
const mimeTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** The behaviour during which our own client sends all its commands. */
const busy = ['busy'];
const anything = ['text'];

/** A rule on the fields of one command. */
function fieldsOf(type: string, sentence: string, shape: Shape, scenarios: readonly string[] = anything): ClientRule {
  return {
    ...must,
    id: `pi/client/${type.replaceAll('_', '-')}-fields`,
    section: type,
    sentence,
    covers: [`command:${type}`],
    scenarios,
    judge: (view) => each(view.commandsOf(type), ({ json }) => misfit(json, shape, type)),
  };
}

/** A rule on a field with a fixed set of values. */
function oneOf(type: string, field: string, values: readonly string[], section = type): ClientRule {
  return {
    ...must,
    id: `pi/client/${type.replaceAll('_', '-')}-values`,
    section,
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
const lineRules: readonly ClientRule[] = [
  {
    ...must,
    id: 'pi/client/json-lines',
    section: 'Core Protocol',
    sentence: 'Each line of the client is one JSON object.',
    scenarios: anything,
    *judge({ frames }): Generator<Finding> {
      for (const [frame, { by, json, text }] of frames.entries()) {
        if (by === 'client') yield { frame, wrong: isDictionary(json) ? null : `no JSON object: ${text.slice(0, 80)}` };
      }
    },
  },
  {
    ...measured,
    id: 'pi/client/separators-escaped',
    section: 'Core Protocol',
    sentence: 'U+2028 and U+2029 are escaped, for agents whose reader takes them for ends of lines.',
    scenarios: anything,
    *judge({ frames }): Generator<Finding> {
      for (const [frame, { by, text }] of frames.entries()) {
        if (by === 'client')
          yield { frame, wrong: /[\u2028\u2029]/u.test(text) ? 'one of them stands as it is' : null };
      }
    },
  },
  {
    ...must,
    id: 'pi/client/known-commands',
    section: 'Core Protocol',
    sentence: 'Each line has a `type`, which is a command or `extension_ui_response`.',
    scenarios: anything,
    *judge(view) {
      for (const { frame, type, json, answers } of view.commands) {
        if (json === null) continue;
        if (type === null) yield { frame, wrong: `the type is ${JSON.stringify(json.type)}` };
        else if (known.has(type) || answers[0]?.isSuccess === true) yield { frame, wrong: null };
        // Newer versions have commands that are not in these lists; the agent's answer decides.
        else if (/unknown/iu.test(String(answers[0]?.json.error)))
          yield { frame, wrong: `the agent knows no ${JSON.stringify(type)}` };
      }
    },
  },
  {
    ...must,
    id: 'pi/client/id-string',
    section: 'Core Protocol',
    sentence: 'The `id` of a command is a string, or not there.',
    scenarios: anything,
    judge: (view) =>
      each(view.commandsOf(...known), ({ json }) => misfit(json, fields({ 'id?': 'string' }), 'command')),
  },
  {
    ...must,
    id: 'pi/client/id-unique',
    reads: 'both',
    section: 'Core Protocol',
    sentence: 'No two commands that are open at the same time have the same `id`.',
    scenarios: anything,
    *judge(view) {
      const commands = view.commandsOf(...known).filter(({ json }) => json.id !== undefined);
      for (const [at, { frame, json }] of commands.entries()) {
        // All answers to one id are assigned to its first command, so there must be as many as commands before this
        // one.
        const before = commands.slice(0, at).filter((one) => one.json.id === json.id).length;
        const answered = view.answers.filter((answer) => answer.frame < frame && answer.json.id === json.id).length;
        yield { frame, wrong: answered >= before ? null : `${JSON.stringify(json.id)} waits for its answer` };
      }
    },
  },
];

/** Rules on prompt, steer and follow_up. */
const messageRules: readonly ClientRule[] = [
  fieldsOf('prompt', 'A prompt has a message, which is a string.', fields({ message: 'string' })),
  fieldsOf('steer', 'steer has a message, which is a string.', fields({ message: 'string' }), busy),
  fieldsOf('follow_up', 'follow_up has a message, which is a string.', fields({ message: 'string' }), busy),
  {
    ...must,
    id: 'pi/client/streaming-behavior',
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
  {
    ...must,
    id: 'pi/client/prompt-while-streaming',
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
  {
    ...must,
    id: 'pi/client/images-list',
    section: 'Image Support',
    sentence: 'The `images` of a prompt are a list of objects of type `image`, with `data` and `mimeType`.',
    covers: ['command:prompt', 'command:steer', 'command:follow_up'],
    scenarios: anything,
    *judge(view) {
      const image = fields({ type: 'string', data: 'string', mimeType: 'string' });
      for (const { frame, json } of view.commandsOf('prompt', 'steer', 'follow_up')) {
        if (json.images === undefined || json.images === null) continue;
        const other = [...imagesIn(view)].find((one) => one.frame === frame && Object(one.image).type !== 'image');
        const wrong = misfit(json.images, [image], 'images') ?? (other === undefined ? null : 'one is no image');
        yield { frame, wrong };
      }
    },
  },
  {
    ...must,
    id: 'pi/client/images-base64',
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
  {
    // Newer versions may accept more.
    ...should,
    id: 'pi/client/images-mime-type',
    level: 'MAY',
    section: 'Image Support',
    sentence: 'The `mimeType` of an image is one of the four that are supported.',
    covers: ['command:prompt'],
    scenarios: anything,
    *judge(view) {
      for (const { frame, image } of imagesIn(view)) {
        const { mimeType } = isDictionary(image) ? image : {};
        if (typeof mimeType === 'string')
          yield { frame, wrong: mimeTypes.includes(mimeType) ? null : `it is ${mimeType}` };
      }
    },
  },
];

/** Rules on all other commands. */
const fieldRules: readonly ClientRule[] = [
  fieldsOf('set_model', 'set_model names a provider and a model.', fields({ provider: 'string', modelId: 'string' })),
  fieldsOf('set_thinking_level', 'set_thinking_level has a level.', fields({ level: 'string' })),
  {
    ...oneOf('set_thinking_level', 'level', levels),
    level: 'MAY',
    // An agent replaces an unknown level without an error (docs/protocols/pi.md 4.11).
    judge: (view) =>
      each(view.commandsOf('set_thinking_level'), ({ json: { level } }) =>
        typeof level !== 'string' || levels.includes(level) ? null : `it is ${level}`,
      ),
  },
  fieldsOf('set_steering_mode', 'set_steering_mode has a mode.', fields({ mode: 'string' })),
  oneOf('set_steering_mode', 'mode', modes),
  fieldsOf('set_follow_up_mode', 'set_follow_up_mode has a mode.', fields({ mode: 'string' })),
  oneOf('set_follow_up_mode', 'mode', modes),
  fieldsOf('set_auto_compaction', 'set_auto_compaction says on or off.', fields({ enabled: 'boolean' })),
  fieldsOf('set_auto_retry', 'set_auto_retry says on or off.', fields({ enabled: 'boolean' })),
  fieldsOf('compact', 'The `customInstructions` of compact are a string.', fields({ 'customInstructions?': 'string' })),
  fieldsOf('bash', 'bash has a command.', fields({ command: 'string' })),
  fieldsOf('new_session', 'The `parentSession` of new_session is a path.', fields({ 'parentSession?': 'string' })),
  fieldsOf('switch_session', 'switch_session has a path.', fields({ sessionPath: 'string' })),
  fieldsOf('fork', 'fork names an entry.', fields({ entryId: 'string' })),
  fieldsOf('export_html', 'The `outputPath` of export_html is a path.', fields({ 'outputPath?': 'string' })),
  fieldsOf('set_session_name', 'set_session_name has a name.', fields({ name: 'string' })),
];

/** All rules on commands. */
export const commandRules: readonly ClientRule[] = [...lineRules, ...messageRules, ...fieldRules];
