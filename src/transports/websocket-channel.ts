// A channel over a WebSocket, accepted or dialled: one frame is one text message. Knows no protocol.
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket } from 'ws';
import type { Channel, CloseCode, FrameFault } from '../core/channel.ts';
import { maxCloseReasonBytes, webSocketCloseCodes } from './close-codes.ts';
import { bytesOf, createFrame } from './framing/frame.ts';
import { type HeartbeatOptions, startHeartbeat } from './heartbeat.ts';
import { createInlet } from './inlet.ts';
import { firstBytes, printable } from './printable.ts';

/** What the channel needs beside the WebSocket. */
export interface WebSocketChannelOptions extends HeartbeatOptions {
  readonly label: string;
  /** The socket under an accepted WebSocket, so that what is sent in one tick leaves in one write. */
  readonly socket?: Duplex;
  /** A longer message is a fault, and one of more than twice that ends the connection with 1009. Default 8 MiB. */
  readonly maxFrameBytes?: number;
  /** How long `close` waits for the peer to agree; default 5000 ms. */
  readonly closeGraceMs?: number;
}

const defaultMaxFrameBytes = 8 * 1024 * 1024;

/**
 * Limits for the `ws` library, whose own are 100 MiB and 16,384 fragments. It hangs up on a message over `maxPayload`
 * without a word, so that is twice ours: up to there the receiver answers with an error and the connection goes on.
 */
export function webSocketLimits(maxFrameBytes = defaultMaxFrameBytes) {
  return { maxPayload: 2 * maxFrameBytes, maxFragments: 1024, perMessageDeflate: false };
}

/**
 * Takes over a WebSocket that is open or opening; what is sent before it is open is kept. A binary message is a
 * `bad-frame` fault, too large a message a `too-large` fault; the connection goes on behind both.
 */
export function webSocketChannel(socket: WebSocket, options: WebSocketChannelOptions): Channel {
  const { label, maxFrameBytes = defaultMaxFrameBytes, closeGraceMs = 5000 } = options;
  const inlet = createInlet();
  let wire = options.socket;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let closed = false;
  /** The first cause of the end that we know of. */
  let cause: string | undefined;
  /** Set once the connection is open. */
  let stopHeartbeat: (() => void) | undefined;

  function opened(): void {
    if (inlet.isPaused || !inlet.isOpen) socket.pause();
    stopHeartbeat = startHeartbeat(
      socket,
      options,
      () => !socket.isPaused,
      () => {
        cause ??= 'the peer stopped answering pings';
        socket.terminate();
      },
    );
    flush();
  }

  function flush(): void {
    if (socket.readyState !== WebSocket.OPEN) return;
    const messages = waiting;
    waiting = [];
    waitingBytes = 0;
    wire?.cork();
    messages.forEach((message, index) => {
      socket.send(message, { binary: false }, index === messages.length - 1 ? taken : undefined);
    });
    wire?.uncork();
  }

  function taken(error?: Error | null): void {
    if (!error && waitingBytes === 0 && socket.bufferedAmount === 0) inlet.drained();
  }

  function read(): void {
    if (stopHeartbeat !== undefined) socket.resume();
  }

  function close(code: CloseCode, reason: string): void {
    if (closed || inlet.isEnded) return;
    closed = true;
    cause ??= reason;
    inlet.shut();
    flush();
    // The peer's answer is only seen by who reads.
    read();
    socket.close(webSocketCloseCodes[code], firstBytes(reason, maxCloseReasonBytes));
    const terminate = setTimeout(() => socket.terminate(), closeGraceMs);
    socket.once('close', () => clearTimeout(terminate));
  }

  if (socket.readyState === WebSocket.OPEN) opened();
  else socket.once('open', opened);
  socket.on('upgrade', (response) => {
    wire = response.socket;
  });
  socket.on('message', (data, isBinary) => {
    const bytes = wholeMessage(data);
    if (bytes.length > maxFrameBytes) {
      inlet.fault({ code: 'too-large', message: `a message of more than ${maxFrameBytes} bytes, which was discarded` });
    } else if (isBinary) {
      inlet.fault({ code: 'bad-frame', message: 'a binary message, where only text is accepted' });
    } else {
      inlet.frame(createFrame(bytes));
    }
  });
  socket.on('error', (error) => {
    const fault = faultOf(error);
    if (fault !== undefined) inlet.fault(fault);
    cause ??= fault === undefined ? problemOf(error, stopHeartbeat !== undefined) : `the peer sent ${fault.message}`;
  });
  socket.on('close', (code, reason) => {
    stopHeartbeat?.();
    inlet.end({ reason: cause ?? closeSentence(code, reason.toString()) });
  });

  return {
    label,
    open(receiver) {
      inlet.open(receiver);
      read();
    },
    send(out) {
      if (closed || socket.readyState > WebSocket.OPEN) return;
      if (waiting.length === 0) process.nextTick(flush);
      const message = bytesOf(out);
      waiting.push(message);
      waitingBytes += message.length;
    },
    get buffered() {
      return socket.readyState > WebSocket.OPEN ? 0 : waitingBytes + socket.bufferedAmount;
    },
    pause() {
      if (closed) return;
      inlet.pause();
      socket.pause();
    },
    resume() {
      inlet.resume();
      read();
    },
    close,
  };
}

/** `nodebuffer` sockets give a Buffer; the other shapes are those of other `binaryType`s. */
function wholeMessage(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}

/** What the peer did wrong, if the error is the peer's fault; `ws` closes the connection itself then. */
function faultOf(error: Error): FrameFault | undefined {
  const code = 'code' in error ? error.code : undefined;
  switch (code) {
    case 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH':
    case 'WS_ERR_TOO_MANY_BUFFERED_PARTS':
      return { code: 'too-large', message: 'a message that is too large' };
    default:
      if (typeof code !== 'string' || !code.startsWith('WS_ERR_')) return undefined;
      return { code: 'bad-frame', message: `an invalid WebSocket message (${printable(error.message)})` };
  }
}

/** An attempt on several addresses fails with an AggregateError, which has no message of its own. */
function problemOf(error: Error, wasOpen: boolean): string {
  const problem = error.message || ('code' in error ? String(error.code) : error.name);
  return wasOpen ? `connection failed: ${problem}` : `could not connect: ${problem}`;
}

function closeSentence(code: number, reason: string): string {
  return reason === '' ? `connection closed (code ${code})` : `connection closed (code ${code}: ${printable(reason)})`;
}
