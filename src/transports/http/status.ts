// Maps errors of the gateway to an HTTP status and one JSON shape.
import { type ErrorCode, GatewayError, type Problem } from '../../core/model/errors.ts';

const statusOf: Readonly<Record<ErrorCode, number>> = {
  'bad-frame': 400,
  'too-deep': 400,
  'unknown-command': 400,
  invalid: 400,
  unauthorized: 401,
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

/** The status and the problem for any thrown value. Only a GatewayError shows its message. */
export function describeError(thrown: unknown): { readonly status: number; readonly problem: Problem } {
  const error =
    thrown instanceof GatewayError ? thrown : new GatewayError('internal', 'something went wrong inside the gateway');
  return { status: statusOf[error.code], problem: { code: error.code, message: error.message } };
}

/** `{"error":{"code","message"}}` */
export function errorBody({ code, message }: Problem): string {
  return JSON.stringify({ error: { code, message } });
}
