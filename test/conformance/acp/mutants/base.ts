// ACP agents that violate JSON-RPC, the begin of a connection, or sessions.
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import {
  alone,
  asking,
  behind,
  hangUp,
  having,
  isAnswer,
  lacking,
  notice,
  silentAt,
  unanswered,
} from '../../eca/mutants/changes.ts';
import { changesInput, changesOutput, dropsOutput } from '../../support/mutant.ts';
import {
  behindNew,
  deafBehind,
  diesAt,
  grants,
  is,
  isUpdate,
  type MutantRow,
  mutantsIn,
  nobodys,
  nobodysPlain,
  nowhere,
  refuses,
  results,
  told,
} from './changes.ts';

const asks = () => ({ jsonrpc: '2.0', id: 'twice', method: '_conformance/what', params: {} });
const chunk = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'hello' } };

const envelope: readonly MutantRow[] = [
  [
    'lines-json',
    'logs among the messages',
    () => ({
      out(frame, link) {
        if (isAnswer(frame)) link.say('starting …');
        return [frame];
      },
    }),
  ],
  [
    'message-shape',
    'messages without jsonrpc',
    changesOutput((frame) => (isUpdate('available_commands_update')(frame) ? lacking('jsonrpc')(frame) : frame)),
  ],
  [
    'result-or-error',
    'a result beside an error of null',
    changesOutput((frame) => ('result' in frame ? { ...frame, error: null } : frame)),
  ],
  ['request-id', 'requests under an id that is taken', behindNew(asks, asks)],
  [
    'answered-once',
    'requests are answered twice',
    behind(
      (frame) => isAnswer(frame) && 'result' in frame,
      (frame) => frame,
    ),
  ],
  ['answer-id', 'answers to nothing', behindNew(() => ({ jsonrpc: '2.0', id: 4711, result: {} }))],
  [
    'answered',
    'requests for a mode are not answered',
    unanswered('session/set_mode'),
    ['id-kinds', 'unknown-notification'],
  ],
  ['id-kinds', 'a negative id is not answered', silentAt(({ id }) => id === -1), ['answered']],
  ['broken-json', 'deaf behind a line that is not JSON', deafBehind('{'), ['answered']],
  [
    'broken-json-told',
    'lines that are not JSON are passed over',
    dropsOutput(({ id, error }) => id === null && error !== undefined),
  ],
  ['no-message', 'deaf behind a list', deafBehind('['), ['answered']],
  [
    'error-without-id',
    'what cannot be read is answered with a code of its own',
    changesOutput((frame) =>
      frame.id === null && 'error' in frame ? { ...frame, error: { code: 1, message: 'no' } } : frame,
    ),
    ['broken-json-told'],
  ],
  ['long-line', 'a megabyte is too much', diesAt((frame) => JSON.stringify(frame).length > 1e6)],
  [
    'unknown-fields',
    'fields that are not known are refused',
    refuses(
      is('session/prompt', ({ conformance }) => conformance !== undefined),
      -32_602,
    ),
    ['takes-text', 'takes-link'],
  ],
  ['unknown-method', 'methods that nobody has are answered with another error', refuses(is(nobodysPlain))],
  ['unknown-vendor-method', 'methods of vendors are answered with another error', refuses(is(nobodys))],
  [
    'unknown-notification',
    'notifications that nobody has are answered',
    () => ({
      in(frame, link) {
        if (String(frame.method).includes('conformance/') && frame.id === undefined)
          link.toClient({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'what?' } });
        return [frame];
      },
    }),
  ],
  ['own-methods', 'a notification of its own without an underscore', behindNew(() => notice('conformance/told', {}))],
];

const starts: readonly MutantRow[] = [
  ['initialize-answered', 'initialize fails', refuses(is('initialize')), ['unknown-fields']],
  [
    'version-same',
    'another version than that which was asked for',
    results(is('initialize'), having({ protocolVersion: 2 })),
  ],
  [
    'version-newest',
    'a version that nobody has is spoken',
    results(is('initialize'), having({ protocolVersion: 99 })),
    ['version-same'],
  ],
  [
    'auth-methods-shape',
    'a way to log in without an id',
    results(is('initialize'), having({ authMethods: [{ name: 'Log in' }] })),
  ],
  ['auth-unknown', 'every login succeeds', grants(is('authenticate'))],
  [
    'login-possible',
    'wants a login and offers none',
    refuses(is('session/new'), -32_000),
    ['new-session', 'unknown-fields', 'quiet-before-session'],
  ],
  [
    'before-initialize',
    'requests before initialize are not answered',
    alone(() => {
      let isGreeted = false;
      return {
        in(frame, link) {
          isGreeted ||= frame.method === 'initialize';
          return isGreeted ? [frame] : hangUp(link);
        },
      };
    }),
  ],
];

/** Refuses a method of a session, and what the list of own departures names besides. */
const sessions: readonly MutantRow[] = [
  [
    'session-id-new',
    'each session has the same id',
    asking((methodOf) => {
      let first: unknown;
      return {
        out(frame) {
          if (methodOf(frame) !== 'session/new') return [frame];
          first ??= dictionaryOf(frame.result).sessionId;
          return [{ ...frame, result: { ...dictionaryOf(frame.result), sessionId: first } }];
        },
      };
    }),
    ['two-sessions', 'quiet-before-session'],
  ],
  [
    'cwd-relative',
    'a relative folder is taken',
    changesInput((frame) =>
      is('session/new')(frame) ? { ...frame, params: { ...dictionaryOf(frame.params), cwd: process.cwd() } } : frame,
    ),
  ],
  [
    'bad-tool-server',
    'a tool server that is not there spoils the session',
    refuses(is('session/new', ({ mcpServers }) => Array.isArray(mcpServers) && mcpServers.length > 0)),
    ['quiet-before-session'],
  ],
  ['load-declared', 'load is declared and refused', refuses(is('session/load'))],
  ['load-user', 'what the user said is not told again', dropsOutput(isUpdate('user_message_chunk'))],
  [
    'load-agent',
    'what the agent said is not told again',
    alone(() => {
      let isLoading = false;
      return {
        in(frame) {
          isLoading = frame.method === 'session/load';
          return [frame];
        },
        out: (frame) => (isLoading && isUpdate('agent_message_chunk')(frame) ? [] : [frame]),
      };
    }),
  ],
  [
    'load-unknown',
    'sessions that there are not are loaded',
    grants(is('session/load', ({ sessionId }) => sessionId === nowhere)),
  ],
  ['resume-declared', 'resume is declared and refused', refuses(is('session/resume'))],
  [
    'resume-quiet',
    'the past is told at a resume',
    asking((methodOf, requestOf) => ({
      out: (frame) =>
        methodOf(frame) === 'session/resume'
          ? [told(dictionaryOf(requestOf(frame).params).sessionId, chunk), frame]
          : [frame],
    })),
    ['text-in-turn'],
  ],
  [
    'list-declared',
    'list is declared and refused',
    refuses(is('session/list', (params) => Object.keys(params).length === 0)),
  ],
  [
    'list-once',
    'a session comes twice',
    results(is('session/list'), (result) => ({ ...result, sessions: [result.sessions, result.sessions].flat() })),
  ],
  [
    'list-cwd',
    'sessions of other folders',
    results(
      is('session/list', ({ cwd }) => cwd !== undefined),
      having({ sessions: [{ sessionId: 'a', cwd: '/elsewhere' }] }),
    ),
  ],
  [
    'list-cursor',
    'any cursor is taken',
    grants(
      is('session/list', ({ cursor }) => cursor === nowhere),
      { sessions: [] },
    ),
  ],
  ['close-declared', 'close is declared and refused', refuses(is('session/close'))],
  [
    'close-cancels',
    'the prompt of a session that is closed is never answered',
    asking((methodOf) => {
      let closed = 0;
      return {
        out(frame, link) {
          if (methodOf(frame) === 'session/close') closed += 1;
          if (closed === 2) queueMicrotask(() => link.close());
          return methodOf(frame) === 'session/prompt' ? [] : [frame];
        },
      };
    }),
  ],
  [
    'delete-declared',
    'delete is declared and refused',
    refuses(is('session/delete', ({ sessionId }) => sessionId !== nowhere)),
    ['delete-unlists'],
  ],
  [
    'delete-unknown',
    'nothing to delete is an error',
    refuses(is('session/delete', ({ sessionId }) => sessionId === nowhere)),
    ['delete-unlists'],
  ],
  [
    'delete-unlists',
    'what is deleted is listed',
    asking((methodOf, requestOf) => {
      let gone: unknown;
      return {
        out(frame) {
          if (methodOf(frame) === 'session/delete') gone ??= dictionaryOf(requestOf(frame).params).sessionId;
          if (methodOf(frame) !== 'session/list') return [frame];
          return [{ ...frame, result: { sessions: [{ sessionId: gone, cwd: process.cwd() }] } }];
        },
      };
    }),
  ],
  [
    'two-sessions',
    'one session works at a time',
    alone(() => {
      let first: unknown;
      return {
        in(frame, link) {
          if (frame.method !== 'session/prompt') return [frame];
          const { sessionId } = dictionaryOf(frame.params);
          first ??= sessionId;
          return sessionId === first ? [frame] : hangUp(link);
        },
      };
    }),
  ],
  [
    'quiet-before-session',
    'speaks of a session before its id is known',
    asking((methodOf) => ({
      out: (frame) =>
        methodOf(frame) === 'session/new'
          ? [told(dictionaryOf(frame.result).sessionId, { sessionUpdate: 'session_info_update' }), frame]
          : [frame],
    })),
  ],
];

export const baseMutants = mutantsIn([...envelope, ...starts, ...sessions]);
