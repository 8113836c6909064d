// The error codes of the gateway and its one error class. Each adapter maps the codes to its protocol.

/** Every reason why the gateway refuses or fails a request. */
export type ErrorCode =
  | 'bad-frame'
  | 'too-large'
  | 'too-deep'
  | 'unknown-command'
  | 'invalid'
  | 'unsupported'
  | 'busy'
  | 'conflict'
  | 'stale'
  | 'not-found'
  | 'unauthorized'
  | 'limit'
  | 'timeout'
  | 'agent-down'
  | 'agent-refused'
  | 'aborted'
  | 'shutting-down'
  | 'internal';

/** A refusal or failure: a code for programs and a sentence for people. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
}

/** The answer to a command. outcome-data.ts defines the shape of `data` for each command. */
export type Outcome = { readonly ok: true; readonly data?: unknown } | { readonly ok: false; readonly error: Problem };

/** Builds a refusal. */
export function refused(code: ErrorCode, message: string): Outcome {
  return { ok: false, error: { code, message } };
}

/** Takes the answer to a command. Called exactly once. */
export type Settle = (outcome: Outcome) => void;

/** Whether the outcome is the refusal of a command that is not supported at all. */
export function isUnsupported(outcome: Outcome): boolean {
  return !outcome.ok && outcome.error.code === 'unsupported';
}

/** The error that functions throw if their TSDoc says so. Backends and frontends return notes instead. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'GatewayError';
    this.code = code;
  }
}

/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
