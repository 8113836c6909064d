// The peers of a run. Checks with equal limits share a peer, unless a check needs its own.
import type { Settings, Transport } from '../check/check.ts';
import { type Peer, type StartOptions, startPeer } from './peer.ts';
import { type Target, unreachable } from './target.ts';

/** The peer that a check needs. */
export interface Wanted {
  readonly transport: Transport;
  readonly settings: Settings;
  readonly isAlone: boolean;
}

/** A peer, lent to one check. */
export interface Lease {
  readonly peer: Peer;
  /** No check has used this peer before. */
  readonly isFresh: boolean;
  /** `isClean`: no answer to this check is outstanding, so another check may use the peer. */
  readonly release: (isClean: boolean) => Promise<void>;
}

/** All peers of one run. */
export interface Pool {
  /** Null, or why such a peer cannot be reached. */
  unreachable(wanted: Omit<Wanted, 'isAlone'>): string | null;
  /** Rejects with a CannotTell when the peer does not start. */
  lease(wanted: Wanted): Promise<Lease>;
  stop(): Promise<void>;
}

/** Creates an empty pool. Peers start on demand. */
export function createPeerPool(target: Target, patience: Pick<StartOptions, 'patienceMs' | 'startMs'>): Pool {
  const shared = new Map<string, Promise<Peer>>();
  /** Programs on stdio that no check uses at the moment. */
  const idle = new Map<string, Peer[]>();
  const all = new Set<Peer>();

  async function start({ transport, settings }: Omit<Wanted, 'isAlone'>): Promise<Peer> {
    const peer = await startPeer(target, { transport, settings, ...patience });
    all.add(peer);
    return peer;
  }

  async function alone(wanted: Wanted): Promise<Lease> {
    const peer = await start(wanted);
    const release = async () => {
      all.delete(peer);
      await peer.stop();
    };
    return { peer, isFresh: true, release };
  }

  async function inTurn(wanted: Wanted, key: string): Promise<Lease> {
    const free = idle.get(key) ?? [];
    idle.set(key, free);
    const used = free.pop();
    const peer = used ?? (await start(wanted));
    const release = async (isClean: boolean) => {
      if (isClean && !peer.isOver) {
        free.push(peer);
        return;
      }
      await peer.stop();
      all.delete(peer);
    };
    return { peer, isFresh: used === undefined, release };
  }

  return {
    unreachable: (wanted) => unreachable(target, wanted),
    async lease(wanted) {
      if (wanted.isAlone) return alone(wanted);
      const key = JSON.stringify([wanted.transport, wanted.settings]);
      if (wanted.transport === 'stdio') return inTurn(wanted, key);
      const known = shared.get(key);
      const starting = known ?? start(wanted);
      shared.set(key, starting);
      return { peer: await starting, isFresh: known === undefined, release: async () => {} };
    },
    async stop() {
      await Promise.all([...all].map((peer) => peer.stop()));
    },
  };
}
