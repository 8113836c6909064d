// Tapes that are played as agents. The player is a port, because most starts need none of its code.
import type { Channel } from '../core/contract/channel.ts';

/** A tape that is an agent. */
export interface PlayedTape {
  /** What logs call the agent. */
  readonly label: string;
  readonly file: string;
  readonly protocol: string;
  /** How many times faster than the tape; `Infinity` waits for nothing but the session. */
  readonly speed: number;
}

/** Opens the channel to a tape: tape-channel.ts. */
export type TapePlayer = (tape: PlayedTape) => Channel;
