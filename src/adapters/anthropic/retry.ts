// When and after how long a failed request is retried.
import type { Failure } from '../../core/model/content.ts';
import type { RequestFailure } from './wire.ts';

/** The first delay, ms. Each later delay is twice as long, up to a maximum. */
const firstDelayMs = 500;
const longestDelayMs = 8_000;
/** If the API asks for a longer delay, the failure is final, ms. */
const longestRetryAfterMs = 60_000;

/** The delay before attempt `attempt` (1 for the first retry), ms. Null: the failure is final. */
export function delayBefore(attempt: number, attempts: number, failure: RequestFailure): number | null {
  if (attempt > attempts || !mayRetry(failure)) return null;
  const { retryAfterMs } = failure;
  if (retryAfterMs !== undefined) return retryAfterMs <= longestRetryAfterMs ? retryAfterMs : null;
  return Math.min(firstDelayMs * 2 ** (attempt - 1), longestDelayMs);
}

/** Whether the failure may be temporary: time-outs, conflicts, limits and server errors. */
function mayRetry({ status, mayRetry: apiVerdict }: RequestFailure): boolean {
  if (apiVerdict !== undefined) return apiVerdict;
  return status !== undefined && (status === 408 || status === 409 || status === 429 || status >= 500);
}

const statuses: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** The name of an `error` event corresponds to an HTTP status. */
export function failureOfEvent({ type, message }: { type?: string | null; message?: string | null }): RequestFailure {
  const name = type ?? 'error';
  const text = message === null || message === undefined || message === '' ? name : `${message} (${name})`;
  return { message: text, status: statuses.get(name) };
}

/** The failure as clients see it. */
export function shownFailure({ message, status }: RequestFailure): Failure {
  return { kind: 'provider', message, ...(status === undefined ? {} : { status }) };
}
