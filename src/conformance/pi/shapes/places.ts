// The places of pi's messages that have a shape, by the kind of message. `command:…` is what an agent answers to a command
// that succeeds, and in the places of clients the command itself.
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Place } from '../../check/rule.ts';
import { type Places, type Reader, readersOf } from '../../check/shape-rows.ts';
import { type ClientView, dialogMethods, knownCommands } from '../view/client-view.ts';
import { type MessageInLine, type PiView, succeeded } from '../view/view.ts';

/** Commands whose answers have data (docs/protocols/pi.md 5). */
const answeredWithData = [
  ...([
    'get_state',
    'get_messages',
    'set_model',
    'cycle_model',
    'get_available_models',
    'cycle_thinking_level',
  ] as const),
  ...(['compact', 'get_session_stats', 'export_html', 'new_session', 'switch_session', 'fork'] as const),
  ...(['get_fork_messages', 'get_last_assistant_text', 'get_commands', 'bash'] as const),
];
const events = [
  ...(['tool_execution_start', 'tool_execution_update', 'tool_execution_end', 'auto_compaction_start'] as const),
  ...(['compaction_start', 'auto_compaction_end', 'compaction_end', 'auto_retry_start', 'auto_retry_end'] as const),
  ...(['queue_update', 'bash_execution_update', 'extension_ui_request', 'extension_error'] as const),
];
const requestMethods = [
  ...(['select', 'confirm', 'input', 'editor', 'notify', 'setStatus', 'setWidget', 'setTitle'] as const),
  'set_editor_text',
] as const;

const event =
  (type: string): Reader<PiView> =>
  (view) =>
    view.of(type).map(({ frame, json }) => ({ frame, value: json, as: type }));

const data = (command: string): Reader<PiView> =>
  function* (view): Generator<Place> {
    for (const { answer } of succeeded(view, command))
      yield { frame: answer.frame, value: answer.json.data, as: 'data' };
  };

const messages =
  (fits: (one: MessageInLine) => boolean): Reader<PiView> =>
  ({ allMessages }) =>
    allMessages.filter(fits).map(({ frame, value }) => ({ frame, value, as: 'message' }));
const ofModel = ({ message }: MessageInLine): boolean => message.role === 'assistant';
/** A message that begins says of its end only that it has not come. */
const isWhole = (one: MessageInLine): boolean => ofModel(one) && one.place !== 'message_start';

/** What updates repeat of their message, if any of them does: in `message`, and in `partial` up to 0.83. */
function* soFar(view: PiView): Generator<Place> {
  const repeated = view.of('message_update').map(({ frame, json }) => {
    const { partial } = dictionaryOf(json.assistantMessageEvent);
    return { frame, message: json.message, partial };
  });
  if (repeated.every(({ message, partial }) => message === undefined && partial === undefined)) return;
  for (const { frame, message, partial } of repeated) {
    yield { frame, value: message, as: 'message' };
    yield { frame, value: partial, as: 'partial' };
  }
}

/** Of what agents say. */
export const agentPlaces = {
  line: ({ lines }) => lines.map(({ frame, json }) => ({ frame, value: json, as: 'line' })),
  response: ({ answers }) => answers.map(({ frame, json }) => ({ frame, value: json, as: 'response' })),
  failure: ({ answers }) =>
    answers
      .filter(({ json }) => json.success === false)
      .map(({ frame, json }) => ({ frame, value: json, as: 'response' })),
  ...readersOf('command:', answeredWithData, data),
  message: messages(() => true),
  'message of the user': messages(({ message }) => message.role === 'user'),
  'message of the model': messages(ofModel),
  'whole message of the model': messages((one) => isWhole(one) && typeof one.message.stopReason === 'string'),
  'failed message of the model': messages((one) => isWhole(one) && one.message.stopReason === 'error'),
  'message of a tool': messages(({ message }) => message.role === 'toolResult'),
  *block({ allMessages }) {
    for (const { frame, message } of allMessages)
      if (Array.isArray(message.content)) for (const value of message.content) yield { frame, value, as: 'block' };
  },
  *delta(view) {
    for (const { frame, json } of view.of('message_update')) {
      const value = dictionaryOf(json.assistantMessageEvent);
      if (String(value.type).endsWith('_delta')) yield { frame, value, as: 'assistantMessageEvent' };
    }
  },
  'message so far': soFar,
  ...readersOf('event:', events, event),
  ...readersOf(
    'ui:',
    requestMethods,
    (method) => (view) =>
      [...event('extension_ui_request')(view)].filter(({ value }) => dictionaryOf(value).method === method),
  ),
} satisfies Places<PiView, string>;

const commands = [
  ...(['prompt', 'steer', 'follow_up', 'set_model', 'set_thinking_level', 'set_steering_mode'] as const),
  ...(['set_follow_up_mode', 'set_auto_compaction', 'set_auto_retry', 'compact', 'bash', 'new_session'] as const),
  ...(['switch_session', 'fork', 'export_html', 'set_session_name'] as const),
];
const command =
  (...types: readonly string[]): Reader<ClientView> =>
  (view) =>
    view.commandsOf(...types).map(({ frame, type, json }) => ({ frame, value: json, as: String(type) }));
const withImages: Reader<ClientView> = (view) =>
  [...command('prompt', 'steer', 'follow_up')(view)].filter(
    ({ value }) => (dictionaryOf(value).images ?? null) !== null,
  );

/** Of what clients say. */
export const clientPlaces = {
  command: command(...knownCommands),
  ...readersOf('command:', commands, (type) => command(type)),
  'command with images': withImages,
  *image(view) {
    for (const { frame, value } of withImages(view)) {
      const { images } = dictionaryOf(value);
      if (!Array.isArray(images)) continue;
      for (const image of images) if (isDictionary(image)) yield { frame, value: image, as: 'image' };
    }
  },
  ...readersOf(
    'answer to ',
    dialogMethods,
    (method) =>
      function* ({ dialogs }): Generator<Place> {
        for (const dialog of dialogs)
          if (dialog.method === method)
            for (const { frame, json } of dialog.replies) yield { frame, value: json, as: 'answer' };
      },
  ),
} satisfies Places<ClientView, string>;
