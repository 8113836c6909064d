// Rules on the creation and deletion of sessions, and on shutdown: docs/protocols/pi-server.md 6, 7.1 and 16.2.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Finding } from '../../check/rule.ts';
import { type ServerRows, shown, type View } from '../view/view.ts';

/** Successful commands of this type, with their session. */
const successes = ({ sent }: View, type: string) =>
  sent.flatMap(({ frame, json, response }) => {
    if (json.type !== type || response?.json.success !== true || response.json.replayed === true) return [];
    const { sessionId } = dictionaryOf(response.json.data);
    return [{ frame: response.frame, sentAt: frame, session: sessionId ?? json.sessionId }];
  });

function* toldOf(view: View, command: string, event: string): Generator<Finding> {
  for (const { frame, sentAt, session } of successes(view, command)) {
    const isReported = view.fromServer.some(
      ({ frame: at, json }) => at > sentAt && json.type === event && dictionaryOf(json.data).sessionId === session,
    );
    if (isReported || view.isSettled(frame))
      yield { frame, wrong: isReported ? null : `no ${event} tells of ${String(session)}` };
  }
}

/** Rules on sessions and shutdown. */
export const sessionRows: ServerRows = {
  'session-created': {
    section: '6',
    sentence: 'That a session was made is told to all.',
    covers: ['event:session_created', 'command:create_session'],
    scenarios: ['session'],
    reads: 'both',
    judge: (view) => toldOf(view, 'create_session', 'session_created'),
  },
  'session-deleted': {
    section: '6',
    sentence: 'That a session was deleted is told to all.',
    covers: ['event:session_deleted', 'command:delete_session'],
    scenarios: ['session'],
    reads: 'both',
    judge: (view) => toldOf(view, 'delete_session', 'session_deleted'),
  },
  'shutdown-last': {
    section: '7.1',
    sentence: 'Behind server_shutdown no command is accepted.',
    covers: ['event:server_shutdown', 'event:command_accepted'],
    scenarios: ['farewell', 'errands'],
    *judge({ fromServer }) {
      const farewell = fromServer.find(({ json }) => json.type === 'server_shutdown');
      if (farewell === undefined) return;
      yield { frame: farewell.frame, wrong: null };
      for (const line of fromServer)
        if (line.frame > farewell.frame && line.json.type === 'command_accepted')
          yield { frame: line.frame, wrong: `it is accepted: ${shown(line)}` };
    },
  },
};
