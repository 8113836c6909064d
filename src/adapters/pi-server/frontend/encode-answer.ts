// Converts the outcome of a command to the `data` of its response (docs/protocols/pi-server.md 17.4 to 17.9). Where pi
// has the same form, pi's encoder is used, and a response of a real pi returns unchanged.
import type { z } from 'zod';
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { OutcomeData, QueryData } from '../../../core/model/outcome-data.ts';
import type { CommandInfo } from '../../../core/model/session-info.ts';
import { encodeModel, piFields, present } from '../../pi/encode-values.ts';
import { answerTo } from '../../pi/frontend/encode-answer.ts';
import { encodeMetrics } from './encode-metrics.ts';
import { sessionInfo, storedSessionInfo } from './encode-session.ts';

/** The context of an answer. */
export interface Subject {
  /** The command as sent. */
  readonly line: Dictionary;
  /** The session's id as the client knows it. The empty string for none. */
  readonly session: string;
  /** The session, if the connection is subscribed to it. */
  readonly view: SessionView | undefined;
}

type Make = (data: unknown, subject: Subject) => unknown;

/**
 * Commands whose pi-server answer returns unchanged. Answers with a session id are excluded: the session has another id
 * there.
 */
const passable: ReadonlySet<string> = new Set([
  'get_skills',
  'get_tools',
  'list_session_files',
  'set_model',
  'bash',
  'get_context_usage',
]);

/** The `data` of the response to a command of this type; undefined for a response without `data`. */
export function answerData(type: string, data: unknown, subject: Subject): unknown {
  const raw = dictionaryOf(dictionaryOf(data).extra);
  if (passable.has(type) && Object.hasOwn(raw, 'pi-server')) return raw['pi-server'];
  return makers.get(type)?.(data, subject);
}

/** Parses the outcome by its schema. Data that does not match counts as none. */
function maker<Schema extends z.ZodType>(
  schema: Schema,
  make: (data: z.output<Schema> | undefined, subject: Subject) => unknown,
): Make {
  return (data, subject) => make(schema.safeParse(data).data, subject);
}

/** pi has the same form, under that command name. */
const asPi =
  (name: string): Make =>
  (data, { view }) =>
    answerTo(name, data, view);

const opened = (data: z.output<(typeof OutcomeData)['create-session']> | undefined, { session }: Subject) => {
  const id = data?.session.id ?? session;
  return { sessionId: id, sessionInfo: sessionInfo({ id, summary: data?.session, state: data?.state }) };
};

const makers: ReadonlyMap<string, Make> = new Map([
  [
    'list_sessions',
    maker(OutcomeData['list-sessions'], (data) => ({
      sessions: (data?.sessions ?? []).map((summary) => sessionInfo({ id: summary.id, summary })),
    })),
  ],
  ['create_session', maker(OutcomeData['create-session'], opened)],
  ['load_session', maker(OutcomeData['load-session'], opened)],
  ['delete_session', () => ({ deleted: true })],
  [
    'switch_session',
    maker(QueryData.state, (state, { session }) => ({ sessionInfo: sessionInfo({ id: session, state }) })),
  ],
  ['get_state', maker(QueryData.state, (state, { session }) => sessionInfo({ id: session, state }))],
  [
    'list_stored_sessions',
    maker(OutcomeData['list-stored-sessions'], (data) => ({
      sessions: (data?.sessions ?? []).map(storedSessionInfo),
    })),
  ],
  [
    'health_check',
    maker(QueryData.health, (data) => ({
      healthy: data?.healthy ?? true,
      issues: data?.issues ?? [],
      hasOpenCircuit: (data?.openCircuits ?? []).length > 0,
      hasOpenBashCircuit: (data?.openShells ?? []).length > 0,
    })),
  ],
  ['get_metrics', maker(QueryData.metrics, (data) => (data === undefined ? {} : encodeMetrics(data.values)))],
  ['get_available_models', asPi('get_available_models')],
  ['get_commands', asPi('get_commands')],
  ['get_messages', asPi('get_messages')],
  [
    'get_session_stats',
    (data, { session, view }) => {
      const figures = dictionaryOf(answerTo('get_session_stats', data, view));
      return figures.sessionId === '' ? { ...figures, sessionId: session } : figures;
    },
  ],
  ['get_fork_messages', asPi('get_fork_messages')],
  ['cycle_model', asPi('cycle_model')],
  ['cycle_thinking_level', asPi('cycle_thinking_level')],
  ['export_html', asPi('export_html')],
  ['new_session', asPi('new_session')],
  ['switch_session_file', asPi('switch_session')],
  ['fork', asPi('fork')],
  ['compact', (data, { view }) => ({ ...dictionaryOf(answerTo('compact', data, view)), ...detailsOf(data) })],
  ['get_skills', maker(QueryData.skills, (data) => ({ skills: (data?.skills ?? []).map(skillOf) }))],
  [
    'get_tools',
    maker(QueryData.tools, (data) => ({
      tools: (data?.tools ?? []).map(({ name, description = '' }) => ({ name, description })),
    })),
  ],
  [
    'list_session_files',
    maker(QueryData['session-files'], (data) => ({
      files: (data?.files ?? []).map(({ path, name, modifiedAt }) =>
        present({ path, name: name ?? path.replace(/^.*[\\/]/u, ''), modifiedAt }),
      ),
    })),
  ],
  [
    'set_model',
    maker(OutcomeData['set-model'], (data, { line, view }) => ({
      model: encodeModel(data?.model ?? view?.transcript.info.model ?? wished(line)),
    })),
  ],
  [
    'bash',
    // A cancelled command has no exit code. Real servers send 0.
    maker(OutcomeData.bash, (data) => ({
      exitCode: data?.exitCode ?? 0,
      output: data?.output ?? '',
      cancelled: data?.cancelled ?? false,
    })),
  ],
  ['get_last_assistant_text', maker(QueryData['last-text'], (data) => ({ text: data?.text ?? null }))],
  [
    'get_context_usage',
    maker(QueryData['context-usage'], (data) => {
      const { tokens, window } = data ?? { tokens: null, window: null };
      const percent = tokens === null || window === null || window === 0 ? null : (tokens / window) * 100;
      return { tokens, contextWindow: window, percent };
    }),
  ],
]);

function detailsOf(data: unknown): Dictionary {
  const fields = piFields(OutcomeData.compact.safeParse(data).data?.extra);
  return { details: fields.details ?? { readFiles: [], modifiedFiles: [] } };
}

function wished({ modelId, provider }: Dictionary) {
  return { id: String(modelId), provider: String(provider) };
}

/** Only pi reports the source of a skill; newer versions do so in `sourceInfo`. */
function skillOf({ name, description = '', extra }: CommandInfo): Dictionary {
  const { path, location, sourceInfo } = piFields(extra);
  const info = dictionaryOf(sourceInfo);
  return { name, description, filePath: path ?? info.path ?? '', source: location ?? info.source ?? 'unknown' };
}
