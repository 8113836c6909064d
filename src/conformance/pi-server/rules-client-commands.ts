// Rules of what a client sends: seed sections 3.1, 4, 8 to 10, 13 and 17.
import { isDictionary } from '../../core/dictionary.ts';
import { each } from '../rule.ts';
import { isKnown } from './commands.ts';
import { envelopeFault, fieldFault, isVersion } from './envelope-faults.ts';
import { type Sent, type ServerRule, shown, type View } from './view.ts';

const anything = ['text', 'tool', 'questions'];

/** Known to real servers from 2.1 on. */
const later: ReadonlySet<unknown> = new Set([
  'get_tree',
  'navigate_tree',
  'get_startup_recovery',
  'get_command_history',
]);

/** Changes that somebody else's change may have made pointless (10). */
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

/** Commands with that field. */
const having = ({ sent }: View, name: string): readonly Sent[] => sent.filter(({ json }) => json[name] !== undefined);

/** Other uses of an id of this client before. */
const earlier = ({ sentAs }: View, { json, frame }: Sent): readonly Sent[] =>
  json.id === undefined ? [] : sentAs(json.id).filter((one) => one.frame < frame);

/** Versions that the server has told of a session before. */
function toldVersions({ said }: View, { json, frame }: Sent): ReadonlySet<unknown> {
  const own = said.filter((line) => line.frame < frame);
  const versions = own.flatMap((line) => {
    const { type, data, sessionVersion } = line.json;
    if (type === 'response') return [sessionVersion];
    return isDictionary(data) && data.sessionId === json.sessionId ? [data.sessionVersion] : [];
  });
  return new Set(versions.filter(isVersion));
}

/** What a client sends. */
export const commandRules: readonly ServerRule[] = [
  {
    id: 'pi-server/client/frame-object',
    section: '3.1',
    level: 'MUST',
    basis: 'specification',
    sentence: 'Every frame of a client is exactly one JSON object.',
    scenarios: anything,
    *judge({ frames }) {
      for (const [frame, { by, json, text }] of frames.entries())
        if (by === 'client')
          yield { frame, wrong: isDictionary(json) ? null : `no JSON object: ${text.slice(0, 100)}` };
    },
  },
  {
    id: 'pi-server/client/command-type',
    section: '4',
    level: 'MUST',
    basis: 'specification',
    sentence: 'Every command has a type.',
    scenarios: anything,
    judge: ({ sent }) =>
      each(sent, (line) => (typeof line.json.type === 'string' && line.json.type !== '' ? null : shown(line))),
  },
  {
    id: 'pi-server/client/known-command',
    section: '2.1',
    level: 'MUST',
    basis: 'specification',
    sentence: 'A client uses no command that the version of the server does not have.',
    scenarios: anything,
    judge: ({ sent }) =>
      each(sent, ({ json: { type } }) =>
        typeof type !== 'string' || isKnown(type) || later.has(type) ? null : `nobody knows ${type}`,
      ),
  },
  {
    id: 'pi-server/client/envelope',
    section: '4',
    level: 'MUST',
    basis: 'specification',
    sentence: 'What a command may have besides is as it should be: id, dependsOn, ifSessionVersion, idempotencyKey.',
    scenarios: anything,
    judge: ({ sent }) =>
      each(
        sent.filter(({ json }) => typeof json.type === 'string' && json.type !== ''),
        ({ json }) => envelopeFault(json),
      ),
  },
  {
    id: 'pi-server/client/command-fields',
    section: '17.2',
    level: 'MUST',
    basis: 'specification',
    sentence: 'A command of a session names it, and every command has the fields that it needs.',
    scenarios: anything,
    judge: ({ sent }) =>
      each(
        sent.filter(({ json }) => isKnown(json.type)),
        ({ json }) => fieldFault(json),
      ),
  },
  {
    id: 'pi-server/client/id-present',
    section: '13',
    level: 'MUST',
    basis: 'specification',
    sentence: 'Every command has an id.',
    scenarios: anything,
    judge: ({ sent }) => each(sent, (line) => (line.json.id === undefined ? `it has none: ${shown(line)}` : null)),
  },
  {
    id: 'pi-server/client/id-unique',
    section: '13',
    level: 'MUST',
    basis: 'specification',
    sentence: 'An id is never used again for something else.',
    scenarios: anything,
    judge: (view) =>
      each(having(view, 'id'), (command) => {
        const { id: _id, idempotencyKey: _key, ...payload } = command.json;
        const isOther = earlier(view, command).some(({ json: { id: _other, idempotencyKey: _its, ...before } }) => {
          return JSON.stringify(before) !== JSON.stringify(payload);
        });
        return isOther ? `${JSON.stringify(command.json.id)} was used for something else` : null;
      }),
  },
  {
    id: 'pi-server/client/retry-key',
    section: '13',
    level: 'SHOULD',
    basis: 'specification',
    sentence: 'What is sent again under its id has an idempotencyKey as well.',
    scenarios: ['text'],
    judge: (view) =>
      each(
        view.sent.filter((command) => earlier(view, command).some(({ text }) => text === command.text)),
        ({ json }) => (json.idempotencyKey === undefined ? 'it has no idempotencyKey' : null),
      ),
  },
  {
    id: 'pi-server/client/depends-on-known',
    section: '9',
    level: 'MUST',
    basis: 'specification',
    sentence: 'A command depends on commands that were sent before.',
    scenarios: ['text'],
    judge: (view) =>
      each(
        having(view, 'dependsOn').filter(({ json }) => Array.isArray(json.dependsOn)),
        ({ json, frame }) => {
          const all: readonly unknown[] = Array.isArray(json.dependsOn) ? json.dependsOn : [];
          // Ids are everybody's (reference, section 3, finding 7).
          const isSent = (id: unknown) => [...view.sentAs(id), ...view.coursesOf(id)].some((one) => one.frame < frame);
          const unknown = all.find((id) => !isSent(id));
          return unknown === undefined ? null : `nothing was sent as ${JSON.stringify(unknown)}`;
        },
      ),
  },
  {
    id: 'pi-server/client/version-told',
    section: '13',
    level: 'MUST',
    basis: 'specification',
    sentence: 'A version that a command asks for is one that the server has told.',
    scenarios: ['endless'],
    judge: (view) =>
      each(having(view, 'ifSessionVersion'), (command) =>
        toldVersions(view, command).has(command.json.ifSessionVersion)
          ? null
          : `nobody told of version ${JSON.stringify(command.json.ifSessionVersion)}`,
      ),
  },
  {
    id: 'pi-server/client/version-asked',
    section: '13',
    level: 'SHOULD',
    basis: 'specification',
    sentence: 'A command that replaces what somebody else may have changed asks for the version that it knows.',
    scenarios: ['text'],
    judge: (view) =>
      each(
        view.sent.filter(({ json }) => replacing.has(json.type)),
        ({ json }) => (json.ifSessionVersion === undefined ? `${String(json.type)} asks for no version` : null),
      ),
  },
  {
    id: 'pi-server/client/session-there',
    section: '17.2',
    level: 'SHOULD',
    basis: 'specification',
    sentence: 'Nothing is sent to a session that was deleted.',
    scenarios: anything,
    *judge({ sent, said }) {
      for (const { frame, json } of sent) {
        const { sessionId, type } = json;
        if (typeof sessionId !== 'string' || type === 'create_session' || type === 'load_session') continue;
        const last = said.findLast(
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
];
