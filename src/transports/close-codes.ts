// How a channel's close codes look on a WebSocket. Knows no protocol.
import type { CloseCode } from '../core/contract/channel.ts';

/** RFC 6455 §7.4 where it has a code, our own in the private range otherwise. */
export const webSocketCloseCodes: Readonly<Record<CloseCode, number>> = {
  normal: 1000,
  'going-away': 1001,
  'too-large': 1009,
  error: 1011,
  /** Come back with a cursor. */
  slow: 4008,
  'bad-frame': 4400,
  unauthorized: 4401,
  'not-found': 4404,
};

/** RFC 6455 §5.5: a control frame holds 125 bytes, two of them the code. */
export const maxCloseReasonBytes = 123;
