// Mutants with wrong answers, questions, events, stored sessions and shutdown: docs/protocols/pi-server.md 16.2 to 22.
import { dictionaryOf, without } from '../../../../src/core/model/dictionary.ts';
import {
  changesInput,
  changesOutput,
  dataOf,
  dropsOutput,
  eventOf,
  isResponse,
  type Mutant,
  withData,
  withEvent,
} from './mutant.ts';

/** Commands on whose data nothing else depends. */
const answeredApart = [
  'get_available_models',
  'get_commands',
  'get_skills',
  'get_tools',
  'list_session_files',
  'export_html',
  'get_fork_messages',
  'get_session_stats',
  'get_last_assistant_text',
  'get_context_usage',
  'bash',
  'compact',
  'new_session',
  'cycle_model',
  'cycle_thinking_level',
];
const unanswered = ['set_session_name', 'set_thinking_level', 'set_auto_compaction', 'set_auto_retry', 'abort_retry'];
const row92 = (types: readonly string[]) => types.map((type) => `17.2-92:${type}`);
const inPrompt = ['18-97:select', '18-97:confirm', '18-97:input', '18-97:editor'];
const isEvent = (type: string) => (frame: Parameters<typeof eventOf>[0]) => eventOf(frame).type === type;

/** Sections 16.2 to 22. */
export const contentMutants: readonly Mutant[] = [
  {
    fault: 'a session that could not be made twice is gone, as in the real server',
    caughtBy: ['17.1-90'],
    make: () => ({
      out(frame, link) {
        const taken = /^Session (\S+) already exists/u.exec(String(frame.error))?.[1];
        if (taken === undefined || !isResponse(frame)) return [frame];
        link.toServer({ type: 'delete_session', sessionId: taken });
        return [frame];
      },
    }),
  },
  {
    fault: 'answers of the server have another shape',
    caughtBy: ['17.1-91:list_sessions', '17.1-91:get_metrics', '17.1-91:health_check', '17.1-91:list_stored_sessions'],
    alsoCaughtBy: ['17.1-91:create_session', '20.1-106', '17.1-110', '3.2-9', '3.2-10', '21.2-111'],
    make: changesOutput((frame) =>
      isResponse(frame, 'list_sessions', 'get_metrics', 'health_check', 'list_stored_sessions')
        ? { ...frame, data: { result: frame.data } }
        : frame,
    ),
  },
  {
    fault: 'sessions are described in another shape',
    caughtBy: ['17.1-91:create_session'],
    make: changesOutput((frame) =>
      isResponse(frame, 'create_session', 'switch_session')
        ? { ...frame, data: without(dataOf(frame), 'sessionInfo') }
        : frame,
    ),
  },
  {
    fault: 'answers of a session have another shape',
    caughtBy: row92(answeredApart),
    alsoCaughtBy: ['17.2-95', ...row92(['set_model', 'fork'])],
    make: changesOutput((frame) =>
      isResponse(frame, ...answeredApart) ? { ...frame, data: { result: frame.data } } : frame,
    ),
  },
  {
    fault: 'get_state has another shape',
    caughtBy: row92(['get_state']),
    alsoCaughtBy: ['17.2-93'],
    make: changesOutput((frame) =>
      isResponse(frame, 'get_state') && frame.success === true
        ? { ...frame, data: without(dataOf(frame), 'isStreaming', 'thinkingLevel') }
        : frame,
    ),
  },
  {
    fault: 'get_messages has another shape',
    caughtBy: row92(['get_messages']),
    alsoCaughtBy: ['20.2-107'],
    make: changesOutput((frame) =>
      isResponse(frame, 'get_messages') ? { ...frame, data: dataOf(frame).messages } : frame,
    ),
  },
  {
    fault: 'commands without data have some',
    caughtBy: row92(unanswered),
    make: changesOutput((frame) => (isResponse(frame, ...unanswered) ? { ...frame, data: {} } : frame)),
  },
  {
    fault: 'prompt, steer, follow_up and the aborts have data',
    caughtBy: row92(['prompt', 'steer', 'follow_up', 'abort', 'abort_compaction', 'abort_bash']),
    make: changesOutput((frame) =>
      isResponse(frame, 'prompt', 'steer', 'follow_up', 'abort', 'abort_compaction', 'abort_bash')
        ? { ...frame, data: {} }
        : frame,
    ),
  },
  {
    fault: 'another model is set than the one that was asked for',
    caughtBy: row92(['set_model']),
    make: changesOutput((frame) =>
      isResponse(frame, 'set_model') ? withData(frame, { model: { id: 'other' } }) : frame,
    ),
  },
  {
    fault: 'a fork goes back to another message',
    caughtBy: row92(['fork']),
    make: changesOutput((frame) => (isResponse(frame, 'fork') ? withData(frame, { text: 'other' }) : frame)),
  },
  {
    fault: 'a session that is not there is not named',
    caughtBy: ['22.1-112'],
    alsoCaughtBy: ['10.1-76', '17.1-110', '9-60', '7.2-32', '8.1-43'],
    make: changesOutput((frame) =>
      isResponse(frame) && /^Session \S+ not found/u.test(String(frame.error))
        ? { ...frame, error: 'No session' }
        : frame,
    ),
  },
  {
    fault: 'abort does nothing to the answer',
    caughtBy: ['17.2-93', '11-82'],
    make: changesOutput((frame) =>
      dictionaryOf(eventOf(frame).message).stopReason === 'aborted'
        ? withEvent(frame, { message: { ...dictionaryOf(eventOf(frame).message), stopReason: 'stop' } })
        : frame,
    ),
  },
  {
    fault: 'what was said while the agent works does not reach it',
    caughtBy: ['17.2-94', '17.2-94b'],
    alsoCaughtBy: row92(['steer', 'follow_up']),
    make: changesInput((frame) =>
      frame.type === 'steer' || frame.type === 'follow_up' ? { ...frame, type: 'get_state' } : frame,
    ),
  },
  {
    fault: 'abort_bash does nothing',
    caughtBy: ['17.2-95'],
    make: changesOutput((frame) => (isResponse(frame, 'bash') ? withData(frame, { cancelled: false }) : frame)),
  },
  {
    fault: 'answers to questions are lost on the way: the agent gets nothing',
    caughtBy: inPrompt,
    make: changesInput((frame) =>
      frame.type === 'extension_ui_response' && dictionaryOf(frame.response).method !== 'nobody'
        ? { ...frame, response: { method: 'cancelled' } }
        : frame,
    ),
  },
  {
    fault: 'whoever dismisses a question has chosen',
    caughtBy: ['18.2-98'],
    make: () => {
      const options = new Map<unknown, unknown>();
      return {
        out(frame) {
          const event = eventOf(frame);
          if (event.method === 'select' && Array.isArray(event.options)) options.set(event.requestId, event.options[0]);
          return [frame];
        },
        in: (frame) =>
          options.has(frame.requestId) && dictionaryOf(frame.response).method === 'cancelled'
            ? [{ ...frame, response: { method: 'select', value: options.get(frame.requestId) } }]
            : [frame],
      };
    },
  },
  {
    fault: 'a question can be answered twice',
    caughtBy: ['18.2-99', '18.3-101'],
    make: changesOutput((frame) =>
      isResponse(frame) && /^No pending UI request/u.test(String(frame.error))
        ? { ...without(frame, 'error'), success: true }
        : frame,
    ),
  },
  {
    fault: 'a question may be answered in another session',
    caughtBy: ['18.2-99'],
    make: changesOutput((frame) =>
      /^Session ID mismatch/u.test(String(frame.error)) ? { ...without(frame, 'error'), success: true } : frame,
    ),
  },
  {
    fault: 'any answer will do',
    caughtBy: ['18.2-100'],
    make: changesInput((frame) =>
      frame.type === 'extension_ui_response' && dictionaryOf(frame.response).method === 'nobody'
        ? { ...frame, response: { method: 'cancelled' } }
        : frame,
    ),
  },
  {
    fault: 'questions have no title',
    caughtBy: ['18.1-101b'],
    make: changesOutput((frame) =>
      isEvent('extension_ui_request')(frame) ? { ...frame, event: without(eventOf(frame), 'title', 'options') } : frame,
    ),
  },
  {
    fault: 'a piece of text is lost',
    caughtBy: ['19-102'],
    alsoCaughtBy: ['6.1-26'],
    make: () => {
      let isLost = false;
      return {
        out(frame) {
          const isPiece = dictionaryOf(eventOf(frame).assistantMessageEvent).type === 'text_delta';
          isLost = isPiece && !isLost;
          return isLost ? [] : [frame];
        },
      };
    },
  },
  {
    fault: 'the user is not heard',
    caughtBy: ['19-102', '17.2-94', '17.2-94b'],
    make: dropsOutput((frame) => dictionaryOf(eventOf(frame).message).role === 'user'),
  },
  {
    fault: 'a tool ends under another id',
    caughtBy: ['19-103'],
    make: changesOutput((frame) =>
      isEvent('tool_execution_end')(frame) ? withEvent(frame, { toolCallId: 'other' }) : frame,
    ),
  },
  {
    fault: 'the result of a tool is not told',
    caughtBy: ['19-103'],
    make: dropsOutput(
      (frame) => dictionaryOf(eventOf(frame).message).role === 'toolResult' && isEvent('message_start')(frame),
    ),
  },
  {
    fault: 'every retry is the first',
    caughtBy: ['19.5-104'],
    make: changesOutput((frame) => (isEvent('auto_retry_start')(frame) ? withEvent(frame, { attempt: 1 }) : frame)),
  },
  {
    fault: 'each attempt has an end',
    caughtBy: ['19.5-104b'],
    make: () => ({
      out(frame) {
        const { attempt } = eventOf(frame);
        if (!isEvent('auto_retry_start')(frame) || attempt === 1) return [frame];
        return [{ ...frame, event: { type: 'auto_retry_end', success: false, attempt: Number(attempt) - 1 } }, frame];
      },
    }),
  },
  {
    fault: 'the end of retries is not told',
    caughtBy: ['19.5-104'],
    alsoCaughtBy: ['19.5-104b'],
    make: dropsOutput(isEvent('auto_retry_end')),
  },
  {
    fault: 'a prompt is answered when its model is tried again',
    caughtBy: ['19.5-104'],
    alsoCaughtBy: ['19.5-104b'],
    make: () => {
      const prompts = new Map<unknown, unknown>();
      return {
        in(frame) {
          if (frame.type === 'prompt') prompts.set(frame.sessionId, frame.id);
          return [frame];
        },
        out(frame) {
          if (!isEvent('auto_retry_start')(frame)) return [frame];
          const id = prompts.get(frame.sessionId);
          return [frame, { type: 'response', command: 'prompt', success: true, id }];
        },
      };
    },
  },
  {
    fault: 'compactions have no reason and no result',
    caughtBy: ['19.4-105'],
    make: changesOutput((frame) =>
      String(eventOf(frame).type).startsWith('auto_compaction')
        ? { ...frame, event: { type: eventOf(frame).type } }
        : frame,
    ),
  },
  {
    fault: 'stored sessions have no sessionPath',
    caughtBy: ['20.1-106', '17.1-91:list_stored_sessions'],
    make: changesOutput((frame) => {
      const { sessions } = dataOf(frame);
      if (!isResponse(frame, 'list_stored_sessions') || !Array.isArray(sessions)) return frame;
      return withData(frame, { sessions: sessions.map((one) => without(dictionaryOf(one), 'sessionPath')) });
    }),
  },
  {
    fault: 'stored sessions are gone once they are deleted',
    caughtBy: ['17.1-110'],
    make: () => {
      const files = new Map<unknown, unknown>();
      const gone = new Set<unknown>();
      return {
        out(frame) {
          const { sessionId, sessionFile, sessions } = dataOf(frame);
          if (isResponse(frame, 'get_state')) files.set(sessionId, sessionFile);
          if (frame.type === 'session_deleted') gone.add(files.get(sessionId));
          if (!isResponse(frame, 'list_stored_sessions') || !Array.isArray(sessions)) return [frame];
          return [withData(frame, { sessions: sessions.filter((one) => !gone.has(dictionaryOf(one).sessionFile)) })];
        },
      };
    },
  },
  {
    fault: 'a session that was loaded has forgotten everything',
    caughtBy: ['20.2-107'],
    make: () => {
      const loaded = new Set<unknown>();
      const asked = new Map<unknown, unknown>();
      return {
        in(frame) {
          if (frame.type === 'get_messages') asked.set(frame.id, frame.sessionId);
          return [frame];
        },
        out(frame) {
          if (isResponse(frame, 'load_session')) loaded.add(dataOf(frame).sessionId);
          const isLoaded = isResponse(frame, 'get_messages') && loaded.has(asked.get(frame.id));
          return [isLoaded ? withData(frame, { messages: [] }) : frame];
        },
      };
    },
  },
  {
    fault: 'any path is loaded',
    caughtBy: ['20.2-108', '20.2-109'],
    make: changesOutput((frame) =>
      isResponse(frame, 'load_session') && frame.success === false
        ? { ...without(frame, 'error'), success: true, data: { sessionId: 'x', sessionInfo: {} } }
        : frame,
    ),
  },
  {
    fault: 'a circuit never opens',
    caughtBy: ['21.2-111'],
    make: changesOutput((frame) =>
      /^Circuit/u.test(String(frame.error)) ? { ...without(frame, 'error'), success: true } : frame,
    ),
  },
  {
    fault: 'the server leaves without a word',
    caughtBy: ['16.2-86', '16.2-87', '16.2-88'],
    alsoCaughtBy: ['12-85'],
    make: dropsOutput((frame) => frame.type === 'server_shutdown'),
  },
  {
    fault: 'server_shutdown tells nothing',
    caughtBy: ['16.2-86', '16.2-87'],
    make: changesOutput((frame) => (frame.type === 'server_shutdown' ? { type: frame.type } : frame)),
  },
  {
    fault: 'a server that is shutting down takes commands',
    caughtBy: ['12-85'],
    make: changesOutput((frame) =>
      /shutting down/u.test(String(frame.error)) ? { ...without(frame, 'error'), success: true } : frame,
    ),
  },
  {
    fault: 'the server does not wait for what goes on',
    caughtBy: ['16.2-88'],
    alsoCaughtBy: ['12-85'],
    make: () => ({
      out(frame, link) {
        if (frame.type === 'server_shutdown') queueMicrotask(() => link.close());
        return [frame];
      },
    }),
  },
];
