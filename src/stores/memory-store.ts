// Keeps the logs of sessions in the memory of this process: for tests, and as the example of what every store promises.
import type {
  SessionStore,
  StoredHead,
  StoredLog,
  StoredLogOwner,
  StoredPast,
  StoredRecord,
  StoredSnapshot,
} from '../core/contract/store/session-store.ts';
import { GatewayError } from '../core/model/errors.ts';

/** Bytes of records after which a snapshot replaces them, the same as in the journal. */
const defaultSegmentBytes = 64 * 1024 * 1024;

/** One session. Snapshot and records are JSON text, so that nobody can change them afterwards. */
interface Kept {
  head: StoredHead;
  snapshot: string | null;
  records: string[];
  /** Characters of the records. */
  size: number;
  lastPlace: number;
  fence: number;
  owner: MemoryLog | null;
}

/** A class: every session has one, and `append` is called for every record. */
class MemoryLog implements StoredLog {
  readonly fence: number;
  readonly owner: StoredLogOwner;
  readonly #kept: Kept;
  readonly #segmentBytes: number;
  readonly #forget: () => void;

  constructor(kept: Kept, owner: StoredLogOwner, segmentBytes: number, forget: () => void) {
    this.#kept = kept;
    this.owner = owner;
    this.#segmentBytes = segmentBytes;
    this.#forget = forget;
    this.fence = kept.fence;
  }

  append(record: StoredRecord): void {
    if (!this.isOwner || record.place !== this.#kept.lastPlace + 1) return;
    const text = JSON.stringify(record);
    this.#kept.records.push(text);
    this.#kept.size += text.length;
    this.#kept.lastPlace = record.place;
  }

  sync(done: Parameters<StoredLog['sync']>[0]): void {
    const durability = this.isOwner ? 'kept' : 'memory';
    setImmediate(() => {
      this.#renew();
      done(durability);
    });
  }

  setHead(head: StoredHead): void {
    if (this.isOwner) this.#kept.head = head;
  }

  async release(): Promise<void> {
    if (this.isOwner) this.#kept.owner = null;
  }

  async remove(): Promise<void> {
    if (!this.isOwner) return;
    this.#kept.owner = null;
    this.#forget();
  }

  get isOwner(): boolean {
    return this.#kept.owner === this;
  }

  /** Replaces many records by a snapshot. */
  #renew(): void {
    const kept = this.#kept;
    if (!this.isOwner || kept.size < this.#segmentBytes) return;
    const snapshot = this.owner.snapshot();
    if (snapshot.place < kept.lastPlace) return;
    kept.snapshot = JSON.stringify(snapshot);
    kept.records = [];
    kept.size = 0;
  }
}

/** An empty store. */
export function createMemoryStore({ segmentBytes = defaultSegmentBytes } = {}): SessionStore {
  const sessions = new Map<string, Kept>();

  function own(session: string, kept: Kept, owner: StoredLogOwner): MemoryLog {
    kept.fence += 1;
    const log = new MemoryLog(kept, owner, segmentBytes, () => sessions.delete(session));
    kept.owner = log;
    return log;
  }

  function find(session: string): Kept {
    const kept = sessions.get(session);
    if (kept === undefined) throw new GatewayError('not-found', 'no such session is stored');
    return kept;
  }

  return {
    async create(head, owner) {
      if (sessions.has(head.session)) throw new GatewayError('conflict', 'the session is stored already');
      const kept: Kept = { head, snapshot: null, records: [], size: 0, lastPlace: 0, fence: 0, owner: null };
      sessions.set(head.session, kept);
      return own(head.session, kept, owner);
    },
    async claim(session, owner) {
      const kept = find(session);
      if (kept.owner !== null) throw new GatewayError('conflict', 'the session has an owner');
      return { log: own(session, kept, owner), past: pastOf(kept) };
    },
    read: async (session) => pastOf(find(session)),
    async list(after, limit) {
      const ids = [...sessions.keys()].filter((id) => after === null || id > after).sort();
      return ids.slice(0, limit).map((id) => find(id).head);
    },
    obstacles: () => [],
    async close() {
      for (const kept of sessions.values()) {
        const log = kept.owner;
        kept.owner = null;
        log?.owner.lost('released');
      }
    },
  };
}

function pastOf(kept: Kept): StoredPast {
  const records = kept.records.slice();
  return {
    head: kept.head,
    snapshot: kept.snapshot === null ? null : (JSON.parse(kept.snapshot) as StoredSnapshot),
    async *records() {
      for (const text of records) yield JSON.parse(text) as StoredRecord;
    },
    corrupt: null,
  };
}
