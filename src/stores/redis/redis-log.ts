// The log of one session in Redis: one batch for each turn of the event loop, up to 64 of them on their way. While Redis is away
// records wait; if too many wait, or if Redis has lost some, a snapshot takes their place.
import type {
  Durability,
  StoredHead,
  StoredLog,
  StoredLogOwner,
  StoredRecord,
  StoredSnapshot,
  StoreLoss,
} from '../../core/contract/session-store.ts';
import { reasonOf } from './connection.ts';
import { batchStatus } from './scripts.ts';

/** What goes to Redis at once. */
export interface RedisBatch {
  /** Place of the first record. */
  readonly first: number;
  /** Records as JSON. */
  readonly records: readonly string[];
  /** Null: unchanged. */
  readonly head: { readonly text: string; readonly version: number } | null;
  readonly snapshot: { readonly text: string; readonly place: number; readonly gap: boolean } | null;
}

/** What a log needs of its store. */
export interface RedisLogPorts {
  /** Characters of records after which a snapshot replaces them. */
  readonly segmentBytes: number;
  /** The most characters that wait for Redis: of one session, and of all. */
  readonly queue: { readonly perSession: number; readonly all: number };
  /** Characters of all sessions that wait for Redis. */
  readonly waiting: { chars: number };
  /** Makes the session in Redis. Returns the fence, or 0 if somebody else has made one with this id. */
  create(log: RedisLog): Promise<number>;
  /** Makes a session again that Redis has forgotten, from its snapshot. Returns the fence, or 0 as `create` does. */
  remake(log: RedisLog, head: RedisBatch['head'], snapshot: StoredSnapshot): Promise<number>;
  /** Returns the status of the batch (`batchStatus`) and the last place that Redis has. */
  append(log: RedisLog, batch: RedisBatch): Promise<readonly [status: number, place: number]>;
  /** Redis has answered a log that had failed. */
  recovered(log: RedisLog): void;
  /** Calls `work` at the end of this turn of the event loop. */
  wake(log: RedisLog): void;
  /** The log does not reach Redis; call `tryAgain` until it has recovered. */
  failed(log: RedisLog): void;
  /** The log has no owner any more. */
  over(log: RedisLog, how: 'released' | 'removed' | 'fenced'): Promise<void>;
  /** Takes what an owner throws. */
  thrown(thrown: unknown): void;
}

/** `away`: records wait, or are dropped until there is a snapshot if `isBroken`. */
type Phase =
  | { readonly name: 'open' }
  | { readonly name: 'away'; readonly isBroken: boolean }
  | { readonly name: 'over' };

type Waiter = (durability: Durability) => void;

/** A batch that Redis has not answered. */
interface Sent {
  readonly upTo: number;
  readonly snapshot: RedisBatch['snapshot'];
  readonly waiters: readonly Waiter[];
}

/** Most records and characters of a batch, and most batches of a session on their way (docs/limits.md 11.3). */
const most = { records: 256, chars: 256 * 1024, inFlight: 64 };

/** A class: every open session has one, and `append` is called for every record. */
export class RedisLog implements StoredLog {
  readonly session: string;
  readonly #owner: StoredLogOwner;
  readonly #ports: RedisLogPorts;
  #fence: number;
  #phase: Phase = { name: 'open' };
  #head: StoredHead;
  #headVersion = 0;
  #isHeadNew = false;
  /** Place of the last record that was appended. */
  #place: number;
  /** Records that Redis has not taken, as JSON; the first `#sent` of them are on their way. */
  #lines: string[] = [];
  #sent = 0;
  #chars = 0;
  #waiters: Waiter[] = [];
  #inFlight: Sent[] = [];
  /** Rises with each failure: answers to what was sent before say nothing about what is sent now. */
  #attempt = 0;
  /** Characters since the last snapshot, and how many bring the next. */
  #sinceSnapshot = 0;
  #renewAt: number;
  #isSnapshotDue = false;
  /** Redis has come back empty, and the owner's memory is all that is there of the session. */
  #isForgotten = false;
  /** The reason of a failure until Redis answers again. */
  #obstacle: string | null = null;

  /** `fence`: 0 if the session is not yet in Redis. */
  constructor(head: StoredHead, fence: number, place: number, owner: StoredLogOwner, ports: RedisLogPorts) {
    this.session = head.session;
    this.#head = head;
    this.#fence = fence;
    this.#place = place;
    this.#owner = owner;
    this.#ports = ports;
    this.#renewAt = ports.segmentBytes;
  }

  get fence(): number {
    return this.#fence;
  }

  get head(): StoredHead {
    return this.#head;
  }

  /** Why the log is not kept now; null while it is. */
  get obstacle(): string | null {
    return this.#obstacle;
  }

  /** Makes a new session in Redis. While Redis is away the session begins in memory. Returns false if the id is taken. */
  async begin(): Promise<boolean> {
    try {
      this.#fence = await this.#ports.create(this);
    } catch (thrown) {
      this.#fail(reasonOf(thrown), false);
      return true;
    }
    return this.#fence > 0;
  }

  append(record: StoredRecord): void {
    const isNext = record.place === this.#place + 1;
    this.#place = Math.max(this.#place, record.place);
    if (this.#phase.name === 'over' || (this.#phase.name === 'away' && this.#phase.isBroken)) return;
    if (!isNext) return this.#fail('a record is missing', true);
    try {
      this.#take(JSON.stringify(record));
    } catch (thrown) {
      this.#ports.thrown(thrown);
      this.#fail('a record cannot be written as JSON', true);
    }
  }

  sync(done: (durability: Durability) => void): void {
    if (this.#phase.name !== 'open') {
      this.#tell([done], 'memory');
      return;
    }
    this.#waiters.push(done);
    this.#ports.wake(this);
  }

  setHead(head: StoredHead): void {
    if (this.#phase.name === 'over') return;
    this.#head = head;
    this.#headVersion += 1;
    this.#isHeadNew = true;
    this.#ports.wake(this);
  }

  async release(): Promise<void> {
    if (this.#phase.name === 'over') return;
    await this.settled();
    await this.#end('released');
  }

  async remove(): Promise<void> {
    await this.#end('removed');
  }

  /** Takes the session from its owner. */
  async take(reason: StoreLoss): Promise<void> {
    if (this.#phase.name === 'over') return;
    const ended = reason === 'released' ? this.release() : this.#end('fenced');
    try {
      this.#owner.lost(reason);
    } catch (thrown) {
      this.#ports.thrown(thrown);
    }
    await ended;
  }

  /** Resolves when Redis has everything that was appended before, or is known not to. Notices a new owner, too. */
  async settled(): Promise<void> {
    await new Promise<Durability>((done) => this.sync(done));
  }

  /** Sends what waits. */
  work(): void {
    while (this.#phase.name === 'open' && this.#inFlight.length < most.inFlight) {
      const isDone = this.#sent === this.#lines.length && !this.#isHeadNew && !this.#isSnapshotDue;
      if (isDone && this.#waiters.length === 0) return;
      this.#send();
    }
  }

  /** Sends again what Redis has not taken. */
  async tryAgain(): Promise<void> {
    if (this.#phase.name !== 'away') return;
    const { isBroken } = this.#phase;
    if (this.#fence === 0) {
      const fence = await this.#ports.create(this).catch(() => null);
      if (fence === null) return;
      if (fence === 0) return this.take('fenced');
      this.#fence = fence;
    }
    if (this.#isForgotten) return this.#remake();
    // Somebody may have released the session meanwhile.
    if (this.#phase.name !== 'away') return;
    this.#goOn(isBroken);
  }

  #goOn(isBroken: boolean): void {
    this.#phase = { name: 'open' };
    this.#isHeadNew = true;
    this.#isSnapshotDue ||= isBroken;
    this.work();
  }

  /** Makes the session in Redis again from the memory of its owner. */
  async #remake(): Promise<void> {
    let snapshot: StoredSnapshot;
    try {
      snapshot = this.#owner.snapshot();
    } catch (thrown) {
      return this.#ports.thrown(thrown);
    }
    if (snapshot.place < this.#place) return;
    const head = { text: JSON.stringify(this.#head), version: this.#headVersion };
    const fence = await this.#ports.remake(this, head, snapshot).catch(() => null);
    if (fence === null || this.#phase.name !== 'away') return;
    if (fence === 0) return this.take('fenced');
    this.#fence = fence;
    this.#isForgotten = false;
    this.#isSnapshotDue = false;
    this.#sinceSnapshot = 0;
    // What came meanwhile was dropped.
    this.#goOn(this.#place > snapshot.place);
    // Only an answer tells that the session is kept again.
    void this.settled();
  }

  #take(line: string): void {
    this.#lines.push(line);
    this.#chars += line.length;
    this.#sinceSnapshot += line.length;
    const { waiting, queue } = this.#ports;
    waiting.chars += line.length;
    if (this.#chars > queue.perSession || waiting.chars > queue.all) this.#fail('Redis is too slow', true);
    else if (this.#phase.name === 'open') this.#ports.wake(this);
  }

  #send(): void {
    const first = this.#place - this.#lines.length + this.#sent + 1;
    const records = this.#nextRecords();
    this.#sent += records.length;
    const isLast = this.#sent === this.#lines.length;
    const snapshot = isLast ? this.#snapshot() : null;
    if (this.#phase.name !== 'open') return;
    const waiters = isLast ? this.#waiters.splice(0) : [];
    const sent: Sent = { upTo: first + records.length - 1, snapshot, waiters };
    this.#inFlight.push(sent);
    const head = this.#isHeadNew ? { text: JSON.stringify(this.#head), version: this.#headVersion } : null;
    this.#isHeadNew = false;
    const attempt = this.#attempt;
    this.#ports.append(this, { first, records, head, snapshot }).then(
      ([status, place]) => this.#answered(status, place, attempt),
      (thrown: unknown) => {
        if (attempt === this.#attempt) this.#fail(reasonOf(thrown), false);
      },
    );
  }

  #nextRecords(): readonly string[] {
    let chars = 0;
    let end = this.#sent;
    while (end < this.#lines.length && end - this.#sent < most.records && chars < most.chars) {
      chars += this.#lines[end]?.length ?? 0;
      end += 1;
    }
    return this.#lines.slice(this.#sent, end);
  }

  /** The snapshot for this batch; null if none is due. Fails the log if there must be one and is none. */
  #snapshot(): RedisBatch['snapshot'] {
    const gap = this.#isSnapshotDue;
    if (!gap && this.#sinceSnapshot < this.#renewAt) return null;
    try {
      const snapshot = this.#owner.snapshot();
      if (snapshot.place >= this.#place) {
        const text = JSON.stringify(snapshot);
        this.#isSnapshotDue = false;
        this.#sinceSnapshot = 0;
        // A large snapshot is not written for each small step.
        this.#renewAt = Math.max(this.#ports.segmentBytes, text.length);
        return { text, place: snapshot.place, gap };
      }
    } catch (thrown) {
      this.#ports.thrown(thrown);
    }
    this.#renewAt += this.#ports.segmentBytes;
    if (gap) this.#fail('there is no snapshot', true);
    return null;
  }

  #answered(status: number, place: number, attempt: number): void {
    if (status === batchStatus.fenced) {
      void this.take('fenced');
      return;
    }
    if (attempt !== this.#attempt) return;
    if (status === batchStatus.forgotten) {
      this.#isForgotten = true;
      this.#fail('Redis has come back empty', true);
      return;
    }
    const taken = this.#place - this.#lines.length;
    if (status === batchStatus.gap) {
      // If Redis came back with less than it had acknowledged, only a snapshot closes the gap.
      this.#fail(place < taken ? 'Redis has lost records' : 'a batch did not arrive', place < taken);
      return;
    }
    const sent = this.#inFlight.shift();
    if (sent === undefined) return;
    const count = Math.max(0, sent.upTo - taken);
    this.#free(this.#lines.splice(0, count));
    this.#sent -= count;
    this.#tell(sent.waiters, 'kept');
    if (this.#obstacle !== null) {
      this.#obstacle = null;
      this.#ports.recovered(this);
    }
    this.work();
  }

  #fail(reason: string, isBroken: boolean): void {
    const before = this.#phase;
    if (before.name === 'over') return;
    this.#phase = { name: 'away', isBroken: isBroken || (before.name === 'away' && before.isBroken) };
    this.#obstacle = reason;
    this.#giveUp();
    if (isBroken) this.#free(this.#lines.splice(0));
    this.#ports.failed(this);
  }

  async #end(how: 'released' | 'removed' | 'fenced'): Promise<void> {
    if (this.#phase.name === 'over') return;
    this.#phase = { name: 'over' };
    this.#giveUp();
    this.#free(this.#lines.splice(0));
    await this.#ports.over(this, how);
  }

  /** Nothing is on its way any more, and nobody waits. */
  #giveUp(): void {
    this.#attempt += 1;
    this.#sent = 0;
    for (const { snapshot } of this.#inFlight) {
      // Whether Redis took the snapshot is unknown. Another one does no harm.
      if (snapshot?.gap) this.#isSnapshotDue = true;
      else if (snapshot !== null) this.#sinceSnapshot = this.#renewAt;
    }
    const waiters = [...this.#inFlight.splice(0).flatMap((sent) => sent.waiters), ...this.#waiters.splice(0)];
    this.#tell(waiters, 'memory');
  }

  #free(lines: readonly string[]): void {
    for (const { length } of lines) {
      this.#chars -= length;
      this.#ports.waiting.chars -= length;
    }
  }

  /** Later, because `append` may find out that nothing is kept, and its caller expects no call. */
  #tell(waiters: readonly Waiter[], durability: Durability): void {
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
