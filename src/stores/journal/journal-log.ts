// The log of one session in the journal: collects the lines of a turn of the event loop, writes them off the loop, and goes
// on in memory while the disk takes nothing.
import type { Durability, StoredHead, StoredLogOwner } from '../../core/contract/store/session-store.ts';
import { OwnedLog, type OwnedLogPorts, type Waiter } from '../owned-log.ts';
import { codeOf } from '../verify-open-file.ts';
import { lineOf } from './lines.ts';
import type { Segments } from './segments.ts';
import { WaitingLines } from './waiting-lines.ts';

/** What a log needs of its journal. */
export interface LogPorts extends OwnedLogPorts<JournalLog> {
  /** Runs a piece of work when a thread is free. */
  turn<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The log has nothing to do, or has something to do again. */
  idle(log: JournalLog, isIdle: boolean): void;
  /** The log is not kept any more. */
  failed(log: JournalLog): void;
  /** The log has no owner any more. `isRemoved`: the session is to be forgotten. */
  over(log: JournalLog, isRemoved: boolean): Promise<void>;
}

/** `failed`: records are dropped until a new segment begins. `read-only`: the stored session is damaged. */
type Phase =
  | { readonly name: 'open' }
  | { readonly name: 'failed'; readonly reason: string }
  | { readonly name: 'read-only' }
  | { readonly name: 'over' };

/** A class: every open session has one, and `append` is called for every record. */
export class JournalLog extends OwnedLog {
  readonly fence: number;
  readonly #segments: Segments;
  readonly #ports: LogPorts;
  #phase: Phase = { name: 'open' };
  readonly #waiting = new WaitingLines();
  /** Number of lines taken, of lines that are in the segment or replaced by its snapshot, and of those that were synced. */
  #taken = 0;
  #written = 0;
  #synced = -1;
  #waiters: { readonly upTo: number; readonly done: Waiter }[] = [];
  #isHeadNew = false;
  /** Until then lists read the first line of the segment, which is all that most sessions have. */
  #hasHeadFile = false;
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
    super(head, place, owner, ports);
    this.fence = fence;
    this.#segments = segments;
    this.#ports = ports;
    this.#renewAt = ports.segmentBytes;
  }

  /** Something of the session is on disk. */
  get isStored(): boolean {
    return this.#segments.isStored;
  }

  /** Why the log is not kept now; null while it is. */
  get obstacle(): string | null {
    return this.#phase.name === 'failed' ? this.#phase.reason : null;
  }

  protected get takesRecords(): boolean {
    return this.#phase.name === 'open';
  }

  protected get isOver(): boolean {
    return this.#phase.name === 'over';
  }

  sync(done: Waiter): void {
    if (this.#phase.name !== 'open') return this.tell([done], 'memory');
    if (this.#synced >= this.#taken) return this.tell([done], 'kept');
    this.#waiters.push({ upTo: this.#taken, done });
    this.#ports.wake(this);
  }

  override setHead(head: StoredHead): void {
    if (this.#phase.name === 'over' || this.#phase.name === 'read-only') return;
    super.setHead(head);
    this.#isHeadNew = true;
    if (this.#phase.name === 'open') this.line(JSON.stringify({ head }));
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

  protected fenced(): Promise<void> {
    return this.#end(false);
  }

  /** Begins the first segment, or the segment of a new owner. Never rejects: the log is in memory if this fails. */
  async start(begin: (segments: Segments) => Promise<void>): Promise<void> {
    await this.#attempt(() => begin(this.#segments));
    this.#isHeadNew = this.fence > 1;
    this.#ports.wake(this);
  }

  makeReadOnly(): void {
    this.#phase = { name: 'read-only' };
  }

  /** Writes what waits. Called at the end of a turn that has brought something. */
  work(): void {
    this.#waiting.seal();
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

  protected line(json: string): void {
    const line = lineOf(json);
    this.#waiting.add(line);
    this.#taken += 1;
    if (this.holds(line.length)) this.#ports.wake(this);
    else this.broken('the disk is too slow');
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
    return !this.#waiting.isEmpty && this.#segments.recordBytes >= this.#renewAt;
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
      this.broken(reasonOf(thrown));
    }
  }

  #nextStep(): (() => Promise<void>) | null {
    if (this.#phase.name !== 'open') return null;
    if (this.#isRenewalDue && this.#syncing === null) return () => this.#renew(false);
    if (!this.#waiting.isEmpty) return () => this.#write();
    return this.#isHeadNew ? () => this.#writeHead() : null;
  }

  async #write(): Promise<void> {
    const { bytes, lines, chars } = this.#waiting.next();
    this.lets(chars);
    await this.#segments.append(bytes);
    this.#isHeadNew ||= !this.#hasHeadFile;
    this.#written += lines;
  }

  async #sync(): Promise<void> {
    const upTo = this.#written;
    await this.#segments.sync();
    this.#kept(upTo);
  }

  async #writeHead(): Promise<void> {
    this.#isHeadNew = false;
    this.#hasHeadFile = true;
    await this.#segments.writeHead(this.head);
  }

  async #renew(gap: boolean): Promise<void> {
    const snapshot = this.snapshot();
    if (snapshot === null) {
      // Without a snapshot of everything the old segment must stay.
      if (gap) throw new Error('there is no snapshot');
      this.#renewAt += this.#ports.segmentBytes;
      return;
    }
    const upTo = this.#taken;
    this.#dropLines();
    await this.#segments.begin({ head: this.head, fence: this.fence, snapshot, gap }, true);
    this.#renewAt = this.#ports.segmentBytes;
    this.#written = upTo;
    this.#kept(upTo);
  }

  protected broken(reason: string): void {
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
    this.#waiting.clear();
    this.lets();
  }

  #kept(upTo: number): void {
    this.#synced = upTo;
    this.#tellUpTo(upTo, 'kept');
  }

  #tellUpTo(upTo: number, durability: Durability): void {
    const index = this.#waiters.findIndex((waiter) => waiter.upTo > upTo);
    const told = this.#waiters.splice(0, index === -1 ? this.#waiters.length : index);
    this.tell(
      told.map(({ done }) => done),
      durability,
    );
  }
}

/** The code of the system, because its text names our folders. */
function reasonOf(thrown: unknown): string {
  return String(codeOf(thrown) ?? (thrown instanceof Error ? thrown.message : thrown));
}
