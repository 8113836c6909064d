// What our pi-server frontend promises beyond the rules for everybody: it tells the whole course of every client's commands,
// one after the other in each lane, and nothing that the document has no name for.
import type { Trace } from '../../../src/conformance/check/rule.ts';
import { beside, needsSession } from '../../../src/conformance/pi-server/view/commands.ts';
import { coursesIn } from '../../../src/conformance/pi-server/view/courses.ts';
import { type View, viewOf } from '../../../src/conformance/pi-server/view/view.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import { type OwnRule, ownRules } from './own-rule.ts';

const identity = ['commandId', 'commandType', 'sessionId', 'dependsOn', 'ifSessionVersion', 'idempotencyKey'];
/** The fields of each message, and of its `data` where they are all named (docs/protocols/pi-server.md 5, 6, 7.5, 16). */
const messages: ReadonlyMap<unknown, { readonly own: readonly string[]; readonly data?: readonly string[] }> = new Map([
  ['server_ready', { own: ['data'] }],
  ['startup_recovery_summary', { own: ['data'] }],
  ['server_shutdown', { own: ['data'] }],
  ['command_accepted', { own: ['data'], data: identity }],
  ['command_started', { own: ['data'], data: identity }],
  ['command_finished', { own: ['data'], data: [...identity, 'success', 'error', 'sessionVersion', 'replayed'] }],
  ['session_created', { own: ['data'], data: ['sessionId', 'sessionInfo'] }],
  ['session_deleted', { own: ['data'], data: ['sessionId'] }],
  ['event', { own: ['sessionId', 'event'] }],
  ['response', { own: ['command', 'success', 'id', 'error', 'data', 'sessionVersion', 'replayed', 'timedOut'] }],
]);

/** Our words for what is refused before it starts (docs/protocols/pi-server.md 7.1, 22). */
const refusals =
  /^(?:Conflicting |Rate limit exceeded|Global rate limit exceeded|Server busy|Extension UI response rate)/u;

/** Whether a prompt joins the run that is open, as its client says. */
const joins = ({ sentAs }: View, id: unknown): boolean =>
  sentAs(id).some(({ json }) => json.streamingBehavior !== undefined);

/** A view with the courses of all commands, those of other clients too. `isLate`: others began some before the connection. */
function viewWithAll(trace: Trace, isLate: boolean) {
  const view = viewOf(trace);
  const all = coursesIn(view.lifecycleSteps, {
    lifecycleOf: view.lifecycleOf,
    isHeard: () => !isLate,
    placeOf({ id, frame, data: { commandType: type, sessionId } }) {
      if (beside.has(type) || type === 'extension_ui_response' || joins(view, id)) return null;
      const isOfSession = sessionId !== undefined && (needsSession(type) || type === 'delete_session');
      return { lane: isOfSession ? `session ${String(sessionId)}` : 'server', place: frame };
    },
  });
  return { ...view, all };
}

/** The rules for a connection that heard everything, or that was made late. */
export const piServerOwn = (isLate: boolean): readonly OwnRule[] =>
  ownRules('pi-server', (trace) => viewWithAll(trace, isLate), {
    'no-other-fields': [
      'A message is one of the document, has the fields of its type and no others, and no null for what is absent.',
      function* ({ fromServer }) {
        for (const { frame, json } of fromServer) {
          const known = messages.get(json.type);
          const inside = known?.data === undefined ? [] : Object.entries(dictionaryOf(json.data));
          const strange = Object.keys(json).find((key) => key !== 'type' && known?.own.includes(key) !== true);
          const inData = inside.find(([key, value]) => value === null || known?.data?.includes(key) !== true);
          const named = strange ?? inData?.[0];
          const has = named === undefined ? null : `${String(json.type)} has ${named}`;
          yield { frame, wrong: known === undefined ? 'no message of the document' : has };
        }
      },
    ],
    'said-once': [
      'A connection is greeted once, and told once that the server ends.',
      function* ({ fromServer }) {
        const said = new Set<unknown>();
        for (const { frame, json } of fromServer) {
          if (json.type !== 'server_ready' && json.type !== 'server_shutdown') continue;
          yield { frame, wrong: said.has(json.type) ? 'it is said again' : null };
          said.add(json.type);
        }
      },
    ],
    answers: [
      'Each frame of the client has one response, one that is no command too.',
      function* ({ frames, responses, isComplete }) {
        const sent = frames.filter(({ by }) => by === 'client').length;
        const isRight = responses.length === sent || (!isComplete && responses.length < sent);
        if (sent > 0) yield { frame: 0, wrong: isRight ? null : `${sent} frames have ${responses.length} responses` };
      },
    ],
    'whole-courses': [
      'Every command, a repetition and a refusal too, is accepted, started if it is carried out and finished, once and in the same words.',
      function* (view) {
        if (isLate) return;
        const { steps, open } = view.all;
        for (const { frame, data, course, isInOrder, isTwice, isSame } of steps) {
          const isRefusedLate = course?.stage === 'started' && refusals.test(String(data.error));
          const isPlaced = isInOrder && !isTwice && !isRefusedLate;
          yield { frame, wrong: isPlaced ? null : 'it is not where it should be' };
          yield { frame, wrong: isSame ? null : 'it was accepted otherwise' };
        }
        for (const { accepted } of view.isComplete ? open : [])
          yield { frame: accepted.frame, wrong: 'it is never finished' };
      },
    ],
    lanes: [
      'In a lane the commands of all clients go on one after the other, in the order in which they were accepted.',
      function* ({ all }) {
        for (const { frame, overtakenBy, joinedBy } of all.steps) {
          if (joinedBy !== null) yield { frame, wrong: `${String(joinedBy.id)} was started before it was finished` };
          if (overtakenBy !== null && !isLate) yield { frame, wrong: `${String(overtakenBy.id)} went first` };
        }
      },
    ],
    subscribed: [
      'Events are of sessions that the connection has switched to, and that are not deleted.',
      function* ({ fromServer }) {
        const subscribed = new Set<unknown>();
        /** A deletion that is repeated is announced again (docs/protocols/pi-server.md 8.8). */
        const repeated = new Set<unknown>();
        for (const { frame, json } of fromServer) {
          const { sessionId, commandType, replayed, sessionInfo } = dictionaryOf(json.data);
          if (commandType === 'delete_session' && replayed === true) repeated.add(sessionId);
          if (json.type === 'session_deleted' && !repeated.delete(sessionId)) subscribed.delete(sessionId);
          if (json.command === 'switch_session' && json.success === true)
            subscribed.add(dictionaryOf(sessionInfo).sessionId);
          if (json.type === 'event')
            yield { frame, wrong: subscribed.has(json.sessionId) ? null : `${String(json.sessionId)} is not heard` };
        }
      },
    ],
    runs: [
      'A prompt of any client is finished when its run is over.',
      function* (view) {
        const running = new Set<unknown>();
        const steps = new Map(view.lifecycleSteps.map((step) => [step.frame, step]));
        for (const { frame, json } of view.fromServer) {
          const { type } = dictionaryOf(json.event);
          if (type === 'agent_start') running.add(json.sessionId);
          if (type === 'agent_end') running.delete(json.sessionId);
          const { phase, data = {}, id } = steps.get(frame) ?? {};
          if (phase !== 'finished' || data.commandType !== 'prompt' || data.replayed === true) continue;
          if (data.success === true && !joins(view, id))
            yield { frame, wrong: running.has(data.sessionId) ? 'its run goes on' : null };
        }
      },
    ],
  });
