// Mutants for rules: lanes, repetitions, versions, session events and answers (docs/protocols/pi-server.md 7.3 to 22).
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf, without } from '../../../../src/core/model/dictionary.ts';
import type { Interceptor, Link } from '../../support/intercept.ts';
import {
  changesInput,
  changesOutput,
  dataOf,
  dropsOutput,
  eventOf,
  isResponse,
  type Mutant,
  withData,
  withEvent,
} from './mutant.ts';
import { commandOf, delays, isEvent, isFailure, isStep, puts, versions } from './rule-changes.ts';

/** Sends matching frames after the next command. */
const late = (fits: (frame: Dictionary) => boolean) => (): Interceptor => {
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

/** Drops the third acceptance of one id. */
function twoAccepted(): Interceptor {
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

/** Ends the first renaming of a session after the next one has begun. */
function overlapping(): Interceptor {
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
export const repeatMutants: readonly Mutant[] = [
  {
    fault: 'the second command goes before the first',
    caughtBy: ['lane-order'],
    alsoCaughtBy: ['lane-one-by-one'],
    make: late(isFirstName),
  },
  { fault: 'a command is started while another goes on', caughtBy: ['lane-one-by-one'], make: overlapping },
  {
    fault: 'a repetition is started',
    caughtBy: ['replay-not-started'],
    make: puts(
      (frame) => isStep(frame, 'finished') && dataOf(frame).replayed === true,
      (frame) => [
        { type: 'command_started', data: without(dataOf(frame), 'success', 'sessionVersion', 'replayed', 'error') },
        frame,
      ],
    ),
  },
  { fault: 'one repetition is accepted and another is not', caughtBy: ['replay-accepted'], make: twoAccepted },
  {
    fault: 'a repetition does not say that it is one',
    caughtBy: ['repeat-replayed'],
    alsoCaughtBy: ['started-first'],
    make: changesOutput((frame) =>
      frame.type === 'response'
        ? without(frame, 'replayed')
        : isStep(frame, 'finished')
          ? { ...frame, data: without(dataOf(frame), 'replayed') }
          : frame,
    ),
  },
  {
    fault: 'a repetition tells something new',
    caughtBy: ['repeat-same'],
    make: changesOutput((frame) =>
      frame.replayed === true && isResponse(frame) ? withData(frame, { now: 1 }) : frame,
    ),
  },
  {
    fault: 'another command under a known id succeeds',
    caughtBy: ['id-conflict'],
    alsoCaughtBy: ['response-finished', 'finished-before-response', 'response-outcome'],
    make: changesOutput((frame) =>
      isFailure(frame) && /^Conflicting/u.test(String(frame.error))
        ? { ...without(frame, 'error'), success: true, data: healthy }
        : frame,
    ),
  },
  {
    fault: 'a success has timed out',
    caughtBy: ['timeout-failed'],
    make: changesOutput((frame) => (isResponse(frame, 'get_metrics') ? { ...frame, timedOut: true } : frame)),
  },
  {
    fault: 'nobody waits for what a command depends on',
    caughtBy: ['dependency-succeeded', 'dependency-failed'],
    make: changesInput((frame) => without(frame, 'dependsOn')),
  },
];

/** Section 10. */
export const versionMutants: readonly Mutant[] = [
  {
    fault: 'versions begin with 1',
    caughtBy: ['version-zero'],
    alsoCaughtBy: ['version-condition'],
    make: versions((version) => version + 1),
  },
  {
    fault: 'versions fall',
    caughtBy: ['version-grows'],
    alsoCaughtBy: ['version-condition'],
    make: versions((version, frame) => (commandOf(frame) === 'create_session' ? version : 100 - version)),
  },
  {
    fault: 'to look at a session changes its version',
    caughtBy: ['version-read'],
    alsoCaughtBy: ['version-condition', 'version-write', 'version-grows'],
    make: versions((version, frame) => (commandOf(frame) === 'get_state' ? version + 1 : version)),
  },
  {
    fault: 'a change adds two to the version',
    caughtBy: ['version-write'],
    alsoCaughtBy: ['version-condition'],
    make: versions((version) => version * 2),
  },
  {
    fault: 'nobody looks at ifSessionVersion',
    caughtBy: ['version-condition'],
    make: changesInput((frame) => without(frame, 'ifSessionVersion')),
  },
];

/** docs/protocols/pi-server.md 6, 16.2, 18 and 19. */
export const eventMutants: readonly Mutant[] = [
  {
    fault: 'an event of a session that nobody has switched to',
    caughtBy: ['event-subscribed'],
    make: puts(
      (frame) => isResponse(frame, 'create_session'),
      (frame) => [frame, { type: 'event', sessionId: 'another', event: { type: 'notice' } }],
    ),
  },
  {
    fault: 'nobody is told of a new session',
    caughtBy: ['session-created'],
    make: dropsOutput(({ type }) => type === 'session_created'),
  },
  {
    fault: 'nobody is told that a session is gone',
    caughtBy: ['session-deleted'],
    make: dropsOutput(({ type }) => type === 'session_deleted'),
  },
  {
    fault: 'a run begins twice',
    caughtBy: ['run-order'],
    alsoCaughtBy: ['event-brackets', 'event-repeats'],
    make: puts(
      (frame) => isEvent(frame, 'agent_start'),
      (frame) => [frame, frame],
    ),
  },
  {
    fault: 'a message starts twice',
    caughtBy: ['message-order'],
    alsoCaughtBy: ['event-messages', 'event-blocks', 'event-deltas', 'event-repeats'],
    make: puts(
      (frame) => isEvent(frame, 'message_start'),
      (frame) => [frame, frame],
    ),
  },
  {
    fault: 'the pieces are another text',
    caughtBy: ['message-text'],
    alsoCaughtBy: ['event-deltas'],
    make: changesOutput((frame) => {
      const update = dictionaryOf(eventOf(frame).assistantMessageEvent);
      if (update.type !== 'text_delta') return frame;
      return withEvent(frame, { assistantMessageEvent: { ...update, delta: `${String(update.delta)}!` } });
    }),
  },
  {
    fault: 'a tool ends that never started',
    caughtBy: ['tool-order'],
    alsoCaughtBy: ['event-tools', 'event-brackets'],
    make: changesOutput((frame) =>
      isEvent(frame, 'tool_execution_end') ? withEvent(frame, { toolCallId: 'another' }) : frame,
    ),
  },
  {
    fault: 'a compaction starts for no reason',
    caughtBy: ['compaction-told'],
    alsoCaughtBy: ['event-compactions'],
    make: changesOutput((frame) =>
      isEvent(frame, 'auto_compaction_start') ? { ...frame, event: without(eventOf(frame), 'reason') } : frame,
    ),
  },
  {
    fault: 'retries are not counted',
    caughtBy: ['retry-told'],
    make: changesOutput((frame) => (isEvent(frame, 'auto_retry_start') ? withEvent(frame, { attempt: 5 }) : frame)),
  },
  {
    fault: 'a prompt is answered before its run is over',
    caughtBy: ['prompt-last'],
    make: delays(
      (frame) => isEvent(frame, 'agent_end'),
      (frame) => isResponse(frame, 'prompt'),
    ),
  },
  {
    fault: 'commands are accepted behind the end',
    caughtBy: ['shutdown-last'],
    make: puts(
      (frame) => isResponse(frame, 'get_metrics'),
      (frame) => [frame, { type: 'server_shutdown', data: { reason: 'graceful_shutdown', timeoutMs: 1 } }],
    ),
  },
];

/** docs/protocols/pi-server.md 4.2, 17 and 22. */
export const dataMutants: readonly Mutant[] = [
  {
    fault: 'an empty key is none',
    caughtBy: ['invalid-fails'],
    make: changesInput((frame) => (frame.idempotencyKey === '' ? without(frame, 'idempotencyKey') : frame)),
  },
  {
    fault: 'an unknown command is not named',
    caughtBy: ['unknown-fails'],
    make: changesOutput((frame) =>
      isFailure(frame) ? { ...frame, error: String(frame.error).replaceAll('nobody-knows-this', '?') } : frame,
    ),
  },
  {
    fault: 'errors are in words of its own',
    caughtBy: ['error-words'],
    make: changesOutput((frame) =>
      isFailure(frame)
        ? { ...frame, error: String(frame.error).replace(/^Validation failed/u, 'Not so: validation failed') }
        : frame,
    ),
  },
];
