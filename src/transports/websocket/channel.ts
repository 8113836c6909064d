// A channel over an accepted or dialled WebSocket. A text message is one frame or holds several lines.
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket } from 'ws';
import type { FramingName } from '../../core/contract/adapter/adapter.ts';
import type { Channel, CloseCode, Ending, FrameFault, Out, Receiver } from '../../core/contract/channel.ts';
import { frameIn, type StretchPart } from '../../core/contract/stretch.ts';
import type { Traffic } from '../../core/contract/traffic.ts';
import { createFrameReader } from '../frame-reader.ts';
import { bytesOf, createFrame } from '../framing/frame.ts';
import { hasTooManyLines, tooManyFrames } from '../framing/frame-count.ts';
import type { FrameDecoder } from '../framing/framing.ts';
import { jsonlDecoder, lineBytes, passRecognised } from '../framing/jsonl.ts';
import { PacedInput, type PacedInputPorts } from '../paced-input.ts';
import { firstBytes, printable } from '../printable.ts';
import { joinShared } from '../shared-bytes.ts';
import { maxCloseReasonBytes, webSocketCloseCodes } from './close-codes.ts';
import { type Heartbeat, type HeartbeatOptions, startHeartbeat } from './heartbeat.ts';
import { lineMessages, textMessages } from './stretch-messages.ts';
import { lineMessage, textMessage } from './text-message.ts';

/** The options of the channel. */
export interface WebSocketChannelOptions extends HeartbeatOptions {
  readonly label: string;
  /** The socket of an accepted WebSocket, so that all frames of one tick leave in one write. */
  readonly socket?: Duplex;
  /**
   * `lines`: each sent message ends in LF, and a received message may hold several frames, each ended by LF or by the
   * end of the message. Default `text`: a message is a frame.
   */
  readonly framing?: FramingName;
  /** A longer frame is a fault, and a message of more than twice that ends the connection with 1009. Default 8 MiB. */
  readonly maxFrameBytes?: number;
  /** Counts the bytes of both directions and the sent frames. */
  readonly traffic?: Traffic;
  /** How long `close` waits for the closing handshake of the peer; default 5000 ms. */
  readonly closeGraceMs?: number;
}

const defaultMaxFrameBytes = 8 * 1024 * 1024;

/**
 * Limits for the `ws` library, whose defaults are 100 MiB and 16,384 fragments. `ws` closes the connection on a message
 * over `maxPayload`. So `maxPayload` is twice our limit: up to there the receiver answers with an error and the
 * connection continues.
 */
export function webSocketLimits(maxFrameBytes = defaultMaxFrameBytes) {
  return { maxPayload: 2 * maxFrameBytes, maxFragments: 1024, perMessageDeflate: false };
}

/** A class, because a gateway may have thousands of idle connections and closures would take 1 KB more for each. */
class WebSocketChannel implements Channel, PacedInputPorts {
  readonly label: string;
  readonly inlet = createFrameReader();
  readonly #socket: WebSocket;
  readonly #options: WebSocketChannelOptions;
  readonly #input = new PacedInput(this);
  /** Created with the first message in the framing `lines`. */
  #lines: FrameDecoder | undefined;
  #wire: Duplex | undefined;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #closed = false;
  /** The connection is gone; what it has brought may still wait. */
  #ending: Ending | undefined;
  /** The first known cause of the end. */
  #cause: string | undefined;
  /** Set once the connection is open. */
  #heartbeat: Heartbeat | undefined;

  constructor(socket: WebSocket, options: WebSocketChannelOptions) {
    this.label = options.label;
    this.#socket = socket;
    this.#options = options;
    this.#wire = options.socket;
    if (socket.readyState === WebSocket.OPEN) this.#opened();
    else {
      socket.once('open', () => this.#opened());
      socket.on('upgrade', (response) => {
        this.#wire = response.socket;
      });
    }
    socket.on('message', (data, isBinary) => this.#arrived(wholeMessage(data), isBinary));
    socket.on('error', (error) => this.#failed(error));
    socket.on('close', (code, reason) => {
      this.#heartbeat?.stop();
      this.#ending = { reason: this.#cause ?? closeSentence(code, reason.toString()) };
      this.#endWhenTaken();
    });
  }

  open(receiver: Receiver): void {
    this.inlet.open(receiver);
    this.#input.resume();
    this.#read();
  }

  send(out: Out, isShared = false): void {
    if (this.#closed || this.#socket.readyState > WebSocket.OPEN) return;
    this.#options.traffic?.sent(out);
    this.#wait(this.#encode(out, isShared));
  }

  sendStretch(part: StretchPart): void {
    const { socket, framing, traffic } = this.#options;
    if (this.#closed || this.#socket.readyState > WebSocket.OPEN) return;
    if (socket !== undefined) {
      traffic?.sentStretch(part);
      this.#wait(framing === 'lines' ? lineMessages(part) : textMessages(part));
    } else {
      for (let place = part.from; place < part.to; place += 1) this.send([frameIn(part.stretch, place)]);
    }
  }

  decode(bytes: Uint8Array): number {
    return this.#lines?.push(bytes) ?? bytes.length;
  }

  roomy(): void {
    this.#read();
  }

  emptied(): void {
    this.#endWhenTaken();
  }

  #wait(message: Buffer): void {
    if (this.#waiting.length === 0) process.nextTick(() => this.#flush());
    this.#waiting.push(message);
    this.#waitingBytes += message.length;
  }

  get buffered(): number {
    return this.#socket.readyState > WebSocket.OPEN ? 0 : this.#waitingBytes + this.#socket.bufferedAmount;
  }

  pause(): void {
    if (this.#closed) return;
    this.inlet.pause();
    this.#socket.pause();
  }

  resume(): void {
    this.inlet.resume();
    this.#input.resume();
    this.#read();
  }

  close(code: CloseCode, reason: string): void {
    const socket = this.#socket;
    if (this.#closed || this.inlet.isEnded) return;
    this.#closed = true;
    this.#cause ??= reason;
    this.inlet.shut();
    this.#input.clear();
    if (this.#ending !== undefined) return this.#endWhenTaken();
    this.#flush();
    // The closing handshake of the peer is seen only while reading.
    this.#read();
    socket.close(webSocketCloseCodes[code], firstBytes(reason, maxCloseReasonBytes));
    const terminate = setTimeout(() => socket.terminate(), this.#options.closeGraceMs ?? 5000);
    socket.once('close', () => clearTimeout(terminate));
  }

  #opened(): void {
    const socket = this.#socket;
    if (this.inlet.isPaused || !this.inlet.isOpen) socket.pause();
    this.#heartbeat = startHeartbeat(socket, this.#options, () => {
      this.#cause ??= 'the peer stopped answering pings';
      socket.terminate();
    });
    this.#flush();
  }

  /** An accepted connection gets whole messages, which it may share with others; a dialled one must mask its own. */
  #encode(out: Out, isShared: boolean): Buffer {
    const isLine = this.#options.framing === 'lines';
    if (this.#options.socket === undefined) return isLine ? lineBytes(out) : bytesOf(out);
    return isLine ? lineMessage(out, isShared) : textMessage(out, isShared);
  }

  #flush(): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const messages = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    const { socket: accepted } = this.#options;
    const wire = accepted ?? this.#wire;
    const chunks = accepted === undefined ? messages : joinShared(messages);
    const taken = (error?: Error | null) => this.#taken(error);
    // Mostly one chunk, which needs no cork.
    if (chunks.length > 1) wire?.cork();
    for (const [index, chunk] of chunks.entries()) {
      const done = index === chunks.length - 1 ? taken : undefined;
      // Next to the library's own frames: without compression the library keeps none back, so the order holds.
      if (accepted !== undefined) accepted.write(chunk, done);
      else this.#socket.send(chunk, { binary: false }, done);
    }
    if (chunks.length > 1) wire?.uncork();
  }

  #taken(error?: Error | null): void {
    if (!error && this.#waitingBytes === 0 && this.#socket.bufferedAmount === 0) this.inlet.drained();
  }

  #read(): void {
    const isWanted = this.inlet.isOpen && !this.inlet.isPaused && !this.#input.isFull;
    if (this.#heartbeat !== undefined && (this.#closed || isWanted)) this.#socket.resume();
  }

  #endWhenTaken(): void {
    if (this.#ending !== undefined && this.#input.isEmpty) this.inlet.end(this.#ending);
  }

  #arrived(bytes: Uint8Array, isBinary: boolean): void {
    const { framing, traffic } = this.#options;
    this.#heartbeat?.heard();
    if (traffic !== undefined) traffic.bytesIn += bytes.length;
    if (framing === 'lines' && !isBinary) this.#arrivedLines(bytes);
    else this.#input.add(bytes.length, () => this.#take(bytes, isBinary));
    if (this.#input.isFull && !this.#closed) this.#socket.pause();
  }

  #arrivedLines(bytes: Uint8Array): void {
    const { maxFrameBytes = defaultMaxFrameBytes } = this.#options;
    const lines = this.#lines ?? jsonlDecoder(this.inlet, { maxFrameBytes, isPaused: () => this.inlet.isPaused });
    this.#lines = lines;
    // A client's message; an agent that we have dialled may send what it likes.
    if (this.#options.socket !== undefined && hasTooManyLines(bytes)) {
      const { message } = tooManyFrames('message');
      return this.#input.add(0, () => this.inlet.fault({ code: 'too-large', message, bytes: bytes.length }));
    }
    this.#input.push(bytes);
    this.#input.add(0, () => lines.end());
  }

  #take(bytes: Uint8Array, isBinary: boolean): void {
    const { maxFrameBytes = defaultMaxFrameBytes } = this.#options;
    if (bytes.length > maxFrameBytes) {
      const message = `a message of more than ${maxFrameBytes} bytes, which was discarded`;
      this.inlet.fault({ code: 'too-large', message, bytes: bytes.length });
    } else if (isBinary) {
      this.inlet.fault({ code: 'bad-frame', message: 'a binary message, where only text is accepted' });
    } else if (this.#options.socket !== undefined || !passRecognised(this.inlet, bytes)) {
      // Only agents are dialled, and only frames of agents are recognised.
      this.inlet.frame(createFrame(bytes));
    }
  }

  #failed(error: Error): void {
    const fault = faultOf(error);
    if (fault !== undefined) this.#input.add(0, () => this.inlet.fault(fault));
    const wasOpen = this.#heartbeat !== undefined;
    this.#cause ??= fault === undefined ? problemOf(error, wasOpen) : `the peer sent ${fault.message}`;
  }
}

/**
 * Takes over an open or opening WebSocket; frames sent before it is open are queued. A binary message is a `bad-frame`
 * fault, a message over `maxFrameBytes` a `too-large` fault. The connection continues after both. A message that `ws`
 * itself refuses ends the connection.
 */
export function webSocketChannel(socket: WebSocket, options: WebSocketChannelOptions): Channel {
  return new WebSocketChannel(socket, options);
}

/** A message as one array. `nodebuffer` sockets give a Buffer; the other shapes belong to other `binaryType`s. */
function wholeMessage(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}

/** The fault, if the error was caused by the peer. In this case `ws` closes the connection itself. */
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

/** The text of an error. A dial of several addresses fails with an AggregateError, which has no message. */
function problemOf(error: Error, wasOpen: boolean): string {
  const problem = error.message || ('code' in error ? String(error.code) : error.name);
  return wasOpen ? `connection failed: ${problem}` : `could not connect: ${problem}`;
}

function closeSentence(code: number, reason: string): string {
  return reason === '' ? `connection closed (code ${code})` : `connection closed (code ${code}: ${printable(reason)})`;
}
