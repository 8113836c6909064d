// The shapes of what pi-servers say: docs/protocols/pi-server.md 2 to 19.

import { fields, type PatternShape, type Shape } from '../../check/shape.ts';
import { type Places, type Reader, readersOf, type ShapeRow, shapeRules } from '../../check/shape-rows.ts';
import { serverCommands, sessionCommandTypes } from '../view/commands.ts';
import type { Line } from '../view/frames.ts';
import type { View } from '../view/view.ts';
import { serverAnswers, sessionAnswers, sessionInfo } from './answers.ts';

const line =
  (as: string) =>
  ({ frame, json }: Line) => ({ frame, value: json, as });
const told =
  (type: string): Reader<View> =>
  ({ fromServer }) =>
    fromServer.filter(({ json }) => json.type === type).map(line(type));
const responses =
  (fits: (json: Line['json']) => boolean): Reader<View> =>
  (view) =>
    view.responses.filter(({ json }) => fits(json)).map(line('response'));

const opened = fields({ sessionId: 'string', sessionInfo });
/** The data of successful answers, by command. */
const answers: readonly (readonly [type: string, data: Shape])[] = [
  ...[...serverAnswers, ...sessionAnswers].flatMap(({ type, data }) =>
    data === undefined ? [] : [[type, data] as const],
  ),
  ['create_session', opened],
  ['load_session', opened],
  ['switch_session', fields({ sessionInfo })],
  ['delete_session', fields({ deleted: 'boolean' })],
  ['fork', fields({ cancelled: 'boolean' })],
];

const steps = ['command_accepted', 'command_started', 'command_finished'] as const;
const places = {
  ...readersOf('event:', [...steps, 'server_ready', 'server_shutdown', 'event'], told),
  ...readersOf(
    'session:',
    ['agent_end', 'extension_ui_request'],
    (type) =>
      ({ events }) =>
        events
          .filter(({ event }) => event.type === type)
          .map(({ frame, event }) => ({ frame, value: event, as: type })),
  ),
  'event:command_finished with success': ({ lifecycleSteps }) =>
    lifecycleSteps
      .filter(({ phase, data }) => phase === 'finished' && data.success === true)
      .map(line('command_finished')),
  'event:command_finished without success': ({ lifecycleSteps }) =>
    lifecycleSteps
      .filter(({ phase, data }) => phase === 'finished' && data.success !== true)
      .map(line('command_finished')),
  message: ({ fromServer }) => fromServer.map(line('message')),
  'message:response': responses(() => true),
  success: responses(({ success }) => success === true),
  'no success': responses(({ success }) => success !== true),
  failure: responses(({ success }) => success === false),
  ...readersOf(
    'success of ',
    answers.map(([type]) => type),
    (type) => responses(({ command, success }) => command === type && success === true),
  ),
} satisfies Places<View, string>;

/** The rows of answers whose command is one of the server, or one of a session. */
const dataOf = (isOfServer: boolean): Readonly<Record<string, Shape>> =>
  Object.fromEntries(
    answers
      .filter(([type]) => serverCommands.has(type) === isOfServer)
      .map(([type, data]) => [`success of ${type}`, fields({ data })]),
  );

const semantic: PatternShape = { text: /^\d+\.\d+\.\d+(?:[-+].*)?$/u, is: 'MAJOR.MINOR.PATCH', like: '1.0.0' };
const name: PatternShape = { text: /./su, is: 'a text that is not empty', like: 'some text' };
const named = fields({ data: fields({ commandId: name, commandType: name }) });
const dependent = fields({ data: fields({ dependsOn: [name] }) });
const everywhere = ['errands', 'session', 'prompt'];
const ofResponse = { covers: ['message:response'], scenarios: everywhere };
const runs = ['prompt', 'tool', 'retry', 'compaction'];
const title = { requestId: 'string', title: 'string' } as const;

const frameRows: Readonly<Record<string, ShapeRow<keyof typeof places>>> = {
  'ready-data': {
    section: '16.1',
    sentence: 'server_ready tells the versions of server and protocol, and the transports.',
    scenarios: everywhere,
    shapes: {
      'event:server_ready': fields({
        data: fields({ serverVersion: 'string', protocolVersion: 'string', transports: ['string'] }),
      }),
    },
  },
  'ready-version': {
    section: '2.1',
    sentence: 'The version of the protocol is MAJOR.MINOR.PATCH.',
    scenarios: everywhere,
    shapes: { 'event:server_ready': fields({ data: fields({ protocolVersion: semantic }) }) },
  },
  'frame-type': {
    section: '6',
    sentence: 'Every frame says of which kind it is.',
    covers: [],
    scenarios: everywhere,
    shapes: { message: fields({ type: 'string' }) },
  },
  'response-shape': {
    ...ofResponse,
    section: '5',
    sentence: 'A response names its command and says whether it succeeded.',
    shapes: { 'message:response': fields({ command: 'string', success: 'boolean' }) },
  },
  'response-optional': {
    ...ofResponse,
    section: '5',
    sentence:
      'What a response may have besides is as it should be: sessionVersion counts, replayed and timedOut are true.',
    shapes: {
      'message:response': fields({ 'sessionVersion?': { from: 0 }, 'replayed?': 'true', 'timedOut?': 'true' }),
    },
  },
  'response-error': {
    ...ofResponse,
    section: '12',
    sentence: 'A failure has an error to read; a success has none.',
    shapes: { success: fields({ 'error?': 'nothing' }), 'no success': fields({ error: name }) },
  },
  'failure-bare': {
    ...ofResponse,
    section: '12',
    isMeasured: true,
    sentence: 'A failure has neither data nor a sessionVersion.',
    shapes: { failure: fields({ 'data?': 'nothing', 'sessionVersion?': 'nothing' }) },
  },
  'lifecycle-names': {
    section: '6.2',
    sentence: 'Each step of a command names it and its type.',
    scenarios: everywhere,
    shapes: { 'event:command_accepted': named, 'event:command_started': named, 'event:command_finished': named },
  },
  'lifecycle-depends-on': {
    section: '6.2',
    isMeasured: true,
    sentence: 'Each step of a command says what it depends on, if only that it is nothing.',
    scenarios: everywhere,
    shapes: {
      'event:command_accepted': dependent,
      'event:command_started': dependent,
      'event:command_finished': dependent,
    },
  },
  'finished-outcome': {
    section: '6.2',
    sentence: 'command_finished says whether it succeeded, and why not.',
    covers: ['event:command_finished'],
    scenarios: everywhere,
    shapes: {
      'event:command_finished with success': fields({ data: fields({ 'error?': 'nothing' }) }),
      'event:command_finished without success': fields({ data: fields({ success: 'boolean', error: name }) }),
    },
  },
};

/** Rules on the shapes of servers' messages. */
export const shapeRulesOfServers = shapeRules('pi-server', places, {
  ...frameRows,
  'event-envelope': {
    section: '19',
    sentence: 'What a session says names the session, and the kind of event.',
    scenarios: runs,
    shapes: { 'event:event': fields({ sessionId: 'string', event: fields({ type: 'string' }) }) },
  },
  'run-messages': {
    section: '19.1',
    sentence: 'The end of a run includes its messages.',
    scenarios: runs,
    shapes: { 'session:agent_end': fields({ messages: [fields({ role: 'string' })] }) },
  },
  'question-shape': {
    section: '18.1',
    sentence: 'A request of an extension has an id and a method; a question has what its kind needs.',
    scenarios: ['question'],
    shapes: {
      'session:extension_ui_request': {
        by: 'method',
        variants: {
          select: fields({ ...title, options: ['string'] }),
          confirm: fields({ ...title, message: 'string' }),
          input: fields(title),
          editor: fields(title),
        },
        others: fields({ requestId: 'string' }),
      },
    },
  },
  'shutdown-data': {
    section: '16.2',
    sentence: 'server_shutdown says why, and how long what goes on may go on.',
    scenarios: ['farewell', 'errands'],
    shapes: { 'event:server_shutdown': fields({ data: fields({ reason: 'string', timeoutMs: 'number' }) }) },
  },
  'server-data': {
    section: '17.1',
    sentence: 'A command of the server answers with the data that is its own.',
    covers: [...serverCommands].map((type) => `command:${String(type)}`),
    scenarios: ['errands', 'session'],
    shapes: dataOf(true),
  },
  'session-data': {
    section: '17.2',
    sentence: 'A command of a session answers with the data that is its own.',
    covers: [...sessionCommandTypes].map((type) => `command:${String(type)}`),
    scenarios: ['session', 'prompt'],
    shapes: dataOf(false),
  },
});
