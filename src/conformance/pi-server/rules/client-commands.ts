// Rules on the commands of a client: docs/protocols/pi-server.md 3.1, 4, 8 to 10, 13 and 17.
import { isDeepStrictEqual } from 'node:util';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import { each } from '../../check/rule.ts';
import { reads } from '../view/commands.ts';
import { envelopeFault, isVersion } from '../view/envelope-faults.ts';
import type { Line } from '../view/frames.ts';
import { between, type Sent, type ServerRows, type View } from '../view/view.ts';

const anything = ['text', 'tool', 'questions'];

/** Changes that another client's change may make obsolete (docs/protocols/pi-server.md 10). */
const replacing: ReadonlySet<unknown> = new Set([
  'set_model',
  'set_thinking_level',
  'set_session_name',
  'set_auto_compaction',
  'set_auto_retry',
  'fork',
  'new_session',
  'switch_session_file',
]);

/** Commands with this field. */
const having = ({ sent }: View, name: string): readonly Sent[] => sent.filter(({ json }) => json[name] !== undefined);

/** Earlier commands of this client with the same id. */
const earlier = ({ sentAs }: View, { json, frame }: Sent): readonly Sent[] =>
  json.id === undefined ? [] : sentAs(json.id).filter((one) => one.frame < frame);

/** The fields of a command without its id and key. */
const payloadOf = ({ json: { id: _id, idempotencyKey: _key, ...payload } }: Line) => payload;

/** Whether both request the same (docs/protocols/pi-server.md 8.3). */
export const isSamePayload = (one: Line, other: Line): boolean => isDeepStrictEqual(payloadOf(one), payloadOf(other));

/** Whether the command was refused as unknown. */
const isUnknownTo = (response: Line): boolean =>
  response.json.success === false && /\bunknown command\b/iu.test(String(response.json.error));

/** Versions of the session that this connection has received; other connections of the client are unknown. */
function toldVersions(view: View, { json: { sessionId }, frame }: Sent): readonly number[] {
  const isOf = (line: Line) =>
    dictionaryOf(line.json.data).sessionId === sessionId ||
    view.sent.some(({ json, response }) => response?.frame === line.frame && json.sessionId === sessionId);
  return view.fromServer
    .filter((line) => line.frame < frame && isOf(line))
    .flatMap(({ json: { type, data, sessionVersion } }) => {
      if (type === 'session_created') return [0];
      return [type === 'response' ? sessionVersion : dictionaryOf(data).sessionVersion];
    })
    .filter(isVersion);
}

/**
 * Whether another client changed the same setting between this client's last news of the session and the execution of
 * the command.
 */
function isOverwriting(view: View, { json, frame, response }: Sent): boolean {
  if (response?.json.success !== true) return false;
  const own = view.sent.filter((one) => one.json.sessionId === json.sessionId && one.json.type === json.type);
  // A command without an id cannot be distinguished from commands of other clients.
  if (own.some((one) => one.json.id === undefined)) return false;
  const known = view.sent.flatMap((one) => {
    const isBefore = one.json.sessionId === json.sessionId && one.response !== null && one.response.frame < frame;
    return isBefore && one.response !== null ? [one.response.frame] : [];
  });
  return between(view.lifecycleSteps, Math.max(-1, ...known), response.frame).some(({ phase, id, data }) => {
    const isTheirs = data.sessionId === json.sessionId && data.commandType === json.type;
    const isDone = phase === 'finished' && data.success === true && data.replayed !== true;
    // This client itself may have begun it on an earlier connection.
    const isBegun = view.lifecycleOf(id).some((step) => step.phase === 'accepted');
    return isTheirs && isDone && isVersion(data.sessionVersion) && isBegun && view.sentAs(id).length === 0;
  });
}

/** Rules on commands. */
export const commandRows: ServerRows = {
  'frame-object': {
    section: '3.1',
    sentence: 'Every frame of a client is exactly one JSON object.',
    scenarios: anything,
    *judge({ frames }) {
      for (const [frame, { by, json, text }] of frames.entries())
        if (by === 'client')
          yield { frame, wrong: isDictionary(json) ? null : `no JSON object: ${text.slice(0, 100)}` };
    },
  },
  'known-command': {
    section: '2.1',
    sentence: 'A client uses no command that the version of the server does not have.',
    scenarios: anything,
    reads: 'both',
    judge: ({ sent }) =>
      each(
        sent.flatMap(({ json, response }) => (response === null ? [] : [{ ...response, command: json.type }])),
        (response) => (isUnknownTo(response) ? `the server has no ${String(response.command)}` : null),
      ),
  },
  envelope: {
    section: '4',
    sentence: 'What a command may have besides is as it should be: id, dependsOn, ifSessionVersion, idempotencyKey.',
    scenarios: anything,
    judge: ({ sent }) =>
      each(
        sent.filter(({ json }) => typeof json.type === 'string' && json.type !== ''),
        ({ json }) => envelopeFault(json),
      ),
  },
  'id-unique': {
    section: '13',
    sentence: 'An id is never used again for something else.',
    scenarios: anything,
    judge: (view) =>
      each(having(view, 'id'), (command) => {
        const isOther = earlier(view, command).some((before) => !isSamePayload(before, command));
        return isOther ? `${JSON.stringify(command.json.id)} was used for something else` : null;
      }),
  },
  'retry-key': {
    section: '13',
    level: 'SHOULD',
    sentence: 'What is sent again under its id has an idempotencyKey as well.',
    scenarios: ['text'],
    judge: (view) =>
      each(
        view.sent.filter((command) => earlier(view, command).some(({ text }) => text === command.text)),
        ({ json }) => (json.idempotencyKey === undefined ? 'it has no idempotencyKey' : null),
      ),
  },
  'depends-on-known': {
    section: '9',
    level: 'MAY',
    sentence:
      'A command depends on commands that were sent before, be it on an earlier connection, which nobody sees here.',
    scenarios: ['text'],
    reads: 'both',
    judge: (view) =>
      each(
        having(view, 'dependsOn').filter(({ json }) => Array.isArray(json.dependsOn)),
        ({ json, frame }) => {
          const all: readonly unknown[] = Array.isArray(json.dependsOn) ? json.dependsOn : [];
          // Ids are shared by all clients (docs/protocols/pi-server.md 8.4).
          const isSent = (id: unknown) =>
            [...view.sentAs(id), ...view.lifecycleOf(id)].some((one) => one.frame < frame);
          const unknown = all.find((id) => !isSent(id));
          return unknown === undefined ? null : `nothing was sent as ${JSON.stringify(unknown)}`;
        },
      ),
  },
  'version-told': {
    section: '13',
    sentence:
      'A version that a command asks for is one that the server has told, or that own commands since will make.',
    scenarios: ['endless'],
    reads: 'both',
    *judge(view) {
      for (const command of having(view, 'ifSessionVersion')) {
        const { sessionId, ifSessionVersion: asked } = command.json;
        const reported = toldVersions(view, command);
        if (reported.length === 0 || !isVersion(asked)) continue;
        const own = view.sent.filter(
          ({ frame, json }) => frame < command.frame && json.sessionId === sessionId && !reads.has(json.type),
        );
        const isPossible = asked <= Math.max(...reported) + own.length;
        yield { frame: command.frame, wrong: isPossible ? null : `nobody told of version ${asked}` };
      }
    },
  },
  'version-asked': {
    section: '13',
    level: 'SHOULD',
    sentence:
      'A command that replaces what somebody else may have changed asks for the version that it knows: what another client changed meanwhile is not overwritten.',
    scenarios: ['crowd'],
    reads: 'both',
    judge: (view) =>
      each(
        view.sent.filter(({ json }) => replacing.has(json.type)),
        (command) =>
          command.json.ifSessionVersion === undefined && isOverwriting(view, command)
            ? `${String(command.json.type)} asks for no version, and another client was there first`
            : null,
      ),
  },
  'session-there': {
    section: '17.2',
    level: 'MAY',
    sentence: 'Nothing is sent to a session that was deleted.',
    scenarios: anything,
    reads: 'both',
    *judge({ sent, fromServer }) {
      for (const { frame, json } of sent) {
        const { sessionId, type } = json;
        if (typeof sessionId !== 'string' || type === 'create_session' || type === 'load_session') continue;
        const last = fromServer.findLast(
          (line) =>
            line.frame < frame &&
            (line.json.type === 'session_created' || line.json.type === 'session_deleted') &&
            isDictionary(line.json.data) &&
            line.json.data.sessionId === sessionId,
        );
        yield { frame, wrong: last?.json.type === 'session_deleted' ? `${sessionId} was deleted` : null };
      }
    },
  },
};
