// Mutants of lanes, replay, keys, dependencies, versions and timeouts: docs/protocols/pi-server.md 7.3 to 12.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { without } from '../../../../src/core/model/dictionary.ts';
import type { Interceptor, Link } from '../../support/intercept.ts';
import {
  changesInput,
  changesOutput,
  dataOf,
  isResponse,
  type Mutant,
  payloadOf,
  phaseOf,
  withData,
} from './mutant.ts';

/** Gives a command with a reused id a new id, where `isNew` says so, and answers under the old one. */
function renaming(isNew: (now: Dictionary, before: Dictionary) => boolean): () => Interceptor {
  return () => {
    const before = new Map<unknown, Dictionary>();
    const renamed = new Map<unknown, unknown>();
    const restored = (frame: Dictionary): Dictionary => {
      if (frame.type === 'response' && renamed.has(frame.id)) return { ...frame, id: renamed.get(frame.id) };
      const { commandId } = dataOf(frame);
      return phaseOf(frame) !== '' && renamed.has(commandId)
        ? withData(frame, { commandId: renamed.get(commandId) })
        : frame;
    };
    return {
      in(frame) {
        const { id } = frame;
        const earlier = before.get(id);
        if (typeof id !== 'string' || id.length > 200) return [frame];
        before.set(id, frame);
        if (earlier === undefined || !isNew(frame, earlier)) return [frame];
        const name = `${id}-${renamed.size}`;
        renamed.set(name, id);
        return [{ ...frame, id: name }];
      },
      out: (frame) => [restored(frame)],
    };
  };
}

/** Removes a reused key from a command, where `isOff` says so. */
function unkeyed(isOff: (now: Dictionary, before: Dictionary) => boolean): () => Interceptor {
  return () => {
    const before = new Map<unknown, Dictionary>();
    return {
      in(frame) {
        const { idempotencyKey } = frame;
        if (typeof idempotencyKey !== 'string') return [frame];
        const earlier = before.get(idempotencyKey);
        before.set(idempotencyKey, frame);
        return [earlier !== undefined && isOff(frame, earlier) ? without(frame, 'idempotencyKey') : frame];
      },
    };
  };
}

/** Answers such commands itself and hides them from the server. */
function answering(answer: (frame: Dictionary, link: Link) => Dictionary | null): () => Interceptor {
  return () => ({
    in(frame, link) {
      const said = answer(frame, link);
      if (said === null) return [frame];
      link.toClient({ type: 'response', command: frame.type, id: frame.id, ...said });
      return [];
    },
  });
}

/** Holds back such commands while a prompt runs on the connection. */
function holding(isHeld: (frame: Dictionary) => boolean): () => Interceptor {
  return () => {
    const links = new Map<Link, { readonly prompts: Set<unknown>; readonly held: Dictionary[] }>();
    const of = (link: Link) => {
      const known = links.get(link) ?? { prompts: new Set(), held: [] };
      links.set(link, known);
      return known;
    };
    return {
      in(frame, link) {
        const { prompts, held } = of(link);
        if (isHeld(frame) && prompts.size > 0) {
          held.push(frame);
          return [];
        }
        if (frame.type === 'prompt') prompts.add(frame.id);
        return [frame];
      },
      out(frame, link) {
        const { prompts, held } = of(link);
        if (isResponse(frame, 'prompt')) prompts.delete(frame.id);
        while (prompts.size === 0) {
          const late = held.shift();
          if (late === undefined) break;
          if (late.type === 'prompt') prompts.add(late.id);
          link.toServer(late);
        }
        return [frame];
      },
    };
  };
}

const isSamePayload = (now: Dictionary, before: Dictionary) => payloadOf(now) === payloadOf(before);
const sorted = (frame: Dictionary) => JSON.stringify(Object.entries(frame).sort(([a], [b]) => (a < b ? -1 : 1)));
const replayed = ['7.4-39', '8.1-43', '8.1-44', '8.1-46', '8.2-50', '8.2-55', '5.1-24', '8-56'];

/** Sections 7.3 to 12. */
export const identityMutants: readonly Mutant[] = [
  {
    fault: 'reads do not wait for a prompt',
    caughtBy: ['7.3-36'],
    alsoCaughtBy: ['17.2-93', '9.2-65'],
    make: () => {
      const prompts = new Set<unknown>();
      return {
        in(frame, link) {
          if (frame.type === 'prompt') prompts.add(frame.sessionId);
          if (frame.type !== 'get_state' || !prompts.has(frame.sessionId)) return [frame];
          link.toClient({ type: 'response', command: frame.type, id: frame.id, success: true, data: {} });
          return [];
        },
        out(frame) {
          if (frame.type === 'command_finished' && dataOf(frame).commandType === 'prompt')
            prompts.delete(dataOf(frame).sessionId);
          return [frame];
        },
      };
    },
  },
  {
    fault: 'the server waits for prompts',
    caughtBy: ['7.3-35'],
    alsoCaughtBy: ['18.2-100', '18.2-99', '12-84', '7.1-33c', '12-85'],
    make: holding(({ type }) => type === 'list_sessions'),
  },
  {
    fault: 'what is about a prompt waits for it, as in the real server',
    caughtBy: ['17.2-93', '17.2-94', '17.2-94b', '18-97:select', '18-97:confirm', '18-97:input', '18-97:editor'],
    alsoCaughtBy: ['18.2-98', '18.2-99', '18.2-100', '18.1-101b'],
    make: holding(({ type }) => ['abort', 'steer', 'follow_up', 'extension_ui_response'].includes(String(type))),
  },
  {
    fault: 'sessions wait for each other',
    caughtBy: ['7.3-37'],
    alsoCaughtBy: ['8.1-44', '8.1-45', '12-84', '7.1-33c'],
    make: holding(({ type }) => type === 'prompt'),
  },
  {
    fault: 'commands of one session overtake each other',
    caughtBy: ['7.3-34'],
    make: () => {
      const held = new Map<Link, Dictionary>();
      return {
        in(frame, link) {
          if (frame.type !== 'set_session_name' || !/^n\d$/u.test(String(frame.name)) || 'dependsOn' in frame)
            return [frame];
          const before = held.get(link);
          held.delete(link);
          if (before !== undefined) return [frame, before];
          if (frame.name !== 'n2') return [frame];
          held.set(link, frame);
          // Nothing else may wait for this.
          queueMicrotask(() => {
            if (held.get(link) !== frame) return;
            held.delete(link);
            link.toServer(frame);
          });
          return [];
        },
      };
    },
  },
  {
    fault: 'a duplicate is executed again',
    caughtBy: ['7.4-39', '8.1-43', '8.1-44', '8.1-46', '8-56'],
    alsoCaughtBy: ['7.4-39b', '7.4-40', '8-56b', '8.3-48', '11-80', '12-83'],
    make: renaming(isSamePayload),
  },
  {
    fault: 'a replay does not say that it is one',
    caughtBy: [...replayed, '8.3-47', '8.3-48'],
    alsoCaughtBy: ['11-80', '11-81', '12-83', '8.2-54'],
    make: changesOutput((frame) => (isResponse(frame) ? without(frame, 'replayed') : frame)),
  },
  {
    fault: 'a conflict of ids is not seen',
    caughtBy: ['8.1-41', '8.1-42', '8.1-45', '8.3-49'],
    alsoCaughtBy: ['7.1-33', '8.3-47'],
    make: renaming((now, before) => !isSamePayload(now, before)),
  },
  {
    fault: 'a conflict does not name the commands',
    caughtBy: ['8.1-41', '8.1-42', '8.1-45'],
    alsoCaughtBy: ['8.3-49', '8.2-51', '8.2-53'],
    make: changesOutput((frame) =>
      isResponse(frame) && /^Conflicting/u.test(String(frame.error)) ? { ...frame, error: 'conflict' } : frame,
    ),
  },
  {
    fault: 'the order of keys counts, as in the real server',
    caughtBy: ['8.3-47'],
    make: renaming((now, before) => !isSamePayload(now, before) && sorted(now) === sorted(before)),
  },
  {
    fault: 'the key is part of the fingerprint',
    caughtBy: ['8.3-48'],
    make: renaming((now, before) => now.idempotencyKey !== before.idempotencyKey),
  },
  {
    fault: 'keys are not looked at',
    caughtBy: ['8.2-50', '8.2-51', '8.2-53', '8.2-55', '5.1-24'],
    alsoCaughtBy: ['8.2-54', '11-81'],
    make: changesInput((frame) =>
      typeof frame.idempotencyKey === 'string' && frame.idempotencyKey.length < 200 && frame.idempotencyKey !== ''
        ? without(frame, 'idempotencyKey')
        : frame,
    ),
  },
  {
    fault: 'a conflict of keys is not seen',
    caughtBy: ['8.2-51', '8.2-53'],
    make: unkeyed((now, before) => payloadOf(now) !== payloadOf(before)),
  },
  {
    fault: 'a key counts in all sessions',
    caughtBy: ['8.2-52'],
    make: () => {
      const scopes = new Map<unknown, unknown>();
      return {
        in(frame, link) {
          const { idempotencyKey, sessionId, id, type } = frame;
          if (typeof idempotencyKey !== 'string') return [frame];
          const known = scopes.get(idempotencyKey) ?? sessionId;
          scopes.set(idempotencyKey, known);
          if (known === sessionId) return [frame];
          const error = `Conflicting idempotencyKey '${idempotencyKey}': previously used for '${type}', now used for '${type}'`;
          link.toClient({ type: 'response', command: type, id, success: false, error });
          return [];
        },
      };
    },
  },
  {
    fault: 'keys never expire',
    caughtBy: ['8.2-54'],
    make: () => {
      const known = new Set<unknown>();
      const again = new Set<unknown>();
      return {
        in(frame) {
          const { idempotencyKey, id } = frame;
          if (known.has(idempotencyKey)) again.add(id);
          if (idempotencyKey !== undefined) known.add(idempotencyKey);
          return [frame];
        },
        out: (frame) => [
          isResponse(frame, 'set_session_name') && frame.success === true && again.has(frame.id)
            ? { ...frame, replayed: true }
            : frame,
        ],
      };
    },
    alsoCaughtBy: ['8.2-52'],
  },
  {
    fault: 'outcomes are never forgotten',
    caughtBy: ['8-57'],
    make: () => {
      const sent = new Map<unknown, string>();
      const known = new Map<unknown, Dictionary>();
      return {
        in(frame, link) {
          const { id } = frame;
          const before = known.get(id);
          const isAgain = before !== undefined && sent.get(id) === payloadOf(frame);
          if (!sent.has(id)) sent.set(id, payloadOf(frame));
          if (!isAgain) return [frame];
          link.toClient({ ...before, replayed: true });
          return [];
        },
        out(frame) {
          if (isResponse(frame) && frame.id !== undefined && !known.has(frame.id)) known.set(frame.id, frame);
          return [frame];
        },
      };
    },
    alsoCaughtBy: ['4.2-20', '7.4-40'],
  },
  {
    fault: 'dependencies are not looked at',
    caughtBy: ['9-59', '9-60', '9-61', '9-62', '9-63', '9.2-65'],
    alsoCaughtBy: ['4.2-18', '8.3-49', '9-67', '9.1-64', '8-57'],
    make: changesInput((frame) => without(frame, 'dependsOn')),
  },
  {
    fault: 'a command with an unknown dependency waits for ever',
    caughtBy: ['9-59', '9-61'],
    alsoCaughtBy: ['8-57', '9.2-65', '9-62'],
    make: () => {
      const seen = new Set<unknown>();
      return {
        in(frame) {
          const { dependsOn, id } = frame;
          const isLost =
            Array.isArray(dependsOn) &&
            dependsOn.some((one) => typeof one === 'string' && one.startsWith('never') && !seen.has(one));
          seen.add(id);
          return isLost ? [] : [frame];
        },
      };
    },
  },
  {
    fault: 'a command that waits for one in its own lane deadlocks',
    caughtBy: ['9.2-65', '9.2-66', '9-62'],
    alsoCaughtBy: ['9-58', '9-61'],
    make: () => {
      const lanes = new Map<unknown, unknown>();
      return {
        in(frame) {
          const { dependsOn, id, sessionId, type } = frame;
          lanes.set(id, sessionId);
          if (!Array.isArray(dependsOn) || type === 'prompt') return [frame];
          const isInside = dependsOn.some((one) => lanes.get(one) === sessionId || String(one).startsWith('a-'));
          return isInside ? [] : [frame];
        },
      };
    },
  },
  {
    fault: 'a failed dependency counts as one that succeeded',
    caughtBy: ['9-60'],
    alsoCaughtBy: ['9-67', '9.1-64'],
    make: answering(({ dependsOn }) =>
      Array.isArray(dependsOn) && dependsOn.length === 1 && String(dependsOn[0]).startsWith('fails')
        ? { success: true, sessionVersion: 0 }
        : null,
    ),
  },
  {
    fault: 'a dependency that is not over in time counts as one that succeeded',
    caughtBy: ['9-67', '9.1-64'],
    alsoCaughtBy: ['9-63'],
    make: answering(({ dependsOn }) =>
      Array.isArray(dependsOn) && String(dependsOn[0]).startsWith('prompt')
        ? { success: true, sessionVersion: 0 }
        : null,
    ),
  },
  {
    fault: 'a dependency that is done is unknown',
    caughtBy: ['9-58'],
    alsoCaughtBy: ['9-63', '9.2-66'],
    make: answering(({ dependsOn }) =>
      Array.isArray(dependsOn) && String(dependsOn[0]).startsWith('first')
        ? { success: false, error: `Dependency '${dependsOn[0]}' is unknown` }
        : null,
    ),
  },
  {
    fault: 'a dependency is waited for without end',
    caughtBy: ['9.1-64'],
    make: changesOutput((frame) =>
      /^Command 'dependsOn/u.test(String(frame.error)) || /timed out/u.test(String(frame.error))
        ? { ...frame, error: 'no' }
        : frame,
    ),
  },
  {
    fault: 'a new session has version 1',
    caughtBy: ['10-68'],
    make: changesOutput((frame) =>
      isResponse(frame, 'create_session') || dataOf(frame).commandType === 'create_session'
        ? { ...withData(frame, { sessionVersion: 1 }), sessionVersion: 1 }
        : frame,
    ),
  },
  {
    fault: 'reading changes the version',
    caughtBy: ['10-69'],
    alsoCaughtBy: ['20.2-107'],
    make: changesOutput((frame) =>
      isResponse(frame, 'get_messages') ? { ...frame, sessionVersion: Number(frame.sessionVersion) + 1 } : frame,
    ),
  },
  {
    fault: 'failing changes the version',
    caughtBy: ['10-71'],
    alsoCaughtBy: ['10-70'],
    make: () => {
      const failed = new Set<unknown>();
      return {
        in(frame) {
          if (frame.type === 'set_model' && frame.provider === 'nobody') failed.add(frame.sessionId);
          return [frame];
        },
        out: (frame) =>
          isResponse(frame, 'get_state') && failed.has(dataOf(frame).sessionId)
            ? [{ ...frame, sessionVersion: Number(frame.sessionVersion) + 1 }]
            : [frame],
      };
    },
  },
  {
    fault: 'the version outlives its session',
    caughtBy: ['10-72'],
    alsoCaughtBy: ['17.1-90'],
    make: () => {
      const made = new Set<unknown>();
      return {
        out(frame) {
          const { sessionId } = dataOf(frame);
          if (frame.type === 'session_deleted') made.add(sessionId);
          return isResponse(frame, 'get_state') && made.has(sessionId) ? [{ ...frame, sessionVersion: 1 }] : [frame];
        },
      };
    },
  },
  {
    fault: 'switch_session tells no version',
    caughtBy: ['10-73'],
    make: changesOutput((frame) =>
      isResponse(frame, 'switch_session') || dataOf(frame).commandType === 'switch_session'
        ? without(
            {
              ...frame,
              ...(dataOf(frame).commandType === undefined ? {} : { data: without(dataOf(frame), 'sessionVersion') }),
            },
            'sessionVersion',
          )
        : frame,
    ),
  },
  {
    fault: 'ifSessionVersion is not looked at',
    caughtBy: ['10.1-75', '10.1-77', '10.1-78'],
    alsoCaughtBy: ['4.2-19', '8.3-49'],
    make: changesInput((frame) => without(frame, 'ifSessionVersion')),
  },
  {
    fault: 'ifSessionVersion never fits',
    caughtBy: ['10.1-74', '10.1-78'],
    alsoCaughtBy: ['8.3-49'],
    make: changesInput((frame) =>
      frame.ifSessionVersion === 0 && frame.type !== 'list_sessions' ? { ...frame, ifSessionVersion: 9 } : frame,
    ),
  },
  {
    fault: 'ifSessionVersion makes a session where there is none',
    caughtBy: ['10.1-76'],
    make: answering(({ type, sessionId, ifSessionVersion }) =>
      type === 'get_state' && String(sessionId).startsWith('ghost') && ifSessionVersion === 0
        ? { success: true, data: {}, sessionVersion: 0 }
        : null,
    ),
  },
  {
    fault: 'a timeout does not say that it is one',
    caughtBy: ['11-79', '11-80', '11-81'],
    make: changesOutput((frame) => (isResponse(frame) ? without(frame, 'timedOut') : frame)),
  },
  {
    fault: 'the outcome of a timeout is lost: the late end takes its place',
    caughtBy: ['11-80', '11-81'],
    make: changesOutput((frame) =>
      isResponse(frame) && frame.timedOut === true && frame.replayed === true
        ? { ...without(frame, 'error', 'timedOut'), success: true }
        : frame,
    ),
  },
  {
    fault: 'replays are counted',
    caughtBy: ['12-83'],
    alsoCaughtBy: ['7.1-33b'],
    make: () => {
      const counts = new Map<unknown, number>();
      return {
        out(frame) {
          if (!isResponse(frame) || frame.replayed !== true) return [frame];
          const count = (counts.get(frame.id) ?? 0) + 1;
          counts.set(frame.id, count);
          if (count < 6) return [frame];
          const error = 'Rate limit exceeded (6 commands/minute)';
          return [{ ...without(frame, 'replayed'), success: false, error }];
        },
      };
    },
  },
  {
    fault: 'there is no limit of rate, size or number',
    caughtBy: ['12-83', '12-84', '3.2-9', '3.2-10'],
    alsoCaughtBy: ['7.1-33b', '7.1-33c'],
    make: changesOutput((frame) =>
      /^(?:Rate limit|Server busy|Message size)/u.test(String(frame.error))
        ? { ...frame, success: true, error: undefined }
        : frame,
    ),
  },
];
