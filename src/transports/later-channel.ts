// A channel whose connection takes a moment to prepare. What is asked of it meanwhile is done then.
import type { Channel, CloseCode, Out, Receiver } from '../core/contract/channel.ts';
import { bytesOf } from './framing/frame.ts';
import { nullChannel } from './memory.ts';

/** How the connection comes about. */
export interface LaterOptions<Part> {
  readonly label: string;
  /** What the connection needs; must not reject. */
  readonly part: Promise<Part>;
  /** Connects. Must not throw. */
  connect(part: Part): Channel;
  /** Called instead of `connect` if the channel was closed meanwhile. */
  drop(part: Part): void;
}

/** A channel that connects once the part is there. */
export function laterChannel<Part>({ label, part, connect, drop }: LaterOptions<Part>): Channel {
  const channel = new LaterChannel(label);
  void part.then((ready) => {
    if (channel.isWaiting) channel.become(connect(ready));
    else drop(ready);
  });
  return channel;
}

/** Remembers what is asked. */
class Meanwhile implements Channel {
  readonly label: string;
  buffered = 0;
  readonly #sent: Uint8Array[] = [];
  #receiver: Receiver | null = null;
  #isPaused = false;

  constructor(label: string) {
    this.label = label;
  }

  open(receiver: Receiver): void {
    this.#receiver ??= receiver;
  }

  send(out: Out): void {
    const bytes = bytesOf(out);
    this.#sent.push(bytes);
    this.buffered += bytes.length;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  close(): void {}

  tell(channel: Channel): void {
    if (this.#isPaused) channel.pause();
    if (this.#receiver !== null) channel.open(this.#receiver);
    for (const bytes of this.#sent) channel.send([bytes]);
  }
}

/** A class: each session with a program has one. Passes everything on. */
class LaterChannel implements Channel {
  readonly label: string;
  #channel: Channel;

  constructor(label: string) {
    this.label = label;
    this.#channel = new Meanwhile(label);
  }

  get isWaiting(): boolean {
    return this.#channel instanceof Meanwhile;
  }

  become(channel: Channel): void {
    const before = this.#channel;
    this.#channel = channel;
    if (before instanceof Meanwhile) before.tell(channel);
  }

  open(receiver: Receiver): void {
    this.#channel.open(receiver);
  }

  send(out: Out): void {
    this.#channel.send(out);
  }

  get buffered(): number {
    return this.#channel.buffered;
  }

  pause(): void {
    this.#channel.pause();
  }

  resume(): void {
    this.#channel.resume();
  }

  close(code: CloseCode, reason: string): void {
    if (this.isWaiting) this.become(nullChannel(this.label));
    this.#channel.close(code, reason);
  }
}
