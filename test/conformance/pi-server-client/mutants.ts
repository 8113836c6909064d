// Broken clients of a pi-server, each made from our own backend.
import type { Dictionary } from '../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import type { Interceptor, Link } from '../support/intercept.ts';
import { changesOutput, dropsOutput, type Mutant } from '../support/mutant.ts';

const eventOf = (frame: Dictionary) => (frame.type === 'event' ? dictionaryOf(frame.event) : {});
const isPrompt = ({ type }: Dictionary) => type === 'prompt';

/** Sends more before its prompt. */
const besides = (more: (prompt: Dictionary) => readonly Dictionary[]) => (): Interceptor => ({
  out: (frame) => (isPrompt(frame) ? [...more(frame), frame] : [frame]),
});

/** Sends something on a matching frame of the server; `prompt` is the client's prompt. */
const onHearing =
  (fits: (frame: Dictionary) => boolean, say: (heard: Dictionary, prompt: Dictionary) => Dictionary) =>
  (): Interceptor => {
    const prompts = new Map<Link, Dictionary>();
    return {
      out(frame, link) {
        if (isPrompt(frame)) prompts.set(link, frame);
        return [frame];
      },
      in(frame, link) {
        if (fits(frame)) queueMicrotask(() => link.toClient(say(frame, prompts.get(link) ?? {})));
        return [frame];
      },
    };
  };

/** Changes answers of this method. */
const answers = (method: string, change: (command: Dictionary, response: Dictionary) => Dictionary) =>
  changesOutput((frame) => {
    const response = dictionaryOf(frame.response);
    return frame.type === 'extension_ui_response' && response.method === method ? change(frame, response) : frame;
  });

/** Receives nothing more from a matching frame on. */
const deafFrom = (fits: (frame: Dictionary) => boolean) => (): Interceptor => {
  const deaf = new Set<Link>();
  return {
    in(frame, link) {
      if (fits(frame)) deaf.add(link);
      return deaf.has(link) ? [] : [frame];
    },
  };
};

const isAnswerTo = (command: string) => (frame: Dictionary) => frame.type === 'response' && frame.command === command;

/** All mutants. */
export const clientMutants: readonly Mutant[] = [
  {
    fault: 'it sends a list',
    caughtBy: ['frame-object'],
    make: () => ({
      out(frame, link) {
        if (isPrompt(frame)) link.say('[]');
        return [frame];
      },
    }),
  },
  {
    fault: 'a command that nobody knows',
    caughtBy: ['known-command'],
    make: besides(() => [{ id: 'weather', type: 'get_weather' }]),
  },
  {
    fault: 'an empty idempotencyKey',
    caughtBy: ['envelope'],
    make: besides(() => [{ id: 'empty', type: 'list_sessions', idempotencyKey: '' }]),
  },
  {
    fault: 'two commands under one id',
    caughtBy: ['id-unique'],
    make: besides(() => ['list_sessions', 'health_check'].map((type) => ({ id: 'same', type }))),
  },
  {
    fault: 'a command is sent again without a key',
    caughtBy: ['retry-key'],
    make: besides(() => ['again', 'again'].map((id) => ({ id, type: 'list_sessions' }))),
  },
  {
    fault: 'a command depends on nothing that there is',
    caughtBy: ['depends-on-known'],
    make: besides(() => [{ id: 'behind', type: 'list_sessions', dependsOn: ['nobody'] }]),
  },
  {
    fault: 'a version that nobody told of',
    caughtBy: ['version-told'],
    make: () => ({
      out: (frame) => (frame.type === 'abort' ? [{ ...frame, ifSessionVersion: 77 }] : [frame]),
    }),
  },
  {
    fault: 'a name is given whatever another client did',
    caughtBy: ['version-asked'],
    make: onHearing(
      (frame) =>
        frame.type === 'command_finished' &&
        /^someone/u.test(String(dictionaryOf(frame.data).commandId)) &&
        dictionaryOf(frame.data).commandType === 'set_session_name',
      (_frame, { sessionId }) => ({ id: 'name', type: 'set_session_name', sessionId, name: 'mine' }),
    ),
  },
  {
    fault: 'it asks a session that it has deleted',
    caughtBy: ['session-there'],
    make: () => ({
      out: (frame) =>
        frame.type === 'switch_session'
          ? [...['create_session', 'delete_session'].map((type) => ({ id: type, type, sessionId: 'gone' })), frame]
          : [frame],
      in(frame, link) {
        const isGone = frame.type === 'session_deleted' && dictionaryOf(frame.data).sessionId === 'gone';
        if (isGone) queueMicrotask(() => link.toClient({ id: 'late', type: 'get_state', sessionId: 'gone' }));
        return [frame];
      },
    }),
  },
  {
    fault: 'what timed out is sent again as it was',
    caughtBy: ['timeout-terminal'],
    alsoCaughtBy: ['retry-key'],
    make: onHearing(isAnswerTo('prompt'), (_response, prompt) => prompt),
  },
  {
    fault: 'what is in conflict is sent again as it was',
    caughtBy: ['conflict-heeded'],
    alsoCaughtBy: ['retry-key'],
    make: onHearing(isAnswerTo('prompt'), (_response, prompt) => prompt),
  },
  {
    fault: 'what has succeeded is sent again',
    caughtBy: ['success-final'],
    alsoCaughtBy: ['retry-key'],
    make: onHearing(isAnswerTo('prompt'), (_response, prompt) => prompt),
  },
  {
    fault: 'it goes silent when it hears something new',
    caughtBy: ['unknown-ignored'],
    alsoCaughtBy: ['question-answered'],
    make: deafFrom(({ type }) => type === 'weather_report'),
  },
  {
    fault: 'it asks a server that goes for more',
    caughtBy: ['shutdown-heeded'],
    make: onHearing(
      (frame) => eventOf(frame).type === 'agent_end',
      () => ({ id: 'more', type: 'list_sessions' }),
    ),
  },
  {
    fault: 'it takes an id of somebody else',
    caughtBy: ['others-left-alone'],
    alsoCaughtBy: ['retry-key'],
    make: onHearing(
      (frame) => frame.type === 'command_started' && /^someone/u.test(String(dictionaryOf(frame.data).commandId)),
      (frame) => ({ id: dictionaryOf(frame.data).commandId, type: 'list_sessions' }),
    ),
  },
  {
    fault: 'it never answers a question',
    caughtBy: ['question-answered'],
    alsoCaughtBy: ['unknown-ignored'],
    make: dropsOutput(
      ({ type, response }) => type === 'extension_ui_response' && dictionaryOf(response).method === 'editor',
    ),
  },
  {
    fault: 'an answer is of another kind',
    caughtBy: ['answer-method'],
    make: answers('select', (command, response) => ({ ...command, response: { ...response, method: 'input' } })),
  },
  {
    fault: 'it chooses what was not offered',
    caughtBy: ['answer-option'],
    make: answers('select', (command, response) => ({ ...command, response: { ...response, value: 'Option Z' } })),
  },
  {
    fault: 'an answer goes to another session',
    caughtBy: ['answer-session'],
    make: answers('confirm', (command) => ({ ...command, sessionId: 'another' })),
  },
  {
    fault: 'a question is answered twice',
    caughtBy: ['answer-once'],
    make: () => ({
      out: (frame) =>
        frame.type === 'extension_ui_response' ? [frame, { ...frame, id: `${String(frame.id)}-again` }] : [frame],
    }),
  },
  {
    fault: 'it answers a notice',
    caughtBy: ['answer-asked'],
    make: onHearing(
      (frame) => eventOf(frame).method === 'notify',
      (frame) => ({
        id: 'thanks',
        type: 'extension_ui_response',
        sessionId: frame.sessionId,
        requestId: eventOf(frame).requestId,
        response: { method: 'cancelled' },
      }),
    ),
  },
];
