// The commands that we have sent for one session and the server has not answered: each is answered exactly once, by the
// server or by its deadline. Knows the session's version, and no meaning of a command.
import type { Dictionary } from '../../../core/model/content.ts';
import type { ErrorCode, Outcome } from '../../../core/model/errors.ts';
import { refused } from '../../../core/model/errors.ts';
import type { Outbox } from '../../../core/contract/outbox.ts';
import { commandId, type Response } from './frames.ts';

/** A command before it gets its id and its session. */
export type Line = Dictionary & { readonly type: string };

/** How a command ended. */
export type Answer =
  | { readonly kind: 'data'; readonly data: unknown }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly error: string };

/** What to do with a command. */
export interface Sending {
  /** False: it may take as long as it takes, and what follows it waits behind it. Default true. */
  readonly isShort?: boolean;
  /** It is tried only while the session is as it is now (docs/protocols/pi-server.md 10.1). */
  readonly isForNow?: boolean;
  done(answer: Answer): void;
  /** The server has begun with it, or ended it without that. */
  started?(): void;
}

/** The open commands of one session. */
export interface AgentRequests {
  /** Sends it; its id. */
  send(line: Line, sending: Sending): string;
  response(response: Response): void;
  /** How far a command is; `version` where the server tells one. */
  started(id: string): void;
  version(version: number | undefined): void;
  /** A command stands before all that is sent now, of ours or of somebody else. */
  readonly isBlocked: boolean;
  /** What stands before new commands on the server has changed. */
  reckon(): void;
  /** Every command that is open has failed so. */
  failAll(code: ErrorCode, error: string): void;
  /** Whether the timer was a deadline. */
  wake(timer: string): boolean;
}

interface Open extends Sending {
  readonly line: Line;
  readonly bytes: number;
  isStarted: boolean;
  /** Its deadline runs. */
  isTimed: boolean;
}

const utf8 = new TextEncoder();
const timerPrefix = 'deadline:';

/** What a refusal is, by its words (docs/protocols/pi-server.md 22.1, 22.3 to 22.5); the first that fits. */
const codes: readonly (readonly [RegExp, ErrorCode])[] = [
  [/Unknown command type/u, 'unsupported'],
  [/^Validation failed: /u, 'invalid'],
  [/^Server is shutting down/u, 'shutting-down'],
  [/^(?:Rate limit|Global rate limit|Server busy|Too many pending|Session limit)/u, 'limit'],
  [/^Message size \d+ exceeds/u, 'too-large'],
  [/^Session version mismatch: /u, 'stale'],
  [/^Model not found: /u, 'not-found'],
];

/** `isBlocked`: a command that takes long, or one of another client, stands before all that is sent now. */
export function createAgentRequests(
  out: Outbox,
  name: () => string,
  timeoutMs: number,
  isBlocked: () => boolean,
): AgentRequests {
  const open = new Map<string, Open>();
  /** Ended by us; their answers are no surprise. */
  const abandoned = new Set<string>();
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

  /** An answer without an id: a frame of ours that the server would not read, known by its size. */
  function unread(error: string): string | undefined {
    const size = Number(/^Message size (\d+) exceeds/u.exec(error)?.[1]);
    return [...open].find(([, { bytes }]) => bytes === size)?.[0];
  }

  return {
    send(line, sending) {
      sent += 1;
      const id = commandId(name(), sent);
      const precondition = sending.isForNow === true && current !== undefined ? { ifSessionVersion: current } : {};
      const frame = { ...line, id, sessionId: name(), ...precondition };
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
    wake(timer) {
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
