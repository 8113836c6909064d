// Plays tapes as agents. The player is a port, because most starts need none of its code.
import type { Channel } from '../../core/contract/channel.ts';
import type { LoadedTape } from '../../tape/loaded.ts';
import type { ChannelFaults } from '../faults/faulty-channel.ts';

/** How a tape is played. */
export interface TapePlay {
  /** How many times faster than the tape; `Infinity` waits for nothing but the session. */
  readonly speed: number;
  /** Plays on without the prompts of the tape. Default false. */
  readonly isAlone?: boolean;
  /** Default none. */
  readonly faults?: ChannelFaults | undefined;
}

/** Opens the channel to a tape: tape-channel.ts. */
export type TapePlayer = (label: string, tape: LoadedTape, play: TapePlay) => Channel;
