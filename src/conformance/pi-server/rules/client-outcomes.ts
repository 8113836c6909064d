// Rules on a client's reaction to what it receives: docs/protocols/pi-server.md 2.1, 13, 14 and 16.2.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { each } from '../../check/rule.ts';
import { beside, isKnown } from '../view/commands.ts';
import type { Line } from '../view/frames.ts';
import { questionsIn } from '../view/questions.ts';
import type { ServerRows, View } from '../view/view.ts';
import { isSamePayload } from './client-commands.ts';

const ourMajor = '1';

/** Commands of a client that has given up. */
const leaving: ReadonlySet<unknown> = new Set(['abort', 'delete_session']);

const eventTypes: ReadonlySet<unknown> = new Set([
  ...['agent_start', 'agent_end', 'turn_start', 'turn_end', 'message_start', 'message_update', 'message_end'],
  ...['tool_execution_start', 'tool_execution_update', 'tool_execution_end', 'extension_ui_request'],
  ...['auto_compaction_start', 'auto_compaction_end', 'auto_retry_start', 'auto_retry_end'],
]);
const frameTypes: ReadonlySet<unknown> = new Set([
  ...['server_ready', 'server_shutdown', 'session_created', 'session_deleted', 'event', 'response'],
  ...['command_accepted', 'command_started', 'command_finished'],
]);

/** Frames and events that the document does not know. */
const unknownIn = ({ fromServer }: View): readonly Line[] =>
  fromServer.filter(({ json }) =>
    json.type === 'event' ? !eventTypes.has(dictionaryOf(json.event).type) : !frameTypes.has(json.type),
  );

/** A later command under the id of a response. */
const againBehind = ({ sentAs }: View, { frame, json }: Line) => sentAs(json.id).find((one) => one.frame > frame);

/** One finding for each matching response to this client. */
function settled(view: View, fits: (response: Line) => boolean, says: string) {
  return each(
    view.responses.filter((response) => response.json.id !== undefined && fits(response)),
    (response) => (againBehind(view, response) === undefined ? null : says),
  );
}

/** Rules on reactions. */
export const outcomeRows: ServerRows = {
  'version-checked': {
    section: '2.1',
    level: 'SHOULD',
    sentence: 'A client that does not speak the version of the server sends it no command.',
    scenarios: ['incompatible'],
    reads: 'both',
    *judge({ fromServer, sent }) {
      const ready = fromServer.find(({ json }) => json.type === 'server_ready');
      const version = dictionaryOf(ready?.json.data).protocolVersion;
      if (ready === undefined || typeof version !== 'string') return;
      const isCompatible = version.split('.')[0] === ourMajor;
      const command = sent.find(({ frame }) => frame > ready.frame);
      const isWrong = !isCompatible && command !== undefined;
      yield { frame: command?.frame ?? ready.frame, wrong: isWrong ? `the server speaks ${version}` : null };
    },
  },
  'timeout-terminal': {
    section: '13',
    sentence: 'What timed out is over: a client that tries anew does so under a new id.',
    scenarios: ['timeout'],
    reads: 'both',
    judge: (view) =>
      settled(view, ({ json }) => json.timedOut === true && json.replayed !== true, 'its id is sent again'),
  },
  'conflict-heeded': {
    section: '13',
    sentence: 'A command whose id is in conflict is not sent again under it.',
    scenarios: ['conflict'],
    reads: 'both',
    judge: (view) =>
      each(
        view.sent.flatMap((command) =>
          /^Conflicting id\b/u.test(String(command.response?.json.error)) && command.response !== null
            ? [{ frame: command.response.frame, command }]
            : [],
        ),
        // Sending the first command of the id again is a repetition and allowed.
        ({ frame, command }) =>
          view.sentAs(command.json.id).some((one) => one.frame > frame && isSamePayload(one, command))
            ? 'it is sent again under the id that is in conflict'
            : null,
      ),
  },
  'success-final': {
    section: '13',
    level: 'MAY',
    sentence: 'What has succeeded, be it by a repetition, is not sent again.',
    scenarios: ['text', 'tool'],
    reads: 'both',
    judge: (view) => settled(view, ({ json }) => json.success === true, 'it is sent again'),
  },
  'unknown-ignored': {
    section: '14',
    level: 'SHOULD',
    sentence: 'A client goes on behind frames and events that it does not know.',
    scenarios: ['newer'],
    reads: 'both',
    *judge(view) {
      const questions = questionsIn(view);
      for (const { frame } of unknownIn(view)) {
        const question = questions.find((one) => one.frame > frame);
        const isAnswered = view.sent.some(
          ({ frame: at, json }) => at > (question?.frame ?? frame) && !leaving.has(json.type),
        );
        if (isAnswered) yield { frame, wrong: null };
        else if (view.isComplete && question !== undefined)
          yield { frame, wrong: 'nothing was heard of the client since, and it was asked' };
      }
    },
  },
  'shutdown-heeded': {
    section: '16.2',
    level: 'SHOULD',
    sentence: 'A client that was told that the server goes sends nothing new.',
    scenarios: ['farewell'],
    reads: 'both',
    *judge({ fromServer, sent }) {
      const farewell = fromServer.find(({ json }) => json.type === 'server_shutdown');
      // A command that crossed the shutdown on the wire was not sent after it.
      const since = farewell === undefined ? undefined : fromServer.find(({ frame }) => frame > farewell.frame);
      if (farewell === undefined) return;
      yield { frame: farewell.frame, wrong: null };
      for (const { frame, json } of sent) {
        const isFinal =
          beside.has(json.type) || ['extension_ui_response', 'delete_session'].includes(String(json.type));
        if (since === undefined || frame < since.frame || isFinal || !isKnown(json.type)) continue;
        yield { frame, wrong: `${String(json.type)} is sent to a server that goes` };
      }
    },
  },
  'others-left-alone': {
    section: '6.2',
    isMeasured: true,
    level: 'MAY',
    sentence:
      'Commands of others, which all are told of, are left alone: an id that was heard is given to no other command.',
    scenarios: ['crowd'],
    reads: 'both',
    judge: (view) =>
      each(
        view.lifecycleSteps.filter(
          ({ id, frame }) => typeof id === 'string' && !view.sentAs(id).some((one) => one.frame < frame),
        ),
        // A client that reconnects sends the same command again (docs/protocols/pi-server.md 13).
        ({ id, data }) =>
          view.sentAs(id).some(({ json }) => json.type !== data.commandType)
            ? `${String(id)} is the id of somebody else`
            : null,
      ),
  },
};
