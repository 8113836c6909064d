// The commands that were sent for one session and not answered. Each one ends exactly once, by the server's answer or
// by its deadline. Tracks the session's version.

import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import type { ErrorCode, Outcome } from '../../../core/model/errors.ts';
import { refused } from '../../../core/model/errors.ts';
import { NewestSet } from '../../../core/model/newest.ts';
import { commandId, type Response } from './frames.ts';

/** A command without its id and session. */
export type Line = Dictionary & { readonly type: string };

/** The end of a command. */
export type Answer =
  | { readonly kind: 'data'; readonly data: unknown }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly error: string };

/** How to send a command. */
export interface Sending {
  /** False: the command may take any time and delays the commands behind it. Default true. */
  readonly isShort?: boolean;
  /** Whether the command applies only to the current version of the session (docs/protocols/pi-server.md 10.1). */
  readonly isForNow?: boolean;
  /** Another session that the command is for; null: none. Default: the own one. */
  readonly session?: string | null;
  done(answer: Answer): void;
  /** Called when the server has started the command, or ended it without a start. */
  started?(): void;
}

/** The open commands of one session. */
export interface AgentRequests {
  /** Sends the command and returns its id. */
  send(line: Line, sending: Sending): string;
  response(response: Response): void;
  /** Progress of a command. `version` is set if the server reports a version. */
  started(id: string): void;
  version(version: number | undefined): void;
  /** Whether a command of any client delays everything that is sent now. */
  readonly isBlocked: boolean;
  /** Updates the deadlines after a change of the commands that delay others. */
  reckon(): void;
  /** Fails every open command. */
  failAll(code: ErrorCode, error: string): void;
  /** Handles a timer. Returns whether the timer was a deadline of a request. */
  onTimer(timer: string): boolean;
}

interface Open extends Sending {
  readonly line: Line;
  readonly bytes: number;
  isStarted: boolean;
  /** Whether the deadline runs. */
  isTimed: boolean;
}

const utf8 = new TextEncoder();
const timerPrefix = 'deadline:';

/** Error codes of refusals, by their text (docs/protocols/pi-server.md 22.1, 22.3 to 22.5). The first match counts. */
const codes: readonly (readonly [RegExp, ErrorCode])[] = [
  [/Unknown command type/u, 'unsupported'],
  [/^Validation failed: /u, 'invalid'],
  [/^Server is shutting down/u, 'shutting-down'],
  [/^(?:Rate limit|Global rate limit|Server busy|Too many pending|Session limit)/u, 'limit'],
  [/^Message size \d+ exceeds/u, 'too-large'],
  [/^Session version mismatch: /u, 'stale'],
  [/^Model not found: /u, 'not-found'],
];

/** Commands without an answer that are remembered. */
const mostAbandoned = 1024;

/**
 * Creates the requests to a server. `isBlocked`: whether a long command, or a command of another client, delays later
 * commands.
 */
export function createAgentRequests(
  out: Outbox,
  name: () => string,
  timeoutMs: number,
  isBlocked: () => boolean,
): AgentRequests {
  const open = new Map<string, Open>();
  /** Commands that the gateway gave up, whose late answers are expected. */
  const abandoned = new NewestSet<string>(mostAbandoned);
  let sent = 0;
  let current: number | undefined;

  function finish(id: string, answer: Answer): void {
    const request = open.get(id);
    if (request === undefined) return;
    open.delete(id);
    if (request.isTimed) out.timer(timerPrefix + id, null);
    if (!request.isStarted) request.started?.();
    request.done(answer);
    reckon();
  }

  const blocks = () => isBlocked() || [...open.values()].some(({ isShort }) => isShort === false);

  function reckon(): void {
    const blocked = blocks();
    for (const [id, request] of open) {
      if (request.isShort === false || request.isTimed === !blocked) continue;
      request.isTimed = !blocked;
      out.timer(timerPrefix + id, blocked ? null : timeoutMs);
    }
  }

  /** Finds the command of an answer without id: the server refused the frame unread, and names its size. */
  function unread(error: string): string | undefined {
    const size = Number(/^Message size (\d+) exceeds/u.exec(error)?.[1]);
    return [...open].find(([, { bytes }]) => bytes === size)?.[0];
  }

  return {
    send(line, sending) {
      sent += 1;
      const id = commandId(name(), sent);
      const precondition = sending.isForNow === true && current !== undefined ? { ifSessionVersion: current } : {};
      const { session = name() } = sending;
      const frame = { ...line, id, ...(session === null ? {} : { sessionId: session }), ...precondition };
      const bytes = utf8.encode(JSON.stringify(frame)).length;
      open.set(id, { ...sending, line, bytes, isStarted: false, isTimed: false });
      out.send(frame);
      reckon();
      return id;
    },
    response({ id, success, data, error = 'the pi-server gave no reason', sessionVersion, timedOut }) {
      if (sessionVersion !== undefined) current = sessionVersion;
      const whose = typeof id === 'string' ? id : unread(error);
      if (whose !== undefined && open.has(whose)) {
        return finish(
          whose,
          success ? { kind: 'data', data } : { kind: 'refused', code: codeOf(error, timedOut), error },
        );
      }
      if (whose !== undefined && abandoned.delete(whose)) return;
      out.note('repair', 'response: ignored an answer that nobody waits for');
    },
    started(id) {
      const request = open.get(id);
      if (request === undefined || request.isStarted) return;
      request.isStarted = true;
      request.started?.();
    },
    version(version) {
      if (version !== undefined) current = version;
    },
    get isBlocked() {
      return blocks();
    },
    reckon,
    failAll(code, error) {
      for (const id of [...open.keys()]) finish(id, { kind: 'refused', code, error });
    },
    onTimer(timer) {
      if (!timer.startsWith(timerPrefix)) return false;
      const id = timer.slice(timerPrefix.length);
      const request = open.get(id);
      if (request === undefined) return true;
      request.isTimed = false;
      abandoned.add(id);
      finish(id, {
        kind: 'refused',
        code: 'timeout',
        error: `the pi-server did not answer ${request.line.type} in time`,
      });
      return true;
    },
  };
}

function codeOf(error: string, timedOut: boolean | undefined): ErrorCode {
  if (timedOut === true) return 'timeout';
  return codes.find(([words]) => words.test(error))?.[1] ?? 'agent-refused';
}

/** A refusal as the outcome of a command. */
export function refusalOf({ code, error }: Extract<Answer, { kind: 'refused' }>): Outcome {
  return refused(code, error);
}
