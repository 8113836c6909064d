// One session on a WebSocket that resumes: pulls its frames as fast as the client reads.
import type { Channel } from '../../core/contract/channel.ts';
import { type PacedTask, unpaced, writeCost } from '../../core/contract/paced-work.ts';
import type { Entry, Reader } from '../../core/contract/reader.ts';
import { highWater } from '../../core/link/client-sender.ts';
import { controlMessage, frameMessage } from './gateway-message.ts';

/** The connection of an attachment. */
export interface AttachmentOwner {
  /** The attachment has written: the others go first next time. */
  wrote(attachment: Attachment): void;
  /** The session is over, and the client was told. */
  closed(attachment: Attachment, reason: string): void;
  /** The gateway is over or has lost the session, and the session is not over. */
  away(reason: string, isMoved: boolean): void;
  /** Reading or writing has thrown. */
  failed(thrown: unknown): void;
}

/** A class: each connection has one for each of its sessions, and `step` runs with each wake-up of the reader. */
export class Attachment implements PacedTask {
  readonly session: string;
  readonly #name: string | null;
  readonly #channel: Channel;
  readonly #reader: Reader;
  readonly #owner: AttachmentOwner;
  #isOver = false;

  /** `isNamed`: the messages name the session. */
  constructor(session: string, isNamed: boolean, channel: Channel, reader: Reader, owner: AttachmentOwner) {
    this.session = session;
    this.#name = isNamed ? session : null;
    this.#channel = channel;
    this.#reader = reader;
    this.#owner = owner;
    reader.onReadable = () => this.pump();
  }

  /** Sends what there is. */
  pump(): void {
    const { work = unpaced } = this.#reader;
    if (!this.#isOver) work.run(this);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reader.close();
  }

  step(): number | null {
    const before = this.#channel.buffered;
    // The client reads slowly: go on when the channel has drained.
    if (this.#isOver || before >= highWater) return null;
    try {
      const entries = this.#reader.read(highWater);
      if (entries.length === 0) return null;
      this.#owner.wrote(this);
      for (const entry of entries) this.#send(entry);
    } catch (thrown) {
      this.#owner.failed(thrown);
      return null;
    }
    return Math.max(0, this.#channel.buffered - before) + writeCost;
  }

  #send(entry: Entry): void {
    const named = this.#name === null ? {} : { session: this.#name };
    switch (entry.kind) {
      case 'frame':
        return this.#channel.send(frameMessage(entry, this.#name));
      case 'reset':
        return this.#channel.send(
          controlMessage({ type: 'reset', ...named, reason: entry.reason, cursor: entry.cursor }),
        );
      case 'closed':
        this.#channel.send(controlMessage({ type: 'closed', ...named, reason: entry.reason }));
        return this.#owner.closed(this, entry.reason);
      case 'away':
        return this.#owner.away(entry.reason, entry.isMoved);
      default:
        entry satisfies never;
    }
  }
}
