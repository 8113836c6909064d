// Shares one connection between many named channels. The adapter tells to which channel a frame belongs.
import type { Multiplexing } from '../core/contract/adapter/adapter.ts';
import type { Channel, CloseCode, Frame, Peek, Receiver } from '../core/contract/channel.ts';
import { guarded, internalError } from '../core/contract/guarded.ts';
import type { WorkQueue } from '../core/contract/paced-work.ts';
import { GatewayError } from '../core/model/errors.ts';
import { createFrameReader, type FrameReader } from './frame-reader.ts';

/** The options of a multiplexer. */
export interface MultiplexerOptions {
  readonly label: string;
  /** The shared connection. Opened with the first channel and closed with the last. */
  readonly channel: Channel;
  /** See Multiplexing in core/contract/adapter/adapter.ts. */
  route(frame: Frame): { readonly name: string | null; readonly isGreeting?: boolean };
  /** See Multiplexing. */
  readonly seemsFor?: Multiplexing['seemsFor'];
  /** The queue in which arriving frames take their turn, one for all channels together. */
  readonly work?: WorkQueue;
  /** Called once, when no channel can join any more. */
  over?(): void;
  /** Takes what `route` throws; the connection ends, because its frames reach nobody any more. */
  failed?(thrown: unknown): void;
  /**
   * Bytes that may wait for a paused channel. Above this the whole connection is paused, because its frames come in one
   * order. Default 4 MiB.
   */
  readonly mostWaitingBytes?: number;
  /**
   * A channel that blocks other channels for this long is closed after its waiting frames, ms; default 10,000. If no
   * other channel would read, the slow channel only slows the agent, without a limit (docs/faults.md F20).
   */
  readonly mostStalledMs?: number;
}

/** A shared connection and its channels. */
export interface MultiplexedConnection {
  /** No channel can join any more: the connection has ended or failed, or its last channel was closed. */
  readonly isOver: boolean;
  /** Creates the channel `name`. Throws `conflict` if the name is taken, `agent-down` if the connection is over. */
  join(name: string): Channel;
}

/** Number of greeting frames kept for channels that join later. */
const mostGreetings = 8;

/** The state of one channel. */
interface Branch {
  readonly inlet: FrameReader;
  /** Bytes delivered to the channel and not yet taken by its receiver. */
  waiting: number;
  /** More bytes wait than allowed. */
  isStalled: boolean;
  /** Runs while the channel blocks others. */
  patience: NodeJS.Timeout | undefined;
  isClosed: boolean;
}

/**
 * A multiplexer without channels. A fault of the connection goes to all channels, because the channel of a broken frame
 * is unknown. After the fault no channel can join; a new connection is needed.
 */
export function createMultiplexer(options: MultiplexerOptions): MultiplexedConnection {
  const { channel, mostWaitingBytes = 4 * 1024 * 1024, mostStalledMs = 10_000 } = options;
  const branches = new Map<string, Branch>();
  const greetings: Frame[] = [];
  let isOpen = false;
  let isOver = false;

  function open(): void {
    if (isOpen) return;
    isOpen = true;
    channel.open({
      work: options.work,
      frame: take,
      recognise: (peek, start, end) => inletAt(peek, start, end)?.recognise(peek, start, end) ?? null,
      takeBurst: (peek, start, end, maxFrameBytes) =>
        inletAt(peek, start, end)?.takeBurst(peek, start, end, maxFrameBytes) ?? start,
      fault(fault) {
        // The multiplexer may stay alive for a channel that has not read to the end.
        finish();
        each(({ inlet }) => inlet.fault(fault));
      },
      remark: (text) => each(({ inlet }) => inlet.remark(text)),
      end(ending) {
        const last = [...branches.values()];
        branches.clear();
        finish();
        for (const branch of last) {
          clearTimeout(branch.patience);
          branch.inlet.end(ending);
        }
      },
      drained: () => each(({ inlet }) => inlet.drained()),
    });
  }

  /** The channel whose receiver may recognise the frame at `start`. */
  function inletAt(peek: Peek, start: number, end: number): FrameReader | undefined {
    const name = options.seemsFor?.(peek, start, end) ?? null;
    const branch = name === null ? undefined : branches.get(name);
    return branch?.isClosed === false ? branch.inlet : undefined;
  }

  function finish(): void {
    if (isOver) return;
    isOver = true;
    options.over?.();
  }

  /** Visits all channels. A channel may leave during the visit. */
  function each(act: (branch: Branch) => void): void {
    for (const branch of [...branches.values()]) act(branch);
  }

  function take(frame: Frame): void {
    guarded(
      () => pass(frame, options.route(frame)),
      (thrown) => {
        channel.close('error', internalError);
        options.failed?.(thrown);
      },
    );
  }

  function pass(frame: Frame, { name, isGreeting }: ReturnType<MultiplexerOptions['route']>): void {
    if (isGreeting === true && greetings.length < mostGreetings) greetings.push(frame);
    if (name === null) return each((branch) => give(branch, frame));
    const branch = branches.get(name);
    if (branch !== undefined) give(branch, frame);
  }

  function give(branch: Branch, frame: Frame): void {
    if (branch.isClosed) return;
    branch.waiting += frame.bytes.length;
    branch.inlet.frame(frame);
    if (branch.waiting <= mostWaitingBytes || branch.isStalled || branch.isClosed) return;
    channel.pause();
    branch.isStalled = true;
    judge();
  }

  /** The channel has read enough or is gone: resumes the connection unless another channel is stalled. */
  function unstall(branch: Branch): void {
    if (!branch.isStalled) return;
    branch.isStalled = false;
    if ([...branches.values()].every(({ isStalled }) => !isStalled)) channel.resume();
  }

  /** Starts and stops the patience timers. Called after each change of the channels and of their stalls. */
  function judge(): void {
    const all = [...branches.values()];
    const isHeldUp = all.some(({ isStalled }) => !isStalled);
    for (const branch of all) {
      if (!branch.isStalled || !isHeldUp) {
        clearTimeout(branch.patience);
        branch.patience = undefined;
      } else if (branch.patience === undefined) {
        branch.patience = setTimeout(() => cutOff(branch), mostStalledMs);
        branch.patience.unref();
      }
    }
  }

  function cutOff(branch: Branch): void {
    forget(branch);
    branch.inlet.end({ reason: 'what the agent said was not read for too long' });
  }

  /** Removes the channel. The last one closes the connection, after its sent frames have gone out. */
  function forget(branch: Branch, code: CloseCode = 'normal', reason = 'nobody needs it any more'): void {
    for (const [name, one] of branches) if (one === branch) branches.delete(name);
    branch.isClosed = true;
    clearTimeout(branch.patience);
    unstall(branch);
    judge();
    if (branches.size > 0) return;
    finish();
    channel.close(code, reason);
  }

  return {
    get isOver() {
      return isOver;
    },
    join(name) {
      if (isOver) throw new GatewayError('agent-down', `${options.label} has ended`);
      if (branches.has(name)) throw new GatewayError('conflict', `${options.label} has a session of that name already`);
      const branch: Branch = {
        inlet: createFrameReader(),
        waiting: 0,
        isStalled: false,
        patience: undefined,
        isClosed: false,
      };
      branches.set(name, branch);
      judge();
      const { inlet } = branch;
      for (const frame of greetings) give(branch, frame);
      return {
        label: options.label,
        open(receiver) {
          inlet.open(
            counting(receiver, (frame) => {
              branch.waiting -= frame.bytes.length;
              if (!branch.isStalled || branch.waiting * 2 > mostWaitingBytes) return;
              unstall(branch);
              judge();
            }),
          );
          open();
        },
        send(out) {
          if (!branch.isClosed && !inlet.isEnded) channel.send(out);
        },
        get buffered() {
          return branch.isClosed || inlet.isEnded ? 0 : channel.buffered;
        },
        pause: () => inlet.pause(),
        resume: () => inlet.resume(),
        close(code, reason) {
          if (branch.isClosed || inlet.isEnded) return;
          inlet.shut();
          inlet.end({ reason });
          forget(branch, code, reason);
        },
      };
    },
  };
}

/** Wraps the receiver: calls `taken` before each frame. A recognised frame never waits, so nothing counts it. */
function counting(receiver: Receiver, taken: (frame: Frame) => void): Receiver {
  return {
    recognise: (peek, start, end) => receiver.recognise?.(peek, start, end) ?? null,
    takeBurst: (peek, start, end, maxFrameBytes) => receiver.takeBurst?.(peek, start, end, maxFrameBytes) ?? start,
    frame(frame) {
      taken(frame);
      receiver.frame(frame);
    },
    fault: (fault) => receiver.fault(fault),
    remark: (text) => receiver.remark?.(text),
    end: (ending) => receiver.end(ending),
    drained: () => receiver.drained?.(),
  };
}
