// The lifecycle of commands as one connection sees it: accepted, started, finished; one at a time in each lane; and the
// session versions that result.
import { isDeepStrictEqual } from 'node:util';
import type { Complain, PiServerOrderOptions } from './rules.ts';
import type { Finished, Identity } from './shapes.ts';

/** Commands without a session, and one with a session (docs/protocols/pi-server.md 17.1). */
const serverCommands: ReadonlySet<string> = new Set([
  'list_sessions',
  'create_session',
  'switch_session',
  'get_metrics',
  'health_check',
  'list_stored_sessions',
  'load_session',
  'get_startup_recovery',
  'get_command_history',
]);

/** Commands to a running agent, which do not wait in its lane (docs/protocols/pi-server.md 7.8, 17.2, 18.2). */
const besideCommands: ReadonlySet<string> = new Set([
  'abort',
  'abort_compaction',
  'abort_retry',
  'abort_bash',
  'steer',
  'follow_up',
  'extension_ui_response',
]);

const openers: ReadonlySet<string> = new Set(['create_session', 'load_session']);

/** Errors that come before a command is carried out (docs/protocols/pi-server.md 7.1, 22). */
const refusals =
  /^(?:Conflicting |Rate limit exceeded|Global rate limit exceeded|Server busy|Extension UI response rate)/u;

interface Going {
  readonly identity: Identity;
  readonly at: number;
  /** Accepted before the connection began to listen. */
  readonly isInherited: boolean;
  isStarted: boolean;
}

/** All commands that the connection sees. */
export interface Lifecycles {
  accepted(identity: Identity, at: number): void;
  started(identity: Identity): void;
  finished(ending: Finished): void;
  /** The session is gone, with or without a command. */
  forget(session: string): void;
  /** Commands that have not finished. */
  open(): readonly { readonly identity: Identity; readonly at: number }[];
}

export function createLifecycles(
  complain: Complain,
  { dialect = 'document', late = false }: PiServerOrderOptions,
  joining: ReadonlySet<string>,
): Lifecycles {
  const going = new Map<string, Going[]>();
  /** For each lane: commands that are accepted and not started, and those started and not finished. */
  const queued = new Map<string, Going[]>();
  const running = new Map<string, Going[]>();
  const versions = new Map<string, number>();

  const waitsItsTurn = ({ commandType, commandId }: Identity) =>
    !besideCommands.has(commandType) && !joining.has(commandId);

  function begin(identity: Identity, at: number, isInherited = false): Going {
    const command: Going = { identity, at, isInherited, isStarted: false };
    listOf(going, identity.commandId).push(command);
    if (!isInherited && waitsItsTurn(identity)) listOf(queued, laneOf(identity)).push(command);
    return command;
  }

  function end(command: Going): void {
    const lane = laneOf(command.identity);
    for (const list of [listOf(going, command.identity.commandId), listOf(queued, lane), listOf(running, lane)])
      remove(list, command);
  }

  function isSame(command: Going, identity: Identity): boolean {
    return isDeepStrictEqual(command.identity, identityOf(identity));
  }

  /**
   * The accepted command that this event is about. A connection that came late may have missed the acceptance of the
   * command and have heard that of a conflicting repetition with the same id, so only an equal one counts there.
   */
  function waitingAs(identity: Identity): Going | undefined {
    const waiting = listOf(going, identity.commandId).filter(({ isStarted }) => !isStarted);
    return waiting.find((one) => isSame(one, identity)) ?? (late ? undefined : waiting[0]);
  }

  function start(identity: Identity): void {
    const mine = listOf(going, identity.commandId);
    if (mine.some(({ isStarted }) => isStarted)) complain('twice', `${identity.commandId} is started again`);
    let command = waitingAs(identity);
    if (command === undefined) {
      if (!late) complain('phase', `${identity.commandId} is started and was not accepted`);
      command = begin(identity, 0, true);
    } else if (!isSame(command, identity)) complain('identity', `${identity.commandId} changed when it was started`);
    command.isStarted = true;
    if (!waitsItsTurn(identity)) return;
    const lane = laneOf(identity);
    const before = listOf(running, lane)[0];
    if (before !== undefined)
      complain('lane', `${identity.commandId} is started before ${before.identity.commandId} is finished`);
    const first = listOf(queued, lane)[0];
    // A connection that came late cannot tell a waiting repetition from a waiting command.
    if (!late && first !== undefined && first !== command && !command.isInherited)
      complain('queue', `${identity.commandId} is started before ${first.identity.commandId}`);
    remove(listOf(queued, lane), command);
    listOf(running, lane).push(command);
  }

  /** Finds the command with that id that has ended, and checks the order. */
  function endingOf(ending: Finished): void {
    const { commandId } = ending;
    const mine = listOf(going, commandId);
    const isRefused = ending.error !== undefined && refusals.test(ending.error);
    const unstarted = waitingAs(ending);
    const begun = mine.find(({ isStarted }) => isStarted);
    if (ending.replayed === true || isRefused) {
      const rule = ending.replayed === true ? 'replay' : 'refusal';
      if (dialect === 'newer') {
        if (unstarted !== undefined) complain(rule, `${commandId} was accepted`);
      } else if (unstarted === undefined) {
        if (begun !== undefined && !late) complain(rule, `${commandId} was started`);
        else if (!late) complain(rule, `${commandId} was not accepted`);
      }
      if (unstarted !== undefined) end(unstarted);
      else if (begun !== undefined && dialect !== 'newer' && !late) end(begun);
      return;
    }
    const command = begun ?? unstarted;
    if (command === undefined) {
      if (!late) complain('phase', `${commandId} is finished and was not accepted, or is finished again`);
      return;
    }
    if (ending.success && !command.isStarted && !late)
      complain('phase', `${commandId} was carried out and never started`);
    if (!isSame(command, ending)) complain('identity', `${commandId} changed when it was finished`);
    end(command);
  }

  function checkVersion({ commandType, commandId, sessionId, success, sessionVersion, replayed }: Finished): void {
    if (!success || replayed === true) return;
    if (openers.has(commandType)) {
      if (sessionVersion !== 0) complain('version', `${commandId} opens a session with version ${sessionVersion}`);
      if (sessionId !== undefined) versions.set(sessionId, 0);
      return;
    }
    if (sessionId === undefined || sessionVersion === undefined) return;
    const before = versions.get(sessionId);
    if (before !== undefined && sessionVersion !== before && sessionVersion !== before + 1)
      complain('version', `${commandId} gives ${sessionId} version ${sessionVersion} behind ${before}`);
    versions.set(sessionId, sessionVersion);
  }

  return {
    accepted: (identity, at) => void begin(identity, at),
    started: start,
    finished(ending) {
      endingOf(ending);
      checkVersion(ending);
      if (ending.commandType === 'delete_session' && ending.success && ending.sessionId !== undefined)
        versions.delete(ending.sessionId);
    },
    forget: (session) => void versions.delete(session),
    open: () => [...going.values()].flat(),
  };
}

/** The lane of a command (docs/protocols/pi-server.md 7.3). */
function laneOf({ commandType, sessionId }: Identity): string {
  return serverCommands.has(commandType) || sessionId === undefined ? 'server' : `session:${sessionId}`;
}

function identityOf({ commandId, commandType, sessionId, dependsOn, ...rest }: Identity | Finished): Identity {
  const { ifSessionVersion, idempotencyKey } = rest;
  return {
    commandId,
    commandType,
    ...(sessionId === undefined ? {} : { sessionId }),
    dependsOn,
    ...(ifSessionVersion === undefined ? {} : { ifSessionVersion }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

function listOf<Key, Value>(map: Map<Key, Value[]>, key: Key): Value[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}

function remove<Value>(list: Value[], value: Value): void {
  const at = list.indexOf(value);
  if (at >= 0) list.splice(at, 1);
}
