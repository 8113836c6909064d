// The log of one session in Redis: one batch for each turn of the event loop, up to 64 of them on their way. While Redis is away
// records wait; if too many wait, or if Redis has lost some, a snapshot takes their place.
import type { StoredHead, StoredLogOwner, StoredSnapshot } from '../../core/contract/store/session-store.ts';
import { OwnedLog, type Waiter } from '../owned-log.ts';
import { reasonOf } from './connection.ts';
import type { RedisBatch, RedisPorts, Sent } from './redis-batch.ts';
import { batchStatus } from './scripts.ts';

/** `away`: records wait, or are dropped until there is a snapshot if `isBroken`. */
type Phase =
  | { readonly name: 'open' }
  | { readonly name: 'away'; readonly isBroken: boolean }
  | { readonly name: 'over' };

/** What a log needs of its store. */
export type RedisLogPorts = RedisPorts<RedisLog>;

/** Most records and characters of a batch, and most batches of a session on their way (docs/limits.md 11.3). */
const most = { records: 256, chars: 256 * 1024, inFlight: 64 };

/** A class: every open session has one, and `append` is called for every record. */
export class RedisLog extends OwnedLog {
  readonly #ports: RedisLogPorts;
  #fence: number;
  #phase: Phase = { name: 'open' };
  #headVersion = 0;
  #isHeadNew = false;
  /** Records that Redis has not taken, as JSON; the first `#sent` of them are on their way. */
  #lines: string[] = [];
  #sent = 0;
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
    super(head, place, owner, ports);
    this.#fence = fence;
    this.#ports = ports;
    this.#renewAt = ports.segmentBytes;
  }

  get fence(): number {
    return this.#fence;
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

  protected get takesRecords(): boolean {
    return this.#phase.name === 'open' || (this.#phase.name === 'away' && !this.#phase.isBroken);
  }

  protected get isOver(): boolean {
    return this.#phase.name === 'over';
  }

  sync(done: Waiter): void {
    if (this.#phase.name !== 'open') return this.tell([done], 'memory');
    this.#waiters.push(done);
    this.#ports.wake(this);
  }

  override setHead(head: StoredHead): void {
    if (this.#phase.name === 'over') return;
    super.setHead(head);
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

  protected fenced(): Promise<void> {
    return this.#end('fenced');
  }

  protected broken(reason: string): void {
    this.#fail(reason, true);
  }

  /** Resolves when Redis has everything that was appended before, or is known not to. Notices a new owner, too. */
  settled(): Promise<unknown> {
    return new Promise((done) => this.sync(done));
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
    const snapshot = this.#snapshotNow();
    if (snapshot === null) return;
    const head = { text: JSON.stringify(this.head), version: this.#headVersion };
    const fence = await this.#ports.remake(this, head, snapshot).catch(() => null);
    if (fence === null || this.#phase.name !== 'away') return;
    if (fence === 0) return this.take('fenced');
    this.#fence = fence;
    this.#isForgotten = false;
    this.#isSnapshotDue = false;
    this.#sinceSnapshot = 0;
    // What came meanwhile was dropped.
    this.#goOn(this.place > snapshot.place);
    // Only an answer tells that the session is kept again.
    void this.settled();
  }

  protected line(json: string): void {
    this.#lines.push(json);
    this.#sinceSnapshot += json.length;
    if (!this.holds(json.length)) this.#fail('Redis is too slow', true);
    else if (this.#phase.name === 'open') this.#ports.wake(this);
  }

  #send(): void {
    const first = this.place - this.#lines.length + this.#sent + 1;
    const records = this.#nextRecords();
    this.#sent += records.length;
    const isLast = this.#sent === this.#lines.length;
    const snapshot = isLast ? this.#snapshot() : null;
    if (this.#phase.name !== 'open') return;
    const waiters = isLast ? this.#waiters.splice(0) : [];
    const sent: Sent = { upTo: first + records.length - 1, snapshot, waiters };
    this.#inFlight.push(sent);
    const head = this.#isHeadNew ? { text: JSON.stringify(this.head), version: this.#headVersion } : null;
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
    const snapshot = this.#snapshotNow();
    if (snapshot !== null) {
      const text = JSON.stringify(snapshot);
      this.#isSnapshotDue = false;
      this.#sinceSnapshot = 0;
      // A large snapshot is not written for each small step.
      this.#renewAt = Math.max(this.#ports.segmentBytes, text.length);
      return { text, place: snapshot.place, gap };
    }
    this.#renewAt += this.#ports.segmentBytes;
    if (gap) this.#fail('there is no snapshot', true);
    return null;
  }

  /** Null: there is none, or the owner has thrown. */
  #snapshotNow(): StoredSnapshot | null {
    try {
      return this.snapshot();
    } catch (thrown) {
      this.#ports.thrown(thrown);
      return null;
    }
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
    const taken = this.place - this.#lines.length;
    if (status === batchStatus.gap) {
      // If Redis came back with less than it had acknowledged, only a snapshot closes the gap.
      this.#fail(place < taken ? 'Redis has lost records' : 'a batch did not arrive', place < taken);
      return;
    }
    const sent = this.#inFlight.shift();
    if (sent === undefined) return;
    const count = Math.max(0, sent.upTo - taken);
    for (const { length } of this.#lines.splice(0, count)) this.lets(length);
    this.#sent -= count;
    this.tell(sent.waiters, 'kept');
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
    if (isBroken) this.#dropLines();
    this.#ports.failed(this);
  }

  async #end(how: 'released' | 'removed' | 'fenced'): Promise<void> {
    if (this.#phase.name === 'over') return;
    this.#phase = { name: 'over' };
    this.#giveUp();
    this.#dropLines();
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
    this.tell(waiters, 'memory');
  }

  #dropLines(): void {
    this.#lines = [];
    this.lets();
  }
}
