// Rules on session versions: docs/protocols/pi-server.md 10.
import type { Dictionary } from '../../../core/model/content.ts';
import { each } from '../../check/rule.ts';
import { changes, reads } from '../view/commands.ts';
import type { LifecycleStep, Line } from '../view/frames.ts';
import { between, type ServerRows, type View } from '../view/view.ts';

const openers: ReadonlySet<unknown> = new Set(['create_session', 'load_session']);

/** A step with a session version, and the version before. */
interface ReportedVersion {
  readonly frame: number;
  readonly type: unknown;
  readonly version: number;
  readonly before: number;
  /**
   * A command of this session has timed out, so the version may still change on its own (docs/protocols/pi-server.md
   * 10.4).
   */
  readonly isLoose: boolean;
}

/** All versions that the connection received. */
function toldIn({ lifecycleSteps, fromServer }: View): readonly ReportedVersion[] {
  const reported: ReportedVersion[] = [];
  const versions = new Map<string, number>();
  const loose = new Set<string>();
  const deleted = new Map(
    fromServer.flatMap(({ frame, json }) => (json.type === 'session_deleted' ? [[frame, json.data] as const] : [])),
  );
  const ends = lifecycleSteps.filter(({ phase }) => phase === 'finished');
  for (const { frame, data } of ends) {
    const { sessionId, commandType: type, success, replayed, sessionVersion, error } = data;
    if (typeof sessionId !== 'string' || replayed === true) continue;
    if (success !== true && /\btimed out\b/u.test(String(error))) loose.add(sessionId);
    if (success !== true) continue;
    if (type === 'delete_session' || openers.has(type)) {
      versions.delete(sessionId);
      loose.delete(sessionId);
    }
    if (typeof sessionVersion !== 'number') continue;
    const before = versions.get(sessionId);
    const isLoose = loose.has(sessionId);
    if (before !== undefined && !deleted.has(frame))
      reported.push({ frame, type, version: sessionVersion, before, isLoose });
    versions.set(sessionId, sessionVersion);
  }
  return reported;
}

/**
 * The versions that were told of the session from the start of a command to its end: a run goes on while commands beside
 * its lane change the session (docs/protocols/pi-server.md 7.8). Null where the start was not heard.
 */
function toldMeanwhile(view: View, { id, sessionId }: Dictionary, response: Line): readonly number[] | null {
  const steps = view.lifecycleOf(id).filter(({ frame }) => frame < response.frame);
  const start = steps.find(({ phase }) => phase === 'started');
  const end = steps.find(({ phase, data }) => phase === 'finished' && data.success === true);
  if (start === undefined) return null;
  return between(view.lifecycleSteps, start.frame, end?.frame ?? response.frame).flatMap(({ phase, data }) =>
    phase === 'finished' && data.sessionId === sessionId && data.replayed !== true ? versionIn(data) : [],
  );
}

const versionIn = ({ sessionVersion }: Dictionary): number[] =>
  typeof sessionVersion === 'number' ? [sessionVersion] : [];

const isOpening = ({ phase, data }: LifecycleStep): boolean =>
  phase === 'finished' && openers.has(data.commandType) && data.success === true && data.replayed !== true;

const says = ({ version, before }: ReportedVersion): string => `the version is ${version} behind ${before}`;

/** Rules on versions. */
export const versionRows: ServerRows = {
  'version-zero': {
    section: '10',
    sentence: 'A session that has just been made has version 0.',
    covers: ['command:create_session', 'command:load_session'],
    scenarios: ['session'],
    judge: ({ lifecycleSteps }) =>
      each(lifecycleSteps.filter(isOpening), ({ data }) =>
        data.sessionVersion === 0 ? null : `the version is ${JSON.stringify(data.sessionVersion)}`,
      ),
  },
  'version-grows': {
    section: '10',
    sentence: 'The version of a session never falls.',
    covers: ['event:command_finished'],
    scenarios: ['session', 'prompt'],
    judge: (view) => each(toldIn(view), (reported) => (reported.version >= reported.before ? null : says(reported))),
  },
  'version-read': {
    section: '10',
    sentence: 'A command that only looks leaves the version as it is.',
    covers: ['event:command_finished'],
    scenarios: ['session', 'prompt'],
    judge: (view) =>
      each(
        toldIn(view).filter(({ type, isLoose }) => reads.has(type) && !isLoose),
        (reported) => (reported.version <= reported.before ? null : says(reported)),
      ),
  },
  'version-write': {
    section: '10',
    sentence: 'A command that changes the session makes the version greater by one.',
    covers: ['event:command_finished'],
    scenarios: ['session', 'prompt'],
    judge: (view) =>
      each(
        toldIn(view).filter(({ type, isLoose, version, before }) => changes(type) && !isLoose && version >= before),
        (reported) => (reported.version === reported.before + 1 ? null : says(reported)),
      ),
  },
  'version-condition': {
    section: '10.1',
    sentence: 'A command that asks for a version succeeds at that version alone.',
    covers: ['message:response'],
    scenarios: ['session'],
    reads: 'both',
    *judge(view) {
      for (const { json, response } of view.sent) {
        const { type, ifSessionVersion: asked, id } = json;
        if (response === null || typeof asked !== 'number' || view.sentAs(id).length > 1) continue;
        const { success, sessionVersion: version } = response.json;
        if (typeof version !== 'number' || success !== true || !(reads.has(type) || changes(type))) {
          if (success === false) yield { frame: response.frame, wrong: null };
          continue;
        }
        const meanwhile = toldMeanwhile(view, json, response);
        if (meanwhile === null) continue;
        const found = Math.max(asked, ...meanwhile);
        const wanted = reads.has(type) ? found : found + 1;
        const wrong = `it asked for version ${asked} and gives ${version}`;
        yield { frame: response.frame, wrong: version === wanted ? null : wrong };
      }
    },
  },
};
