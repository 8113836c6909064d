// Maps the close codes of channels to WebSocket close codes.
import type { CloseCode } from '../../core/contract/channel.ts';

/** Codes of RFC 6455 §7.4 where they exist, else codes in the private range. */
export const webSocketCloseCodes: Readonly<Record<CloseCode, number>> = {
  normal: 1000,
  'going-away': 1001,
  'too-large': 1009,
  error: 1011,
  /** The client should reconnect with its cursor. */
  slow: 4008,
  /** Another gateway has the session; the client should reconnect (docs/faults.md F32). */
  moved: 4010,
  'bad-frame': 4400,
  unauthorized: 4401,
  'not-found': 4404,
  timeout: 4408,
};

/** RFC 6455 §5.5: a control frame holds 125 bytes, two of them the code. */
export const maxCloseReasonBytes = 123;
