// What the logs of a journal and of Redis have in common: records come in order and become JSON, they wait within bounds, and
// owners are called in a turn of their own.
import type {
  Durability,
  StoredHead,
  StoredLog,
  StoredLogOwner,
  StoredRecord,
  StoredSnapshot,
  StoreLoss,
} from '../core/contract/store/session-store.ts';
import { GatewayError } from '../core/model/errors.ts';

/** What every log needs of its store. `Log`: the kind of its logs. */
export interface OwnedLogPorts<Log> {
  /** Bytes or characters of records after which a snapshot replaces them. */
  readonly segmentBytes: number;
  /** The most characters that wait: of one session, and of all. */
  readonly queue: { readonly perSession: number; readonly all: number };
  /** Characters of all sessions that wait. */
  readonly waiting: { chars: number };
  /** Calls `work` at the end of this turn of the event loop. */
  wake(log: Log): void;
  /** Takes what an owner throws. */
  thrown(thrown: unknown): void;
}

/** Who waits for a sync. */
export type Waiter = (durability: Durability) => void;

/** A class: every open session has one, and `append` is called for every record. */
export abstract class OwnedLog implements StoredLog {
  readonly session: string;
  readonly #owner: StoredLogOwner;
  readonly #ports: Omit<OwnedLogPorts<never>, 'wake'>;
  #head: StoredHead;
  /** Place of the last record that was appended. */
  #place: number;
  /** Characters that wait. */
  #chars = 0;

  constructor(head: StoredHead, place: number, owner: StoredLogOwner, ports: Omit<OwnedLogPorts<never>, 'wake'>) {
    this.session = head.session;
    this.#head = head;
    this.#place = place;
    this.#owner = owner;
    this.#ports = ports;
  }

  abstract readonly fence: number;
  abstract sync(done: Waiter): void;
  abstract release(): Promise<void>;
  abstract remove(): Promise<void>;
  /** Writes or sends what waits. Called at the end of a turn that has brought something. */
  abstract work(): void;
  /** Why the log is not kept now; null while it is. */
  abstract readonly obstacle: string | null;

  /** Records are taken and not dropped. */
  protected abstract readonly takesRecords: boolean;
  protected abstract readonly isOver: boolean;
  /** Takes the next record as JSON. */
  protected abstract line(json: string): void;
  /** Records are lost, and only a snapshot can replace them. */
  protected abstract broken(reason: string): void;
  /** Another owner has the session. */
  protected abstract fenced(): Promise<void>;

  get head(): StoredHead {
    return this.#head;
  }

  setHead(head: StoredHead): void {
    this.#head = head;
  }

  append(record: StoredRecord): void {
    const isNext = record.place === this.#place + 1;
    this.#place = Math.max(this.#place, record.place);
    if (!this.takesRecords) return;
    if (!isNext) return this.broken('a record is missing');
    try {
      this.line(JSON.stringify(record));
    } catch (thrown) {
      this.#ports.thrown(thrown);
      this.broken('a record cannot be written as JSON');
    }
  }

  /** Takes the session from its owner. */
  async take(reason: StoreLoss): Promise<void> {
    if (this.isOver) return;
    const ended = reason === 'released' ? this.release() : this.fenced();
    try {
      this.#owner.lost(reason);
    } catch (thrown) {
      this.#ports.thrown(thrown);
    }
    await ended;
  }

  /** Place of the last record that was appended. */
  protected get place(): number {
    return this.#place;
  }

  /** The snapshot of the owner. Null: there is none of everything that was appended. Throws what the owner throws. */
  protected snapshot(): StoredSnapshot | null {
    const snapshot = this.#owner.snapshot();
    return snapshot.place < this.#place ? null : snapshot;
  }

  /** So many characters wait in addition. False: they are too many. */
  protected holds(chars: number): boolean {
    const { waiting, queue } = this.#ports;
    this.#chars += chars;
    waiting.chars += chars;
    return this.#chars <= queue.perSession && waiting.chars <= queue.all;
  }

  /** So many characters do not wait any more; without a number, none does. */
  protected lets(chars = this.#chars): void {
    this.#chars -= chars;
    this.#ports.waiting.chars -= chars;
  }

  /** Later, because `append` may find out that nothing is kept, and its caller expects no call. */
  protected tell(waiters: readonly Waiter[], durability: Durability): void {
    if (waiters.length === 0) return;
    setImmediate(() => {
      for (const done of waiters) {
        try {
          done(durability);
        } catch (thrown) {
          this.#ports.thrown(thrown);
        }
      }
    });
  }
}

/** Collects the logs that have something to do at the end of a turn of the event loop. */
export function createWake<Log extends { work(): void }>(): (log: Log) => void {
  const woken = new Set<Log>();
  return (log) => {
    if (woken.size === 0) {
      setImmediate(() => {
        const logs = [...woken];
        woken.clear();
        for (const one of logs) one.work();
      });
    }
    woken.add(log);
  };
}

/**
 * Lets one at a time make or claim the log of a session, and nobody once it is in `owned`. Rejects with `conflict`, or with
 * `shutting-down` once the store is over.
 */
export function createReservations(owned: ReadonlyMap<string, unknown>, isOver: () => boolean) {
  const reserved = new Set<string>();
  return async <Result>(session: string, work: () => Promise<Result>): Promise<Result> => {
    if (isOver()) throw new GatewayError('shutting-down', 'the store is closed');
    if (reserved.has(session) || owned.has(session)) throw new GatewayError('conflict', 'the session has an owner');
    reserved.add(session);
    try {
      return await work();
    } finally {
      reserved.delete(session);
    }
  };
}
