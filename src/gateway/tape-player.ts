// Plays tapes as agents. The player is a port, because most starts need none of its code.
import type { Channel } from '../core/contract/channel.ts';
import type { LoadedTape } from '../tape/loaded.ts';

/**
 * Opens the channel to a tape: tape-channel.ts. `isAlone`: plays on without the prompts of the tape. `speed`: how many
 * times faster than the tape; `Infinity` waits for nothing but the session.
 */
export type TapePlayer = (label: string, tape: LoadedTape, speed: number, isAlone?: boolean) => Channel;
