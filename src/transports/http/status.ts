// Maps errors of the gateway to an HTTP status and one JSON shape.
import { type ErrorCode, GatewayError, type Problem } from '../../core/model/errors.ts';

const statusOf: Readonly<Record<ErrorCode, number>> = {
  'bad-frame': 400,
  'too-deep': 400,
  'unknown-command': 400,
  invalid: 400,
  // The token itself is checked before (gates.ts): here its holder lacks the right.
  unauthorized: 403,
  'not-found': 404,
  busy: 409,
  conflict: 409,
  stale: 409,
  aborted: 409,
  'too-large': 413,
  limit: 429,
  internal: 500,
  unsupported: 501,
  'agent-refused': 502,
  'agent-down': 503,
  'shutting-down': 503,
  timeout: 504,
};

/** An error as an answer. */
export interface DescribedError {
  readonly status: number;
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
}

/** Seconds after which a refusal for lack of room may have passed. */
const retryAfter = { 'retry-after': '1' };

/** The answer for any thrown value. Only a GatewayError shows its message. */
export function describeError(thrown: unknown): DescribedError {
  const error =
    thrown instanceof GatewayError ? thrown : new GatewayError('internal', 'something went wrong inside the gateway');
  const status = statusOf[error.code];
  const headers = status === 503 || status === 429 ? retryAfter : {};
  return { status, problem: { code: error.code, message: error.message }, headers };
}

/** `{"error":{"code","message"}}` */
export function errorBody({ code, message }: Problem): string {
  return JSON.stringify({ error: { code, message } });
}
