// The common part of readers that wrap another reader: all but reading goes to the inner reader.
import type { WorkQueue } from '../../core/contract/paced-work.ts';
import type { Entry, Reader } from '../../core/contract/reader.ts';
import type { ReadPart } from '../../core/contract/stretch.ts';

/** A class because of its accessors: V8 gives each object literal with an accessor a dictionary of its own. */
export abstract class ForwardingReader implements Reader {
  protected readonly inner: Reader;

  constructor(inner: Reader) {
    this.inner = inner;
  }

  abstract read(maxBytes: number, until?: number, beforeStretch?: boolean): readonly Entry[];

  abstract readStretch(maxBytes: number, until?: number): ReadPart | null;

  get work(): WorkQueue | undefined {
    return this.inner.work;
  }

  get isShared(): boolean {
    return this.inner.isShared === true;
  }

  get isPreparing(): boolean {
    return this.inner.isPreparing === true;
  }

  mark(): number {
    return this.inner.mark();
  }

  set onReadable(callback: () => void) {
    this.inner.onReadable = callback;
  }

  get onReadable(): () => void {
    return this.inner.onReadable;
  }

  close(): void {
    this.inner.close();
  }
}
