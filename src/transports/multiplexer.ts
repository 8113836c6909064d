// One connection that carries many: each of them is a channel of its own, with a name that says which frames are its.
// Knows no protocol: whose a frame is, it is told.
import type { Channel, CloseCode, Frame, Receiver } from '../core/contract/channel.ts';
import { GatewayError } from '../core/model/errors.ts';
import { createFrameReader, type FrameReader } from './frame-reader.ts';

/** What a trunk is made of. */
export interface MultiplexerOptions {
  readonly label: string;
  /** The connection. It is opened with the first channel that is, and closed with the last. */
  readonly channel: Channel;
  /** See Trunk in core/contract/adapter.ts. */
  route(frame: Frame): { readonly name: string | null; readonly isGreeting?: boolean };
  /** Nobody can join any more. Once. */
  over?(): void;
  /**
   * Bytes that may wait for one that is paused; with more the whole connection is paused, for its frames come in one
   * order. Default 4 MiB.
   */
  readonly mostWaitingBytes?: number;
  /**
   * One that holds up others for so long is cut off behind what waits for it, ms; default 10,000. Where nobody else would
   * read it slows the agent instead, for as long as it takes (docs/faults.md F20).
   */
  readonly mostStalledMs?: number;
}

/** One connection and the channels that share it. */
export interface MultiplexedConnection {
  /** Nobody can join any more: the connection has ended or failed, or its last channel was closed. */
  readonly isOver: boolean;
  /** The channel of that name. Throws `conflict` when it is taken, `agent-down` when it is over. */
  join(name: string): Channel;
}

/** Frames of greeting that are kept for those who come later. */
const mostGreetings = 8;

/** One of the channels, as the trunk sees it. */
interface Branch {
  readonly inlet: FrameReader;
  /** Bytes that were given to it and its receiver has not taken. */
  waiting: number;
  /** It has more than it may. */
  isStalled: boolean;
  /** Runs while it holds up others. */
  patience: NodeJS.Timeout | undefined;
  isClosed: boolean;
}

/**
 * Nobody has joined yet. A fault of the connection is told to all, for nobody knows whose frame it was; who comes after it
 * needs a new one.
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
      frame: take,
      fault(fault) {
        // It may live on for one that has not read so far.
        finish();
        each(({ inlet }) => inlet.fault(fault));
      },
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

  function finish(): void {
    if (isOver) return;
    isOver = true;
    options.over?.();
  }

  /** In the middle of it somebody may leave. */
  function each(act: (branch: Branch) => void): void {
    for (const branch of [...branches.values()]) act(branch);
  }

  function take(frame: Frame): void {
    const { name, isGreeting } = options.route(frame);
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

  /** It has read enough, or is gone: the others go on unless one more of them is full. */
  function unstall(branch: Branch): void {
    if (!branch.isStalled) return;
    branch.isStalled = false;
    if ([...branches.values()].every(({ isStalled }) => !isStalled)) channel.resume();
  }

  /** Whose patience runs: after each change of who is there and who is full. */
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

  /** The last one takes the connection with it; what it sent before goes out first. */
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

/** The same receiver; `taken` is told of each frame before it is. Glances are not for one of many. */
function counting(receiver: Receiver, taken: (frame: Frame) => void): Receiver {
  return {
    frame(frame) {
      taken(frame);
      receiver.frame(frame);
    },
    fault: (fault) => receiver.fault(fault),
    end: (ending) => receiver.end(ending),
    drained: () => receiver.drained?.(),
  };
}
