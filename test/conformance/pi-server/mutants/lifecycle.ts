// Mutants of greeting, frames, validation, envelopes and lifecycle: docs/protocols/pi-server.md 2 to 7.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { without } from '../../../../src/core/model/dictionary.ts';
import type { Interceptor, Link } from '../../support/intercept.ts';
import {
  changesOutput,
  dataOf,
  dropsOutput,
  eventOf,
  idOf,
  isResponse,
  type Mutant,
  phaseOf,
  withData,
} from './mutant.ts';

/** Holds matching frames back until the first that releases them, and sends them after it. */
function swaps(isHeld: (frame: Dictionary) => boolean, frees: (held: Dictionary, frame: Dictionary) => boolean) {
  return (): Interceptor => {
    const held = new Map<Link, Dictionary[]>();
    return {
      out(frame, link) {
        const own = held.get(link) ?? [];
        held.set(link, own);
        if (isHeld(frame)) {
          own.push(frame);
          return [];
        }
        const freed = own.filter((one) => frees(one, frame));
        held.set(
          link,
          own.filter((one) => !freed.includes(one)),
        );
        return [frame, ...freed];
      },
    };
  };
}

/** Knows the client's last command on each connection. */
function remembering(
  out: (frame: Dictionary, last: Dictionary, link: Link) => readonly Dictionary[],
): () => Interceptor {
  return () => {
    const last = new Map<Link, Dictionary>();
    return {
      in(frame, link) {
        last.set(link, frame);
        return [frame];
      },
      out: (frame, link) => out(frame, last.get(link) ?? {}, link),
    };
  };
}

const wholeLifecycle = ['7.2-31', '7.2-32', '6.2-30', '7.1-33', '5.1-22', '17.2-95'];

/** Sections 2 to 7. */
export const lifecycleMutants: readonly Mutant[] = [
  {
    fault: 'server_ready is not the first frame',
    caughtBy: ['16.1-1'],
    alsoCaughtBy: ['16.1-2'],
    make: () => ({ out: (frame) => (frame.type === 'server_ready' ? [{ type: 'hello' }, frame] : [frame]) }),
  },
  {
    fault: 'server_ready has no protocolVersion',
    caughtBy: ['16.1-1'],
    alsoCaughtBy: ['16.1-2'],
    make: changesOutput((frame) =>
      frame.type === 'server_ready' ? { ...frame, data: without(dataOf(frame), 'protocolVersion') } : frame,
    ),
  },
  {
    fault: 'server_ready comes with each response',
    caughtBy: ['16.1-2'],
    make: () => ({
      out: (frame) =>
        isResponse(frame, 'list_sessions')
          ? [frame, { type: 'server_ready', data: { serverVersion: '1', protocolVersion: '1.0.0', transports: ['x'] } }]
          : [frame],
    }),
  },
  {
    fault: 'stdout carries log lines too, as in the real server',
    caughtBy: ['3.1-4'],
    make: () => ({
      out(frame, link) {
        if (frame.type === 'session_created') link.say('2026-01-01T00:00:00.000Z INFO [server] a session was created');
        return [frame];
      },
    }),
  },
  {
    fault: 'two objects in a frame are two commands',
    caughtBy: ['3.1-5'],
    make: () => ({ raw: (text) => text.split(/(?<=\})(?=\{)/u) }),
  },
  {
    fault: 'an array is a batch',
    caughtBy: ['3.1-6'],
    make: () => ({ raw: (text) => (text.startsWith('[') ? [text.slice(1, -1)] : [text]) }),
  },
  {
    fault: 'malformed JSON ends the connection',
    caughtBy: ['3.2-7', '3.2-8'],
    alsoCaughtBy: ['3.1-5', '3.1-6', '3.1-4'],
    make: () => ({
      raw: (text, link) => {
        link.close();
        return [text];
      },
    }),
  },
  {
    fault: 'a failure without command has none at all',
    caughtBy: ['3.2-7', '3.2-8', '3.1-5', '3.1-6'],
    alsoCaughtBy: ['4-12', '4-13'],
    make: changesOutput((frame) => (isResponse(frame, 'unknown') ? without(frame, 'command') : frame)),
  },
  {
    fault: 'the command of a response is what the client sent, whatever that is',
    caughtBy: ['4-13'],
    make: remembering((frame, last) => [isResponse(frame) && last.type === 5 ? { ...frame, command: 5 } : frame]),
  },
  {
    fault: 'a command without a type succeeds',
    caughtBy: ['4-12'],
    make: remembering((frame, last) =>
      isResponse(frame) && Object.keys(last).length === 0 ? [{ ...without(frame, 'error'), success: true }] : [frame],
    ),
  },
  {
    fault: 'errors have no words',
    caughtBy: ['4.2-14', '4.2-15', '4.2-16', '4.2-17', '4.2-18', '4.2-19', '10.1-77', '18.2-100'],
    alsoCaughtBy: ['3.2-9', '3.2-10'],
    make: changesOutput((frame) =>
      isResponse(frame) && /^(?:Validation|Unknown)/u.test(String(frame.error)) ? { ...frame, error: 'bad' } : frame,
    ),
  },
  {
    fault: 'refused commands have a lifecycle',
    caughtBy: ['4.2-14', '4.2-15', '4.2-16', '4.2-17', '4.2-18', '4.2-19', '10.1-77', '18.2-100'],
    alsoCaughtBy: ['12-85'],
    make: remembering((frame, last) => {
      if (!isResponse(frame) || !/^(?:Validation|Unknown)/u.test(String(frame.error))) return [frame];
      const { id, type, sessionId } = last;
      const data = { commandId: id, commandType: type, sessionId, dependsOn: [] };
      return [{ type: 'command_accepted', data }, { type: 'command_finished', data }, frame];
    }),
  },
  {
    fault: 'a refused id is taken',
    caughtBy: ['4.2-20'],
    alsoCaughtBy: ['4.2-18'],
    make: () => {
      const refused = new Set<unknown>();
      return {
        in(frame, link) {
          if (!refused.has(frame.id)) return [frame];
          link.toClient({ type: 'response', command: frame.type, id: frame.id, success: false, error: 'taken' });
          return [];
        },
        out(frame) {
          if (typeof frame.id === 'string' && /^Validation/u.test(String(frame.error))) refused.add(frame.id);
          return [frame];
        },
      };
    },
  },
  {
    fault: 'a response has the wrong command',
    caughtBy: ['5-21'],
    make: changesOutput((frame) => (isResponse(frame, 'health_check') ? { ...frame, command: 'response' } : frame)),
  },
  {
    fault: 'a failure has data',
    caughtBy: ['5-23'],
    make: changesOutput((frame) => (isResponse(frame) && frame.success === false ? { ...frame, data: null } : frame)),
  },
  {
    fault: 'a response without id has that of its lifecycle',
    caughtBy: ['5.1-22', '5.1-24'],
    make: remembering((frame, last) => {
      const isAnonymous = isResponse(frame, 'get_state', 'set_session_name') && frame.id === undefined;
      return [isAnonymous && last.id === undefined ? { ...frame, id: 'anon:1:1' } : frame];
    }),
  },
  {
    fault: 'everybody hears every session',
    caughtBy: ['6.1-25', '6.1-27'],
    alsoCaughtBy: ['6.1-26', '6.1-29'],
    make: () => ({
      out(frame, link) {
        if (frame.type !== 'event') return [frame];
        for (const other of link.all) if (other !== link) other.toClient(frame);
        return [frame];
      },
    }),
  },
  {
    fault: 'a subscription outlives its connection',
    caughtBy: ['6.1-29'],
    alsoCaughtBy: ['6.1-27'],
    make: () => {
      const watched = new Set<unknown>();
      return {
        in(frame, link) {
          const { type, sessionId } = frame;
          if (type === 'switch_session') watched.add(sessionId);
          if (type === 'prompt' && watched.has(sessionId)) link.toServer({ type: 'switch_session', sessionId });
          return [frame];
        },
        out: (frame) => (isResponse(frame, 'switch_session') && frame.id === undefined ? [] : [frame]),
      };
    },
  },
  {
    fault: 'only the first subscriber hears a session',
    caughtBy: ['6.1-26'],
    alsoCaughtBy: ['6.1-29'],
    make: () => {
      const owners = new Map<unknown, Link>();
      return {
        out(frame, link) {
          if (frame.type !== 'event') return [frame];
          const { sessionId } = frame;
          const owner = owners.get(sessionId) ?? link;
          owners.set(sessionId, owner);
          return owner === link ? [frame] : [];
        },
        in(frame, link) {
          if (frame.type === 'switch_session' && !owners.has(frame.sessionId)) owners.set(frame.sessionId, link);
          return [frame];
        },
      };
    },
  },
  {
    fault: 'a subscription replaces the one before',
    caughtBy: ['6.1-28'],
    alsoCaughtBy: ['7.3-37', '12-84', '7.1-33c'],
    make: () => {
      const watched = new Map<Link, unknown>();
      return {
        in(frame, link) {
          if (frame.type === 'switch_session') watched.set(link, frame.sessionId);
          return [frame];
        },
        out: (frame, link) => (frame.type === 'event' && watched.get(link) !== frame.sessionId ? [] : [frame]),
      };
    },
  },
  {
    fault: 'the lifecycle is told to the sender alone',
    caughtBy: ['6.2-30'],
    alsoCaughtBy: ['5.1-22'],
    make: () => {
      const sent = new Map<Link, Set<unknown>>();
      return {
        in(frame, link) {
          sent.set(link, (sent.get(link) ?? new Set()).add(frame.id));
          return [frame];
        },
        out: (frame, link) => (phaseOf(frame) !== '' && sent.get(link)?.has(idOf(frame)) !== true ? [] : [frame]),
      };
    },
  },
  {
    fault: 'started is missing',
    caughtBy: ['7.2-31', '7.2-32'],
    alsoCaughtBy: [...wholeLifecycle, '7.4-39b'],
    make: dropsOutput((frame) => phaseOf(frame) === 'started'),
  },
  {
    fault: 'accepted is missing',
    caughtBy: ['7.2-31', '7.2-32', '7.1-33', '7.4-40'],
    alsoCaughtBy: [...wholeLifecycle, '7.1-33b', '7.1-33c'],
    make: dropsOutput((frame) => phaseOf(frame) === 'accepted'),
  },
  {
    fault: 'finished comes before started',
    caughtBy: ['7.2-31', '7.2-32'],
    alsoCaughtBy: [...wholeLifecycle, '7.3-38', '10-68', '10-73'],
    make: swaps(
      (frame) => phaseOf(frame) === 'started',
      (held, frame) => phaseOf(frame) === 'finished' && idOf(frame) === idOf(held),
    ),
  },
  {
    fault: 'finished comes twice',
    caughtBy: ['7.2-31', '7.2-32'],
    alsoCaughtBy: [...wholeLifecycle, '7.4-40', '7.1-33b', '7.1-33c'],
    make: () => ({ out: (frame) => (phaseOf(frame) === 'finished' ? [frame, frame] : [frame]) }),
  },
  {
    fault: 'the response comes before finished',
    caughtBy: ['7.2-31'],
    alsoCaughtBy: ['5.1-22', '6.2-30', '10-68', '10-73', '7.3-38'],
    make: swaps(
      (frame) => phaseOf(frame) === 'finished',
      (held, frame) => frame.type === 'response' && frame.id === idOf(held),
    ),
  },
  {
    fault: 'finished does not tell the error',
    caughtBy: ['7.2-32'],
    make: changesOutput((frame) =>
      phaseOf(frame) === 'finished' ? { ...frame, data: without(dataOf(frame), 'error') } : frame,
    ),
  },
  {
    fault: 'a conflict is started',
    caughtBy: ['7.1-33'],
    make: () => ({
      out: (frame) =>
        phaseOf(frame) === 'finished' && /^Conflicting/u.test(String(dataOf(frame).error))
          ? [{ ...frame, type: 'command_started' }, frame]
          : [frame],
    }),
  },
  {
    fault: 'a refusal for rate or number is started',
    caughtBy: ['7.1-33b', '7.1-33c'],
    make: () => ({
      out: (frame) =>
        phaseOf(frame) === 'finished' && /^(?:Rate|Server busy)/u.test(String(dataOf(frame).error))
          ? [{ ...frame, type: 'command_started' }, frame]
          : [frame],
    }),
  },
  {
    fault: 'a replay is started',
    caughtBy: ['7.4-39b'],
    make: () => ({
      out: (frame) =>
        phaseOf(frame) === 'finished' && dataOf(frame).replayed === true
          ? [{ ...frame, type: 'command_started' }, frame]
          : [frame],
    }),
  },
  {
    fault: 'the lifecycle of a replay does not say so',
    caughtBy: ['7.4-40'],
    make: changesOutput((frame) =>
      phaseOf(frame) === 'finished' ? { ...frame, data: without(dataOf(frame), 'replayed') } : frame,
    ),
  },
  {
    fault: 'the next command is started before the one before it has finished',
    caughtBy: ['7.3-38'],
    alsoCaughtBy: ['7.2-31', '7.2-32', '7.1-33', '6.2-30', '7.4-40', '5.1-22'],
    make: swaps(
      (frame) => phaseOf(frame) === 'finished' && dataOf(frame).commandType === 'set_session_name',
      (held, frame) =>
        isResponse(frame, 'list_sessions') ||
        (phaseOf(frame) === 'started' && dataOf(frame).sessionId === dataOf(held).sessionId),
    ),
  },
  {
    fault: 'sessions that go are not told',
    caughtBy: ['6-89'],
    make: dropsOutput((frame) => frame.type === 'session_deleted'),
  },
  {
    fault: 'session_created does not describe the session',
    caughtBy: ['6-89'],
    make: changesOutput((frame) =>
      frame.type === 'session_created' ? { ...frame, data: without(dataOf(frame), 'sessionInfo') } : frame,
    ),
  },
  {
    fault: 'every command has the version of a deaf server',
    caughtBy: ['10-70', '7.3-34'],
    alsoCaughtBy: ['7.4-39', '8.1-44', '8.2-50', '8.2-52', '8.2-55', '8-57', '9.2-66', '10-73', '10.1-74', '17.1-90'],
    make: changesOutput((frame) =>
      isResponse(frame) && 'sessionVersion' in frame ? { ...frame, sessionVersion: 0 } : frame,
    ),
  },
  {
    fault: 'a prompt ends without agent_end',
    caughtBy: ['19-102', '19-103', '11-82'],
    make: dropsOutput((frame) => eventOf(frame).type === 'agent_end'),
  },
  {
    fault: 'health_check hides an open circuit',
    caughtBy: ['21.2-111'],
    make: changesOutput((frame) =>
      isResponse(frame, 'health_check') ? withData(frame, { hasOpenCircuit: false }) : frame,
    ),
  },
];
