// The closed list of what can go wrong, and the one error class. Knows no protocol: adapters map codes to their wire.

/** Every reason for which the gateway refuses or fails something. */
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

/** Something refused or failed, with a sentence for people. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
}

/** The answer to a command. `data` has the shape of outcome-data for that command. */
export type Outcome = { readonly ok: true; readonly data?: unknown } | { readonly ok: false; readonly error: Problem };

/** A refusal, as a value. */
export function refused(code: ErrorCode, message: string): Outcome {
  return { ok: false, error: { code, message } };
}

/** Takes the answer to a command. Called exactly once. */
export type Settle = (outcome: Outcome) => void;

/** A refusal that means: whoever was asked cannot do this at all. */
export function isUnsupported(outcome: Outcome): boolean {
  return !outcome.ok && outcome.error.code === 'unsupported';
}

/** Thrown only by functions that say so; machines return notes instead. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'GatewayError';
    this.code = code;
  }
}

/** The sentence of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
