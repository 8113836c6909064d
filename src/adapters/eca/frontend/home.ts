// The session that a connection has before its client has a chat: what is asked of the agent at the start is asked
// there, and the first chat takes it over. A connection that belongs to a session has that one. Knows no method.
import { OutcomeData } from '../../../core/model/outcome-data.ts';
import type { Problem } from '../../../core/model/errors.ts';
import type { Actions, ConnectionPorts, Target } from '../connection.ts';

/** A session, or why there is none. */
export type Opened = { readonly target: Target } | { readonly problem: Problem };

/** The home of one connection. */
export interface Home {
  /** Its session; one is opened, if there is none yet. */
  visit(then: (opened: Opened) => Actions): Actions;
  /** For a chat: the session of the home, where no other chat has it, or else a new one. */
  claim(then: (opened: Opened) => Actions): Actions;
  /** A chat has it. */
  readonly isClaimed: boolean;
  /** Undefined while there is none. */
  readonly target: Target | undefined;
  /** What its agent can be asked, by its kind; undefined while nobody knows. */
  readonly can: ReadonlySet<string> | undefined;
  /** Where it was opened for other folders than the client's: the next visitor opens another, unless a chat has it. */
  leave(): Actions;
  /** That session is over. */
  lost(target: Target): void;
}

/** A home without a session, unless the connection belongs to one. */
export function createHome(ports: ConnectionPorts): Home {
  let target: Target | undefined = ports.bound === undefined ? undefined : null;
  let isClaimed = false;
  let can: ReadonlySet<string> | undefined = ports.bound?.agent?.commands;
  /** Those that it was opened for. */
  let folders: readonly string[] = [];
  /** Who waits for it; null while it is not being opened. */
  let waiting: ((opened: Opened) => Actions)[] | null = null;

  function open(then: (opened: Opened) => Actions): Actions {
    return ports.ask(null, { type: 'create-session', folders: [...ports.client.folders] }, (outcome) => {
      if (!outcome.ok) return then({ problem: outcome.error });
      const read = OutcomeData['create-session'].safeParse(outcome.data);
      if (read.success) {
        const { session, problems = [] } = read.data;
        // All sessions of a connection have the same agent.
        if (read.data.can !== undefined) can = new Set(read.data.can);
        return [...problems.flatMap(ports.warnOnce), ...then({ target: session.id })];
      }
      return then({ problem: { code: 'internal', message: 'the session was opened without a name' } });
    });
  }

  function visit(then: (opened: Opened) => Actions): Actions {
    if (waiting !== null) {
      waiting.push(then);
      return [];
    }
    if (target === undefined) return reopen(then);
    const old = target;
    if (isClaimed || old === null) return then({ target: old });
    // Nobody listens to it, so it may have been closed for being idle. Where no run is, an abort only asks for that.
    return ports.ask(old, { type: 'abort', target: 'run' }, (outcome) => {
      if (outcome.ok || outcome.error.code !== 'not-found') return then({ target: old });
      lose(old);
      return visit(then);
    });
  }

  function reopen(then: (opened: Opened) => Actions): Actions {
    const all = [then];
    waiting = all;
    folders = ports.client.folders;
    return open((opened) => {
      waiting = null;
      if ('target' in opened) target = opened.target;
      return all.flatMap((one) => one(opened));
    });
  }

  function lose(gone: Target): void {
    if (gone === null || gone !== target) return;
    target = undefined;
    isClaimed = false;
  }

  return {
    visit,
    claim(then) {
      return visit((opened) => {
        if (isClaimed) return open(then);
        isClaimed = 'target' in opened;
        return then(opened);
      });
    },
    get isClaimed() {
      return isClaimed;
    },
    get target() {
      return target;
    },
    get can() {
      return can;
    },
    leave() {
      if (target === undefined || target === null || isClaimed) return [];
      if (folders.join('\0') === ports.client.folders.join('\0')) return [];
      const old = target;
      target = undefined;
      return ports.ask(old, { type: 'delete-session' }, () => []);
    },
    lost: lose,
  };
}
