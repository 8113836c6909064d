// The requests that pi has not answered yet: each is answered exactly once, by pi or by its deadline. Knows no command.
import type { Outbox } from '../../../core/contract/outbox.ts';
import type { Response } from '../wire/responses.ts';

/** How a request ended. */
export type Answer =
  | { readonly kind: 'data'; readonly data: unknown }
  | { readonly kind: 'refused'; readonly error: string; readonly unknownCommand: boolean }
  | { readonly kind: 'timeout' };

/** One request to pi. */
export interface Request {
  readonly id: string;
  /** The line before it gets that id; a client of pi may have given it another one. */
  readonly line: { readonly type: string; readonly id?: unknown };
  /** Null: as long as it takes. */
  readonly timeoutMs: number | null;
  done(answer: Answer): void;
}

/** The open requests of one pi process. */
export interface Pending {
  /** Whether pi ever answered anything: 0.13.2 never does. */
  readonly answers: boolean;
  send(request: Request): void;
  /** Finds the request that this answers and ends it. */
  response(response: Response): void;
  /** Ends a request for another reason; false when it is not open. */
  finish(id: string, answer: Answer): boolean;
  /** The open requests with that command, oldest first. */
  ids(command: string): string[];
  /** The line of an open request. */
  lineOf(id: string): Request['line'] | undefined;
  /** Stops or restarts the clock of requests with that command. */
  pause(command: string, paused: boolean): void;
  /** Whether the timer was a deadline. */
  wake(timer: string): boolean;
}

/** What pi says of a command that it does not have; without an id until 0.79.6 (docs/protocols/pi.md 4.6). */
const unknownCommand = /^Unknown command: /;

/** How many ended requests are remembered, so that a second answer to one is no surprise. */
const memory = 64;

export function createPending(out: Outbox): Pending {
  const open = new Map<string, Request>();
  const ended = new Set<string>();
  let answers = false;

  function finish(id: string, answer: Answer): boolean {
    const request = open.get(id);
    if (request === undefined) return false;
    open.delete(id);
    if (request.timeoutMs !== null && answer.kind !== 'timeout') out.timer(deadlineOf(id), null);
    remember(id);
    request.done(answer);
    return true;
  }

  function remember(id: string): void {
    ended.add(id);
    const [oldest] = ended;
    if (ended.size > memory && oldest !== undefined) ended.delete(oldest);
  }

  function ids(command: string): string[] {
    return [...open.values()].filter(({ line }) => line.type === command).map(({ id }) => id);
  }

  /** Whom an answer without id is for (docs/protocols/pi.md 4.8). */
  function guess(response: Response): string | undefined {
    if (typeof response.command !== 'string') return undefined;
    if (response.command !== 'parse') return ids(response.command)[0];
    return open.size === 1 ? open.keys().next().value : undefined;
  }

  return {
    get answers() {
      return answers;
    },
    send(request) {
      open.set(request.id, request);
      out.send({ ...request.line, id: request.id });
      if (request.timeoutMs !== null) out.timer(deadlineOf(request.id), request.timeoutMs);
    },
    response(response) {
      answers = true;
      const id = typeof response.id === 'string' ? response.id : guess(response);
      const error = response.error ?? 'pi gave no reason';
      const answer: Answer = response.success
        ? { kind: 'data', data: response.data }
        : { kind: 'refused', error, unknownCommand: unknownCommand.test(error) };
      if (id !== undefined && finish(id, answer)) return;
      // A second answer to one prompt (until 0.67.3), or one that came after its deadline.
      if (id !== undefined && ended.has(id)) return;
      out.note('repair', 'response: ignored an answer that nobody waits for');
    },
    finish,
    ids,
    lineOf: (id) => open.get(id)?.line,
    pause(command, paused) {
      for (const id of ids(command)) {
        const timeoutMs = open.get(id)?.timeoutMs ?? null;
        if (timeoutMs !== null) out.timer(deadlineOf(id), paused ? null : timeoutMs);
      }
    },
    wake(timer) {
      if (!timer.startsWith('deadline:')) return false;
      finish(timer.slice('deadline:'.length), { kind: 'timeout' });
      return true;
    },
  };
}

function deadlineOf(id: string): string {
  return `deadline:${id}`;
}
