// The requests that pi has not answered yet. Each one ends exactly once, by pi's answer or by its deadline.
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import { NewestSet } from '../../../core/model/newest.ts';
import type { Response } from '../wire/responses.ts';

/** The end of a request. */
export type Answer =
  | { readonly kind: 'data'; readonly data: unknown }
  | { readonly kind: 'refused'; readonly error: string; readonly unknownCommand: boolean }
  | { readonly kind: 'timeout' };

/** One request to pi. */
export interface Request {
  readonly id: string;
  /** The line without the gateway's id. A pi client may have given the line an id of its own. */
  readonly line: { readonly type: string; readonly id?: unknown };
  /** Null for no deadline. */
  readonly timeoutMs: number | null;
  done(answer: Answer): void;
}

/** The open requests of one pi process. */
export interface PendingRequests {
  /** Whether pi has ever answered. pi 0.13.2 never does. */
  answers(): boolean;
  send(request: Request): void;
  /** Finds the request that the response answers, and ends the request. */
  response(response: Response): void;
  /** Ends a request for another reason. Returns false if the request is not open. */
  finish(id: string, answer: Answer): boolean;
  /** The open requests with that command, oldest first. */
  ids(command: string): string[];
  /** The line of an open request. */
  lineOf(id: string): Request['line'] | undefined;
  /** Pauses or resumes the deadline of requests with that command. */
  pause(command: string, paused: boolean): void;
  /** Handles a timer. Returns whether the timer was a deadline of a request. */
  onTimer(timer: string): boolean;
}

/** pi's answer to an unknown command, without an id until 0.79.6 (docs/protocols/pi.md 4.6). */
const unknownCommand = /^Unknown command: /;

/** How many ended requests are remembered, to recognise a second answer. */
const memory = 64;

export function createPendingRequests(out: Outbox): PendingRequests {
  const open = new Map<string, Request>();
  const ended = new NewestSet<string>(memory);
  let answers = false;

  function finish(id: string, answer: Answer): boolean {
    const request = open.get(id);
    if (request === undefined) return false;
    open.delete(id);
    if (request.timeoutMs !== null && answer.kind !== 'timeout') out.timer(deadlineOf(id), null);
    ended.add(id);
    request.done(answer);
    return true;
  }

  function ids(command: string): string[] {
    return [...open.values()].filter(({ line }) => line.type === command).map(({ id }) => id);
  }

  /** Guesses the request of a response without id (docs/protocols/pi.md 4.8). */
  function guess(response: Response): string | undefined {
    if (typeof response.command !== 'string') return undefined;
    if (response.command !== 'parse') return ids(response.command)[0];
    return open.size === 1 ? open.keys().next().value : undefined;
  }

  return {
    answers: () => answers,
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
      // A second answer to one prompt (until 0.67.3), or an answer after the deadline.
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
    onTimer(timer) {
      if (!timer.startsWith('deadline:')) return false;
      finish(timer.slice('deadline:'.length), { kind: 'timeout' });
      return true;
    },
  };
}

function deadlineOf(id: string): string {
  return `deadline:${id}`;
}
