// Doubles for rules: lanes, repetitions, versions, what sessions say, what commands answer (docs/protocols/pi-server.md 7.3 to 22).
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf, without } from '../../../../src/core/model/dictionary.ts';
import type { Link, Tamper } from '../../support/tamper.ts';
import { type Double, dataOf, eventOf, hides, isResponse, says, takes, withData, withEvent } from './double.ts';
import { commandOf, delays, isEvent, isFailure, isStep, puts, versions } from './tamper-rules.ts';

/** Sends what fits behind the next command. */
const late = (fits: (frame: Dictionary) => boolean) => (): Tamper => {
  let held: Dictionary | null = null;
  return {
    in(frame) {
      if (fits(frame)) {
        held = frame;
        return [];
      }
      const all = held === null ? [frame] : [frame, held];
      held = null;
      return all;
    },
  };
};

/** Drops the third time that a command of one id is accepted. */
function twoAccepted(): Tamper {
  const seen = new Map<unknown, number>();
  return {
    out(frame) {
      const { commandId } = dataOf(frame);
      if (!isStep(frame, 'accepted', 'list_sessions')) return [frame];
      seen.set(commandId, (seen.get(commandId) ?? 0) + 1);
      return seen.get(commandId) === 3 ? [] : [frame];
    },
  };
}

const isFirstName = ({ name }: Dictionary) => name === 'one';

/** Ends the first naming of a session when the next has begun. */
function overlapping(): Tamper {
  const links = new Map<Link, { first?: unknown; readonly held: Dictionary[] }>();
  return {
    in(frame, link) {
      if (isFirstName(frame)) links.set(link, { first: frame.id, held: [] });
      return [frame];
    },
    out(frame, link) {
      const own = links.get(link);
      if (own?.first === undefined) return [frame];
      const isEnd = isStep(frame, 'finished') && dataOf(frame).commandId === own.first;
      if (isEnd || (isResponse(frame) && frame.id === own.first)) {
        own.held.push(frame);
        return [];
      }
      if (!isStep(frame, 'started') || own.held.length === 0) return [frame];
      links.delete(link);
      return [frame, ...own.held];
    },
  };
}

const healthy = { healthy: true, issues: [], hasOpenCircuit: false, hasOpenBashCircuit: false };

/** Sections 7.3 to 9. */
export const repeatDoubles: readonly Double[] = [
  {
    fault: 'the second command goes before the first',
    caught: ['lane-order'],
    kin: ['lane-one-by-one'],
    make: late(isFirstName),
  },
  { fault: 'a command is started while another goes on', caught: ['lane-one-by-one'], make: overlapping },
  {
    fault: 'a repetition is started',
    caught: ['replay-not-started'],
    make: puts(
      (frame) => isStep(frame, 'finished') && dataOf(frame).replayed === true,
      (frame) => [
        { type: 'command_started', data: without(dataOf(frame), 'success', 'sessionVersion', 'replayed', 'error') },
        frame,
      ],
    ),
  },
  { fault: 'one repetition is accepted and another is not', caught: ['replay-accepted'], make: twoAccepted },
  {
    fault: 'a repetition does not say that it is one',
    caught: ['repeat-replayed'],
    kin: ['started-first'],
    make: says((frame) =>
      frame.type === 'response'
        ? without(frame, 'replayed')
        : isStep(frame, 'finished')
          ? { ...frame, data: without(dataOf(frame), 'replayed') }
          : frame,
    ),
  },
  {
    fault: 'a repetition tells something new',
    caught: ['repeat-same'],
    make: says((frame) => (frame.replayed === true && isResponse(frame) ? withData(frame, { now: 1 }) : frame)),
  },
  {
    fault: 'another command under a known id succeeds',
    caught: ['id-conflict'],
    kin: ['response-finished', 'finished-before-response', 'response-outcome'],
    make: says((frame) =>
      isFailure(frame) && /^Conflicting/u.test(String(frame.error))
        ? { ...without(frame, 'error'), success: true, data: healthy }
        : frame,
    ),
  },
  {
    fault: 'a success has timed out',
    caught: ['timeout-failed'],
    make: says((frame) => (isResponse(frame, 'get_metrics') ? { ...frame, timedOut: true } : frame)),
  },
  {
    fault: 'nobody waits for what a command depends on',
    caught: ['dependency-succeeded', 'dependency-failed'],
    make: takes((frame) => without(frame, 'dependsOn')),
  },
];

/** Section 10. */
export const versionDoubles: readonly Double[] = [
  {
    fault: 'versions begin with 1',
    caught: ['version-zero'],
    kin: ['version-condition'],
    make: versions((version) => version + 1),
  },
  {
    fault: 'versions fall',
    caught: ['version-grows'],
    kin: ['version-condition'],
    make: versions((version, frame) => (commandOf(frame) === 'create_session' ? version : 100 - version)),
  },
  {
    fault: 'to look at a session changes its version',
    caught: ['version-read'],
    kin: ['version-condition', 'version-write', 'version-grows'],
    make: versions((version, frame) => (commandOf(frame) === 'get_state' ? version + 1 : version)),
  },
  {
    fault: 'a change adds two to the version',
    caught: ['version-write'],
    kin: ['version-condition'],
    make: versions((version) => version * 2),
  },
  {
    fault: 'nobody looks at ifSessionVersion',
    caught: ['version-condition'],
    make: takes((frame) => without(frame, 'ifSessionVersion')),
  },
];

/** docs/protocols/pi-server.md 6, 16.2, 18 and 19. */
export const eventDoubles: readonly Double[] = [
  {
    fault: 'an event does not say of which session it is',
    caught: ['event-envelope'],
    make: says((frame) => (isEvent(frame, 'agent_start') ? without(frame, 'sessionId') : frame)),
  },
  {
    fault: 'an event of a session that nobody has switched to',
    caught: ['event-subscribed'],
    make: puts(
      (frame) => isResponse(frame, 'create_session'),
      (frame) => [frame, { type: 'event', sessionId: 'another', event: { type: 'notice' } }],
    ),
  },
  {
    fault: 'nobody is told of a new session',
    caught: ['session-created'],
    make: hides(({ type }) => type === 'session_created'),
  },
  {
    fault: 'nobody is told that a session is gone',
    caught: ['session-deleted'],
    make: hides(({ type }) => type === 'session_deleted'),
  },
  {
    fault: 'a run begins twice',
    caught: ['run-order'],
    make: puts(
      (frame) => isEvent(frame, 'agent_start'),
      (frame) => [frame, frame],
    ),
  },
  {
    fault: 'a run ends without its messages',
    caught: ['run-messages'],
    make: says((frame) =>
      isEvent(frame, 'agent_end') ? { ...frame, event: without(eventOf(frame), 'messages') } : frame,
    ),
  },
  {
    fault: 'a message starts twice',
    caught: ['message-order'],
    make: puts(
      (frame) => isEvent(frame, 'message_start'),
      (frame) => [frame, frame],
    ),
  },
  {
    fault: 'the pieces are another text',
    caught: ['message-text'],
    make: says((frame) => {
      const update = dictionaryOf(eventOf(frame).assistantMessageEvent);
      if (update.type !== 'text_delta') return frame;
      return withEvent(frame, { assistantMessageEvent: { ...update, delta: `${String(update.delta)}!` } });
    }),
  },
  {
    fault: 'a tool ends that never started',
    caught: ['tool-order'],
    make: says((frame) => (isEvent(frame, 'tool_execution_end') ? withEvent(frame, { toolCallId: 'another' }) : frame)),
  },
  {
    fault: 'a compaction starts for no reason',
    caught: ['compaction-told'],
    make: says((frame) =>
      isEvent(frame, 'auto_compaction_start') ? { ...frame, event: without(eventOf(frame), 'reason') } : frame,
    ),
  },
  {
    fault: 'retries are not counted',
    caught: ['retry-told'],
    make: says((frame) => (isEvent(frame, 'auto_retry_start') ? withEvent(frame, { attempt: 5 }) : frame)),
  },
  {
    fault: 'a prompt is answered before its run is over',
    caught: ['prompt-last'],
    make: delays(
      (frame) => isEvent(frame, 'agent_end'),
      (frame) => isResponse(frame, 'prompt'),
    ),
  },
  {
    fault: 'a question has no title',
    caught: ['question-shape'],
    make: says((frame) =>
      isEvent(frame, 'extension_ui_request') ? { ...frame, event: without(eventOf(frame), 'title') } : frame,
    ),
  },
  {
    fault: 'the end comes without a word why',
    caught: ['shutdown-data'],
    kin: ['shutdown-last'],
    make: puts(
      (frame) => isResponse(frame, 'get_metrics'),
      (frame) => [frame, { type: 'server_shutdown', data: {} }],
    ),
  },
  {
    fault: 'commands are accepted behind the end',
    caught: ['shutdown-last'],
    make: puts(
      (frame) => isResponse(frame, 'get_metrics'),
      (frame) => [frame, { type: 'server_shutdown', data: { reason: 'graceful_shutdown', timeoutMs: 1 } }],
    ),
  },
];

/** docs/protocols/pi-server.md 4.2, 17 and 22. */
export const dataDoubles: readonly Double[] = [
  {
    fault: 'the health of a server is unknown',
    caught: ['server-data'],
    make: says((frame) =>
      isResponse(frame, 'health_check') && frame.success === true ? { ...frame, data: {} } : frame,
    ),
  },
  {
    fault: 'a session has no messages',
    caught: ['session-data'],
    make: says((frame) => (isResponse(frame, 'get_messages') ? { ...frame, data: {} } : frame)),
  },
  {
    fault: 'an empty key is none',
    caught: ['invalid-fails'],
    make: takes((frame) => (frame.idempotencyKey === '' ? without(frame, 'idempotencyKey') : frame)),
  },
  {
    fault: 'an unknown command is not named',
    caught: ['unknown-fails'],
    make: says((frame) =>
      isFailure(frame) ? { ...frame, error: String(frame.error).replaceAll('nobody-knows-this', '?') } : frame,
    ),
  },
  {
    fault: 'errors are in words of its own',
    caught: ['error-words'],
    make: says((frame) =>
      isFailure(frame)
        ? { ...frame, error: String(frame.error).replace(/^Validation failed/u, 'Not so: validation failed') }
        : frame,
    ),
  },
];
