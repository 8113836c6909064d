// The shapes of what clients of pi-servers say: docs/protocols/pi-server.md 4, 13, 17 and 18.2.

import { fields, type PatternShape, type Shape } from '../../check/shape.ts';
import { type Places, shapeRules } from '../../check/shape-rows.ts';
import { isKnown, serverCommands, sessionCommandTypes } from '../view/commands.ts';
import type { View } from '../view/view.ts';

const text: PatternShape = { text: /\S/u, is: 'a text with words', like: 'some text' };
const name: PatternShape = { text: /./su, is: 'a text that is not empty', like: 'some text' };

/** The fields of each command beside its session (docs/protocols/pi-server.md 17.1, 17.2, 18.2, 22.3). */
const needed: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  create_session: { 'sessionId?': 'string', 'cwd?': 'string' },
  delete_session: { sessionId: 'string' },
  switch_session: { sessionId: 'string' },
  load_session: { sessionPath: 'string' },
  prompt: { message: 'string' },
  steer: { message: 'string' },
  follow_up: { message: 'string' },
  set_model: { provider: 'string', modelId: 'string' },
  set_thinking_level: { level: 'string' },
  set_session_name: { name: 'string' },
  set_auto_compaction: { enabled: 'boolean' },
  set_auto_retry: { enabled: 'boolean' },
  bash: { command: 'string' },
  switch_session_file: { sessionPath: 'string' },
  fork: { entryId: 'string' },
  extension_ui_response: { requestId: 'string' },
};

/** A command that the document has. */
export const commandShape: Shape = {
  by: 'type',
  variants: Object.fromEntries([
    ...[...serverCommands].map((type) => [String(type), fields(needed[String(type)] ?? {})] as const),
    ...[...sessionCommandTypes, 'extension_ui_response'].map(
      (type) => [String(type), fields({ sessionId: text, ...needed[String(type)] })] as const,
    ),
  ]),
};

const places = {
  command: ({ sent }) => sent.map(({ frame, json }) => ({ frame, value: json, as: 'command' })),
  'command that is known': ({ sent }) =>
    sent
      .filter(({ json }) => isKnown(json.type))
      .map(({ frame, json }) => ({ frame, value: json, as: String(json.type) })),
  'command but an answer': ({ sent }) =>
    sent
      .filter(({ json }) => json.type !== 'extension_ui_response')
      .map(({ frame, json }) => ({ frame, value: json, as: 'command' })),
  'command:extension_ui_response': ({ sent }) =>
    sent
      .filter(({ json }) => json.type === 'extension_ui_response')
      .map(({ frame, json }) => ({ frame, value: json, as: 'command' })),
} satisfies Places<View, string>;

const anything = ['text', 'tool', 'questions'];

/** Rules on the shapes of clients' messages. */
export const shapeRulesOfClients = shapeRules('pi-server/client', places, {
  'command-type': {
    section: '4',
    sentence: 'Every command has a type.',
    covers: [],
    scenarios: anything,
    shapes: { command: fields({ type: name }) },
  },
  'command-fields': {
    section: '17.2',
    sentence: 'A command of a session names it, and every command has the fields that it needs.',
    covers: [],
    scenarios: anything,
    shapes: { 'command that is known': commandShape },
  },
  'id-present': {
    section: '13',
    level: 'MAY',
    sentence: 'A command has an id, by which its response is known; an answer to an extension needs none.',
    covers: [],
    scenarios: anything,
    shapes: { 'command but an answer': fields({ id: 'any' }) },
  },
  'answer-shape': {
    section: '18.2',
    sentence: 'An answer has a method, and what its method needs.',
    covers: ['command:extension_ui_response', 'dialog:cancelled'],
    scenarios: ['questions', 'newer'],
    shapes: {
      'command:extension_ui_response': fields({
        response: {
          // Newer servers may know more methods.
          by: 'method',
          variants: {
            select: fields({ value: 'string' }),
            confirm: fields({ confirmed: 'boolean' }),
            input: fields({ value: 'string' }),
            editor: fields({ value: 'string' }),
            interview: fields({ responses: 'object' }),
          },
        },
      }),
    },
  },
});
