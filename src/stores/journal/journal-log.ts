// The log of one session in the journal: collects the lines of a turn of the event loop, writes them off the loop, and goes
// on in memory while the disk takes nothing.
import type {
  Durability,
  StoredHead,
  StoredLog,
  StoredLogOwner,
  StoredRecord,
  StoreLoss,
} from '../../core/contract/session-store.ts';
import { codeOf } from '../verify-open-file.ts';
import { lineOf } from './lines.ts';
import type { Segments } from './segments.ts';

/** What a log needs of its journal. */
export interface LogPorts {
  /** Bytes of records after which a new segment begins. */
  readonly segmentBytes: number;
  /** The most characters that wait for the disk: of one session, and of all. */
  readonly queue: { readonly perSession: number; readonly all: number };
  /** Characters of all sessions that wait for the disk. */
  readonly waiting: { chars: number };
  /** Runs a piece of work when a thread is free. */
  turn<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Calls `work` at the end of this turn of the event loop. */
  wake(log: JournalLog): void;
  /** The log has nothing to do, or has something to do again. */
  idle(log: JournalLog, isIdle: boolean): void;
  /** The log is not kept any more. */
  failed(log: JournalLog): void;
  /** The log has no owner any more. `isRemoved`: the session is to be forgotten. */
  over(log: JournalLog, isRemoved: boolean): Promise<void>;
  /** Takes what an owner throws. */
  thrown(thrown: unknown): void;
}

/** `failed`: records are dropped until a new segment begins. `read-only`: the stored session is damaged. */
type Phase =
  | { readonly name: 'open' }
  | { readonly name: 'failed'; readonly reason: string }
  | { readonly name: 'read-only' }
  | { readonly name: 'over' };

/** Characters that are written at once: about a millisecond of the loop. Less does not keep up when each write has to wait. */
const batchChars = 2 * 1024 * 1024;
/** Characters of lines that become bytes before the end of their turn: a fraction of a millisecond. */
const pieceChars = 256 * 1024;

/**
 * Lines of one turn as bytes, outside of the heap: when the disk is slow, the collector would copy each line that waits, which
 * takes 100 ms for 30 MiB.
 */
interface Piece {
  readonly bytes: Buffer;
  /** Number of lines, and their characters. */
  readonly lines: number;
  readonly chars: number;
}

/** A class: every open session has one, and `append` is called for every record. */
export class JournalLog implements StoredLog {
  readonly fence: number;
  readonly session: string;
  readonly #owner: StoredLogOwner;
  readonly #segments: Segments;
  readonly #ports: LogPorts;
  #head: StoredHead;
  #phase: Phase = { name: 'open' };
  /** Place of the last record. */
  #place: number;
  /** What waits: pieces, and the lines behind them. */
  #pieces: Piece[] = [];
  #lines: string[] = [];
  #lineChars = 0;
  /** Characters of all that waits. */
  #chars = 0;
  /** Number of lines taken, and of lines that are in the segment or replaced by its snapshot. */
  #taken = 0;
  #written = 0;
  #waiters: { readonly upTo: number; readonly done: (durability: Durability) => void }[] = [];
  #isHeadNew = false;
  /** Bytes of records at which the next segment begins. */
  #renewAt: number;
  #working: Promise<void> | null = null;
  /** A sync goes on beside the writing: a slow disk delays the syncs and not the writes, which end in memory of the system. */
  #syncing: Promise<void> | null = null;
  /** Tells the work, while it waits for the sync, that there is something to write. */
  #nudge: (() => void) | null = null;

  constructor(
    head: StoredHead,
    fence: number,
    place: number,
    segments: Segments,
    owner: StoredLogOwner,
    ports: LogPorts,
  ) {
    this.session = head.session;
    this.fence = fence;
    this.#head = head;
    this.#place = place;
    this.#segments = segments;
    this.#owner = owner;
    this.#ports = ports;
    this.#renewAt = ports.segmentBytes;
  }

  get head(): StoredHead {
    return this.#head;
  }

  /** Something of the session is on disk. */
  get isStored(): boolean {
    return this.#segments.isStored;
  }

  /** Why the log is not kept now; null while it is. */
  get obstacle(): string | null {
    return this.#phase.name === 'failed' ? this.#phase.reason : null;
  }

  append(record: StoredRecord): void {
    const isNext = record.place === this.#place + 1;
    this.#place = Math.max(this.#place, record.place);
    if (this.#phase.name !== 'open') return;
    if (!isNext) return this.#fail('a record is missing');
    try {
      this.#take(lineOf(JSON.stringify(record)));
    } catch (thrown) {
      this.#ports.thrown(thrown);
      this.#fail('a record cannot be written as JSON');
    }
  }

  sync(done: (durability: Durability) => void): void {
    if (this.#phase.name !== 'open') {
      setImmediate(() => this.#tell(done, 'memory'));
      return;
    }
    this.#waiters.push({ upTo: this.#taken, done });
    this.#ports.wake(this);
  }

  setHead(head: StoredHead): void {
    if (this.#phase.name === 'over' || this.#phase.name === 'read-only') return;
    this.#head = head;
    this.#isHeadNew = true;
    if (this.#phase.name === 'open') this.#take(lineOf(JSON.stringify({ head })));
  }

  async release(): Promise<void> {
    if (this.#phase.name === 'over') return;
    await new Promise<Durability>((done) => this.sync(done));
    await this.#working;
    await this.#end(false);
  }

  async remove(): Promise<void> {
    if (this.#phase.name === 'over') return;
    await this.#end(true);
  }

  /** Takes the session from its owner. */
  async take(reason: StoreLoss): Promise<void> {
    if (this.#phase.name === 'over') return;
    const ended = reason === 'released' ? this.release() : this.#end(false);
    try {
      this.#owner.lost(reason);
    } catch (thrown) {
      this.#ports.thrown(thrown);
    }
    await ended;
  }

  /** Begins the first segment, or the segment of a new owner. Never rejects: the log is in memory if this fails. */
  async start(begin: (segments: Segments) => Promise<void>): Promise<void> {
    await this.#attempt(() => begin(this.#segments));
    this.#isHeadNew = true;
    this.#ports.wake(this);
  }

  makeReadOnly(): void {
    this.#phase = { name: 'read-only' };
  }

  /** Writes what waits. Called at the end of a turn that has brought something. */
  work(): void {
    this.#seal();
    this.#nudge?.();
    if (this.#working !== null || this.#phase.name !== 'open') return;
    this.#ports.idle(this, false);
    this.#working = this.#workAll().finally(() => {
      this.#working = null;
      this.#ports.idle(this, true);
      // Something may have come after the last look.
      if (this.#nextStep() !== null || this.#isSyncDue) this.#ports.wake(this);
    });
  }

  /** Resolves when everything that was taken before is in the segment, or never will be. */
  async settled(): Promise<void> {
    this.work();
    await this.#working;
  }

  /** Begins a new segment after a failure. Returns whether the log is kept again. */
  async tryAgain(): Promise<boolean> {
    await this.#working;
    if (this.#phase.name !== 'failed') return true;
    this.#phase = { name: 'open' };
    // What comes meanwhile stands behind the snapshot.
    this.#working = this.#attempt(() => this.#renew(true)).finally(() => {
      this.#working = null;
    });
    await this.#working;
    this.work();
    return this.obstacle === null;
  }

  /** Closes the file of an idle log. The next write opens the file again. */
  async rest(): Promise<void> {
    if (this.#working === null) await this.#segments.close().catch(() => {});
  }

  #take(line: string): void {
    this.#lines.push(line);
    this.#taken += 1;
    this.#lineChars += line.length;
    this.#chars += line.length;
    const { waiting, queue } = this.#ports;
    waiting.chars += line.length;
    if (this.#lineChars >= pieceChars) this.#seal();
    if (this.#chars > queue.perSession || waiting.chars > queue.all) this.#fail('the disk is too slow');
    else this.#ports.wake(this);
  }

  /** Makes one piece of the lines. */
  #seal(): void {
    if (this.#lines.length === 0) return;
    const bytes = Buffer.from(this.#lines.join(''));
    this.#pieces.push({ bytes, lines: this.#lines.length, chars: this.#lineChars });
    this.#lines = [];
    this.#lineChars = 0;
  }

  get #isWriteDue(): boolean {
    return this.#pieces.length > 0 || this.#lines.length > 0;
  }

  async #workAll(): Promise<void> {
    for (;;) {
      if (this.#isSyncDue && this.#syncing === null) {
        this.#syncing = this.#attempt(() => this.#sync()).finally(() => {
          this.#syncing = null;
        });
      }
      const step = this.#nextStep();
      if (step !== null) await this.#attempt(step);
      else if (this.#syncing === null) return;
      else await Promise.race([this.#syncing, new Promise<void>((nudge) => (this.#nudge = nudge))]);
    }
  }

  get #isRenewalDue(): boolean {
    return this.#isWriteDue && this.#segments.recordBytes >= this.#renewAt;
  }

  /** A renewal syncs everything, and waits for the sync before. */
  get #isSyncDue(): boolean {
    const [first] = this.#waiters;
    return this.#phase.name === 'open' && !this.#isRenewalDue && first !== undefined && first.upTo <= this.#written;
  }

  async #attempt(step: () => Promise<void>): Promise<void> {
    try {
      await this.#ports.turn(step);
    } catch (thrown) {
      this.#fail(reasonOf(thrown));
    }
  }

  #nextStep(): (() => Promise<void>) | null {
    if (this.#phase.name !== 'open') return null;
    if (this.#isRenewalDue && this.#syncing === null) return () => this.#renew(false);
    if (this.#isWriteDue) return () => this.#write();
    return this.#isHeadNew ? () => this.#writeHead() : null;
  }

  async #write(): Promise<void> {
    this.#seal();
    let count = 0;
    let lines = 0;
    let chars = 0;
    for (const piece of this.#pieces) {
      if (chars >= batchChars) break;
      count += 1;
      lines += piece.lines;
      chars += piece.chars;
    }
    const batch = this.#pieces.splice(0, count).map(({ bytes }) => bytes);
    this.#free(chars);
    const [first] = batch;
    await this.#segments.append(batch.length === 1 && first !== undefined ? first : Buffer.concat(batch));
    this.#written += lines;
  }

  async #sync(): Promise<void> {
    const upTo = this.#written;
    await this.#segments.sync();
    this.#tellUpTo(upTo, 'kept');
  }

  async #writeHead(): Promise<void> {
    this.#isHeadNew = false;
    await this.#segments.writeHead(this.#head);
  }

  async #renew(gap: boolean): Promise<void> {
    const snapshot = this.#owner.snapshot();
    if (snapshot.place < this.#place) {
      // Without a snapshot of everything the old segment must stay.
      if (gap) throw new Error('there is no snapshot');
      this.#renewAt += this.#ports.segmentBytes;
      return;
    }
    const upTo = this.#taken;
    this.#dropLines();
    await this.#segments.begin({ head: this.#head, fence: this.fence, snapshot, gap }, true);
    this.#renewAt = this.#ports.segmentBytes;
    this.#written = upTo;
    this.#tellUpTo(upTo, 'kept');
  }

  #fail(reason: string): void {
    if (this.#phase.name !== 'open') return;
    this.#phase = { name: 'failed', reason };
    this.#dropLines();
    this.#tellUpTo(this.#taken, 'memory');
    this.#ports.failed(this);
  }

  async #end(isRemoved: boolean): Promise<void> {
    this.#phase = { name: 'over' };
    this.#dropLines();
    this.#tellUpTo(this.#taken, 'memory');
    await this.#working;
    this.#ports.idle(this, false);
    await this.#segments.close().catch(() => {});
    await this.#ports.over(this, isRemoved);
  }

  #dropLines(): void {
    this.#pieces = [];
    this.#lines = [];
    this.#lineChars = 0;
    this.#free(this.#chars);
  }

  #free(chars: number): void {
    this.#chars -= chars;
    this.#ports.waiting.chars -= chars;
  }

  #tellUpTo(upTo: number, durability: Durability): void {
    const index = this.#waiters.findIndex((waiter) => waiter.upTo > upTo);
    const told = this.#waiters.splice(0, index === -1 ? this.#waiters.length : index);
    // Later, because `append` may find out that nothing is kept, and its caller expects no call.
    if (told.length === 0) return;
    setImmediate(() => {
      for (const { done } of told) this.#tell(done, durability);
    });
  }

  #tell(done: (durability: Durability) => void, durability: Durability): void {
    try {
      done(durability);
    } catch (thrown) {
      this.#ports.thrown(thrown);
    }
  }
}

/** The code of the system, because its text names our folders. */
function reasonOf(thrown: unknown): string {
  return String(codeOf(thrown) ?? (thrown instanceof Error ? thrown.message : thrown));
}
