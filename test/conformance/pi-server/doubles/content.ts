// Doubles of what is answered, asked, told and kept, and of the end: docs/protocols/pi-server.md 16.2 to 22.
import { dictionaryOf, without } from '../../../../src/core/model/dictionary.ts';
import { type Double, dataOf, eventOf, hides, isResponse, says, takes, withData, withEvent } from './double.ts';

/** Commands whose data nothing else depends upon. */
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
export const contentDoubles: readonly Double[] = [
  {
    fault: 'a session that could not be made twice is gone, as in the real server',
    caught: ['17.1-90'],
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
    caught: ['17.1-91:list_sessions', '17.1-91:get_metrics', '17.1-91:health_check', '17.1-91:list_stored_sessions'],
    kin: ['17.1-91:create_session', '20.1-106', '17.1-110', '3.2-9', '3.2-10', '21.2-111'],
    make: says((frame) =>
      isResponse(frame, 'list_sessions', 'get_metrics', 'health_check', 'list_stored_sessions')
        ? { ...frame, data: { result: frame.data } }
        : frame,
    ),
  },
  {
    fault: 'sessions are described in another shape',
    caught: ['17.1-91:create_session'],
    make: says((frame) =>
      isResponse(frame, 'create_session', 'switch_session')
        ? { ...frame, data: without(dataOf(frame), 'sessionInfo') }
        : frame,
    ),
  },
  {
    fault: 'answers of a session have another shape',
    caught: row92(answeredApart),
    kin: ['17.2-95', ...row92(['set_model', 'fork'])],
    make: says((frame) => (isResponse(frame, ...answeredApart) ? { ...frame, data: { result: frame.data } } : frame)),
  },
  {
    fault: 'get_state has another shape',
    caught: row92(['get_state']),
    kin: ['17.2-93'],
    make: says((frame) =>
      isResponse(frame, 'get_state') && frame.success === true
        ? { ...frame, data: without(dataOf(frame), 'isStreaming', 'thinkingLevel') }
        : frame,
    ),
  },
  {
    fault: 'get_messages has another shape',
    caught: row92(['get_messages']),
    kin: ['20.2-107'],
    make: says((frame) => (isResponse(frame, 'get_messages') ? { ...frame, data: dataOf(frame).messages } : frame)),
  },
  {
    fault: 'commands without data have some',
    caught: row92(unanswered),
    make: says((frame) => (isResponse(frame, ...unanswered) ? { ...frame, data: {} } : frame)),
  },
  {
    fault: 'prompt, steer, follow_up and the aborts have data',
    caught: row92(['prompt', 'steer', 'follow_up', 'abort', 'abort_compaction', 'abort_bash']),
    make: says((frame) =>
      isResponse(frame, 'prompt', 'steer', 'follow_up', 'abort', 'abort_compaction', 'abort_bash')
        ? { ...frame, data: {} }
        : frame,
    ),
  },
  {
    fault: 'another model is set than the one that was asked for',
    caught: row92(['set_model']),
    make: says((frame) => (isResponse(frame, 'set_model') ? withData(frame, { model: { id: 'other' } }) : frame)),
  },
  {
    fault: 'a fork goes back to another message',
    caught: row92(['fork']),
    make: says((frame) => (isResponse(frame, 'fork') ? withData(frame, { text: 'other' }) : frame)),
  },
  {
    fault: 'a session that is not there is not named',
    caught: ['22.1-112'],
    kin: ['10.1-76', '17.1-110', '9-60', '7.2-32', '8.1-43'],
    make: says((frame) =>
      isResponse(frame) && /^Session \S+ not found/u.test(String(frame.error))
        ? { ...frame, error: 'No session' }
        : frame,
    ),
  },
  {
    fault: 'abort does nothing to the answer',
    caught: ['17.2-93', '11-82'],
    make: says((frame) =>
      dictionaryOf(eventOf(frame).message).stopReason === 'aborted'
        ? withEvent(frame, { message: { ...dictionaryOf(eventOf(frame).message), stopReason: 'stop' } })
        : frame,
    ),
  },
  {
    fault: 'what was said while the agent works does not reach it',
    caught: ['17.2-94', '17.2-94b'],
    kin: row92(['steer', 'follow_up']),
    make: takes((frame) =>
      frame.type === 'steer' || frame.type === 'follow_up' ? { ...frame, type: 'get_state' } : frame,
    ),
  },
  {
    fault: 'abort_bash does nothing',
    caught: ['17.2-95'],
    make: says((frame) => (isResponse(frame, 'bash') ? withData(frame, { cancelled: false }) : frame)),
  },
  {
    fault: 'answers to questions are lost on the way: the agent gets nothing',
    caught: inPrompt,
    make: takes((frame) =>
      frame.type === 'extension_ui_response' && dictionaryOf(frame.response).method !== 'nobody'
        ? { ...frame, response: { method: 'cancelled' } }
        : frame,
    ),
  },
  {
    fault: 'whoever dismisses a question has chosen',
    caught: ['18.2-98'],
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
    caught: ['18.2-99', '18.3-101'],
    make: says((frame) =>
      isResponse(frame) && /^No pending UI request/u.test(String(frame.error))
        ? { ...without(frame, 'error'), success: true }
        : frame,
    ),
  },
  {
    fault: 'a question may be answered in another session',
    caught: ['18.2-99'],
    make: says((frame) =>
      /^Session ID mismatch/u.test(String(frame.error)) ? { ...without(frame, 'error'), success: true } : frame,
    ),
  },
  {
    fault: 'any answer will do',
    caught: ['18.2-100'],
    make: takes((frame) =>
      frame.type === 'extension_ui_response' && dictionaryOf(frame.response).method === 'nobody'
        ? { ...frame, response: { method: 'cancelled' } }
        : frame,
    ),
  },
  {
    fault: 'questions have no title',
    caught: ['18.1-101b'],
    make: says((frame) =>
      isEvent('extension_ui_request')(frame) ? { ...frame, event: without(eventOf(frame), 'title', 'options') } : frame,
    ),
  },
  {
    fault: 'a piece of text is lost',
    caught: ['19-102'],
    kin: ['6.1-26'],
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
    caught: ['19-102', '17.2-94', '17.2-94b'],
    make: hides((frame) => dictionaryOf(eventOf(frame).message).role === 'user'),
  },
  {
    fault: 'a tool ends under another id',
    caught: ['19-103'],
    make: says((frame) => (isEvent('tool_execution_end')(frame) ? withEvent(frame, { toolCallId: 'other' }) : frame)),
  },
  {
    fault: 'the result of a tool is not told',
    caught: ['19-103'],
    make: hides(
      (frame) => dictionaryOf(eventOf(frame).message).role === 'toolResult' && isEvent('message_start')(frame),
    ),
  },
  {
    fault: 'every retry is the first',
    caught: ['19.5-104'],
    make: says((frame) => (isEvent('auto_retry_start')(frame) ? withEvent(frame, { attempt: 1 }) : frame)),
  },
  {
    fault: 'each attempt has an end',
    caught: ['19.5-104b'],
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
    caught: ['19.5-104'],
    kin: ['19.5-104b'],
    make: hides(isEvent('auto_retry_end')),
  },
  {
    fault: 'a prompt is answered when its model is tried again',
    caught: ['19.5-104'],
    kin: ['19.5-104b'],
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
    caught: ['19.4-105'],
    make: says((frame) =>
      String(eventOf(frame).type).startsWith('auto_compaction')
        ? { ...frame, event: { type: eventOf(frame).type } }
        : frame,
    ),
  },
  {
    fault: 'stored sessions have no sessionPath',
    caught: ['20.1-106', '17.1-91:list_stored_sessions'],
    make: says((frame) => {
      const { sessions } = dataOf(frame);
      if (!isResponse(frame, 'list_stored_sessions') || !Array.isArray(sessions)) return frame;
      return withData(frame, { sessions: sessions.map((one) => without(dictionaryOf(one), 'sessionPath')) });
    }),
  },
  {
    fault: 'stored sessions are gone once they are deleted',
    caught: ['17.1-110'],
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
    caught: ['20.2-107'],
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
    caught: ['20.2-108', '20.2-109'],
    make: says((frame) =>
      isResponse(frame, 'load_session') && frame.success === false
        ? { ...without(frame, 'error'), success: true, data: { sessionId: 'x', sessionInfo: {} } }
        : frame,
    ),
  },
  {
    fault: 'a circuit never opens',
    caught: ['21.2-111'],
    make: says((frame) =>
      /^Circuit/u.test(String(frame.error)) ? { ...without(frame, 'error'), success: true } : frame,
    ),
  },
  {
    fault: 'the server leaves without a word',
    caught: ['16.2-86', '16.2-87', '16.2-88'],
    kin: ['12-85'],
    make: hides((frame) => frame.type === 'server_shutdown'),
  },
  {
    fault: 'server_shutdown tells nothing',
    caught: ['16.2-86', '16.2-87'],
    make: says((frame) => (frame.type === 'server_shutdown' ? { type: frame.type } : frame)),
  },
  {
    fault: 'a server that is shutting down takes commands',
    caught: ['12-85'],
    make: says((frame) =>
      /shutting down/u.test(String(frame.error)) ? { ...without(frame, 'error'), success: true } : frame,
    ),
  },
  {
    fault: 'the server does not wait for what goes on',
    caught: ['16.2-88'],
    kin: ['12-85'],
    make: () => ({
      out(frame, link) {
        if (frame.type === 'server_shutdown') queueMicrotask(() => link.close());
        return [frame];
      },
    }),
  },
];
