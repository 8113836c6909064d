// The ids of frames that clients have posted, so that a frame which is posted again counts once (docs/faults.md F27).
import { GatewayError } from '../model/errors.ts';
import { NewestMap } from '../model/newest.ts';

/** Far more ids than a client posts before it learns that one of them has arrived. */
const mostRemembered = 1024;

/** The ids of the newest frames that were in order, each with the digest of its frame if it had one. */
export interface PostedIds {
  /** Whether that frame was taken before. Throws a GatewayError `conflict` when the id had another digest. */
  has(id: string, digest: string | undefined): boolean;
  add(id: string, digest: string | undefined): void;
  /** All that are remembered, oldest first. */
  entries(): Iterable<readonly [id: string, digest: string | undefined]>;
}

/** No ids yet. */
export function createPostedIds(): PostedIds {
  const digests = new NewestMap<string, string | undefined>(mostRemembered);
  return {
    has(id, digest) {
      if (!digests.has(id)) return false;
      if (digests.get(id) === digest) return true;
      throw new GatewayError('conflict', 'something else was posted under that key before');
    },
    add: (id, digest) => void digests.set(id, digest),
    entries: () => digests.entries(),
  };
}
