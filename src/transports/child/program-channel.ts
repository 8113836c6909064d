// The channel to an agent that the gateway starts for a session: its stdout is read into the buffer of all agents where the
// system gives a socket pair, and by a pipe of `spawn` elsewhere.
import type { Channel } from '../../core/contract/channel.ts';
import { laterChannel } from '../later-channel.ts';
import { type SpawnOptions, spawnChannel } from './child-process.ts';
import { dropSocketPair, openSocketPair } from './socket-pair.ts';

/** Starts the program like `spawnChannel`, a moment later. A channel that is closed before starts nothing. */
export function programChannel(options: SpawnOptions, openPair = openSocketPair): Channel {
  return laterChannel({
    label: options.label,
    part: openPair(),
    connect: (pair) => spawnChannel(options, undefined, pair),
    drop: dropSocketPair,
  });
}
