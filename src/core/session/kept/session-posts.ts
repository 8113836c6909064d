// The ids under which frames were posted to the streams of a session. They outlive the streams and, if the session is
// kept, its process.
import { createPostedIds, type PostedIds } from '../../link/posted-ids.ts';
import type { Posted } from '../../log/stored-records.ts';

/** A class: each session to which anybody has posted has one. */
export class SessionPosts {
  readonly #ids = new Map<string, PostedIds>();
  readonly #added: (posted: Posted) => void;

  /** `added`: called with each new id. */
  constructor(added: (posted: Posted) => void) {
    this.#added = added;
  }

  /** The ids of the stream with that key. */
  of(key: string): PostedIds {
    const ids = this.#idsOf(key);
    return {
      ...ids,
      add: (id, digest) => {
        ids.add(id, digest);
        this.#added(digest === undefined ? { key, id } : { key, id, digest });
      },
    };
  }

  /** Takes an id of an earlier process. */
  restore({ key, id, digest }: Posted): void {
    this.#idsOf(key).add(id, digest);
  }

  /** All ids, oldest first for each stream. */
  all(): Posted[] {
    return [...this.#ids].flatMap(([key, ids]) =>
      [...ids.entries()].map(([id, digest]) => (digest === undefined ? { key, id } : { key, id, digest })),
    );
  }

  #idsOf(key: string): PostedIds {
    const ids = this.#ids.get(key) ?? createPostedIds();
    this.#ids.set(key, ids);
    return ids;
  }
}
