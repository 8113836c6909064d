// Rules on tool calls and plans, for agents. docs/protocols/acp.md 4.35 to 4.43.
import { each } from '../../check/rule.ts';
import { shown } from '../../check/shape.ts';
import { type Call, endStatuses, type Session, type Update } from '../view/sessions.ts';
import { type AcpView, at, callsIn, itemsOf } from '../view/view.ts';
import { callStatuses, isAbsolute } from '../words.ts';
import type { Row, Rows } from './judging.ts';

const covers = ['update:tool_call', 'update:tool_call_update'];
const scenarios = ['tool', 'tools'];
const isOfCall = ({ kind }: Update): boolean => kind === 'tool_call' || kind === 'tool_call_update';

/** Calls of turns, of connections that were seen from their beginning. */
const calls = (view: AcpView): Call[] =>
  view.initialize === null ? [] : callsIn(view).filter(({ span }) => span?.kind === 'turn');

/** The calls of the turns that are over. `wasCancelled`: of those that the client cancelled. */
function* over(view: AcpView, wasCancelled: boolean) {
  for (const call of calls(view)) {
    const { span } = call;
    if (span === null || !Number.isFinite(span.to) || (span.cancelled !== null) !== wasCancelled) continue;
    yield { call, frame: span.to, ended: call.ends !== null && call.ends < span.to };
  }
}

const pathsOf = ({ update }: Update): unknown[] => [
  ...itemsOf(update.locations).map(({ path }) => path),
  ...itemsOf(update.content).flatMap(({ type, path }) => (type === 'diff' ? [path] : [])),
];

/** The relative paths in an update of a call. What stands in its arguments are the model's words. */
function relativePaths({ calls: own }: Session, one: Update, isOfModel: boolean): unknown[] {
  const call = own.find(({ updates }) => updates.includes(one));
  const said = JSON.stringify(call?.updates.map(({ update }) => update.rawInput) ?? []);
  const isInArguments = (path: unknown) => typeof path === 'string' && said.includes(JSON.stringify(path));
  return pathsOf(one).filter((path) => !isAbsolute(path) && isInArguments(path) === isOfModel);
}

/** Whether paths are absolute: those that the agent wrote, or those that the model wrote first. */
const paths = (sentence: string, level: Pick<Row, 'level'>, isOfModel: boolean): Row => ({
  section: '1.9',
  ...level,
  sentence,
  covers,
  scenarios: ['edit', 'tool', 'tool that fails'],
  *judge({ sessions }) {
    for (const session of sessions.values())
      for (const one of session.updates) {
        if (!isOfCall(one) || pathsOf(one).length === 0) continue;
        const [wrong] = relativePaths(session, one, isOfModel);
        yield { frame: one.frame, wrong: wrong === undefined ? null : `the path is ${shown(wrong)}` };
      }
  },
});

/** All rules on calls. */
export const callRows: Rows = {
  'call-paths': paths('The paths of locations and diffs are absolute.', {}, false),
  'call-paths-of-model': paths(
    'Paths of locations and diffs are absolute where the model wrote a relative one.',
    { level: 'SHOULD' },
    true,
  ),
  'call-created': {
    section: '4.35',
    level: 'SHOULD',
    sentence: 'A call begins with `tool_call`: no change comes before it.',
    covers,
    scenarios,
    judge: (view) =>
      each(
        calls(view).flatMap(({ updates }) => updates.slice(0, 1)),
        ({ kind, update }) => (kind === 'tool_call' ? null : `the call ${shown(update.toolCallId)} was not created`),
      ),
  },
  'call-created-once': {
    section: '4.35',
    level: 'SHOULD',
    sentence: 'A call is created once.',
    covers,
    scenarios,
    judge: (view) =>
      each(
        calls(view).flatMap(({ updates }) =>
          updates.filter(({ kind }) => kind === 'tool_call').map((one, place) => ({ ...one, place })),
        ),
        ({ place, update }) => (place === 0 ? null : `the call ${shown(update.toolCallId)} is created again`),
      ),
  },
  'call-forward': {
    section: '4.35',
    level: 'SHOULD',
    sentence: 'The status of a call goes on and never back: pending, in progress, then its end.',
    covers,
    scenarios,
    *judge(view) {
      for (const { updates } of calls(view)) {
        let last = 0;
        for (const { frame, update } of updates) {
          const rank = Math.min(callStatuses.indexOf(String(update.status)), 2);
          if (rank < 0) continue;
          yield { frame, wrong: rank < last ? `it goes back to ${shown(update.status)}` : null };
          last = rank;
        }
      }
    },
  },
  'call-ended-once': {
    section: '4.35',
    level: 'SHOULD',
    sentence: 'A call that has completed does not fail afterwards, and the other way round.',
    covers,
    scenarios,
    *judge(view) {
      for (const { updates } of calls(view)) {
        const ends = updates.filter(({ update }) => endStatuses.has(update.status));
        for (const { frame, update } of ends)
          yield { frame, wrong: update.status === ends[0]?.update.status ? null : `it is ${shown(update.status)} now` };
      }
    },
  },
  'call-ends': {
    section: '4.42',
    level: 'SHOULD',
    sentence: 'At the end of a turn that was not cancelled its calls have ended.',
    covers,
    scenarios,
    reads: 'both',
    *judge(view) {
      for (const { call, frame, ended } of over(view, false))
        yield { frame, wrong: ended ? null : `the call ${shown(call.id)} is open` };
    },
  },
  'call-ends-cancelled': {
    section: '4.49',
    level: 'SHOULD',
    sentence: 'At the end of a turn that was cancelled its calls have ended.',
    covers,
    scenarios: ['cancel tool', 'permission cancelled'],
    reads: 'both',
    *judge(view) {
      for (const { call, frame, ended } of over(view, true))
        yield { frame, wrong: ended ? null : `the call ${shown(call.id)} is open` };
    },
  },
  'call-in-turn': {
    section: '4.27',
    level: 'SHOULD',
    sentence: 'The updates of a call come before the answer to its prompt.',
    covers,
    scenarios: [...scenarios, 'cancel tool'],
    reads: 'both',
    *judge(view) {
      if (view.initialize === null) return;
      for (const one of view.updates)
        if (isOfCall(one)) yield { frame: one.frame, wrong: one.isStray ? 'no prompt runs' : null };
    },
  },
  'call-failed': {
    section: '4.35',
    isMeasured: true,
    sentence: 'A tool that fails ends its call `failed`.',
    covers,
    scenarios: ['tool that fails'],
    reads: 'both',
    *judge(view) {
      // Whether a tool failed only the scenario knows.
      for (const { updates } of calls(view))
        for (const { frame, update } of updates) if (update.status === 'failed') yield { frame, wrong: null };
    },
  },
  'terminal-shown': {
    section: '4.40',
    isMeasured: true,
    sentence: 'A terminal among the contents of a call was created, or its output is in `_meta` of the updates.',
    covers: ['request:terminal/create'],
    scenarios: ['tool'],
    reads: 'both',
    *judge(view) {
      const created = new Set(
        view.agent.requests.flatMap(({ method, answers }) =>
          method === 'terminal/create' ? answers.map(({ result }) => at(result, 'terminalId')) : [],
        ),
      );
      const told = new Set(
        view.updates.flatMap(({ update }) =>
          ['terminal_info', 'terminal_output', 'terminal_output_delta', 'terminal_exit'].map((name) =>
            at(update, '_meta', name, 'terminal_id'),
          ),
        ),
      );
      for (const { frame, update } of view.updates)
        for (const { type, terminalId: id } of itemsOf(update.content))
          if (type === 'terminal')
            yield { frame, wrong: created.has(id) || told.has(id) ? null : `nobody created ${shown(id)}` };
    },
  },
};
