// A channel over server-sent events: receives frames as an event stream and sends frames by POST.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventEnvelope, EventReader } from '../../core/contract/adapter/event-envelope.ts';
import type { Channel, FrameFault } from '../../core/contract/channel.ts';
import type { Traffic } from '../../core/contract/traffic.ts';
import { messageOf } from '../../core/model/errors.ts';
import { createFrameReader } from '../frame-reader.ts';
import { eventStreamDecoder, type IncomingEvent } from '../framing/event-stream.ts';
import { createFrame } from '../framing/frame.ts';
import { PacedInput } from '../paced-input.ts';
import { printable } from '../printable.ts';
import { createFramePoster, problemOf } from './frame-poster.ts';

/** The addresses and limits of the connection. Times in ms. */
export interface EventSourceOptions {
  readonly streamUrl: string;
  readonly sendUrl: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string;
  readonly label?: string;
  /** Wraps frames in both directions; default none. */
  readonly envelope?: EventEnvelope | undefined;
  /** Default 32 MiB: the peer is an agent. */
  readonly maxFrameBytes?: number;
  /** Attempts in a row to reconnect a lost stream; default 5. */
  readonly tries?: number;
  /** The wait before the first attempt, doubled for each further one; default 500. */
  readonly firstWaitMs?: number;
  /** The longest wait; default 8000. */
  readonly longestWaitMs?: number;
  /**
   * A stream silent for longer than this counts as lost, because the server writes a comment every 15 s; default
   * 50,000.
   */
  readonly silenceMs?: number;
  /** Counts the bytes of both directions and the sent frames. */
  readonly traffic?: Traffic;
  /** How long `close` waits for the last post; default 1000. */
  readonly closeGraceMs?: number;
}

/** Why one connection of the stream ended, and whether to reconnect. */
interface Break {
  readonly final: boolean;
  readonly reason: string;
}

/**
 * Resumes a lost stream after the last event id (docs/faults.md F27). Ends if it cannot resume: the server gave no id,
 * answered 4xx, or lost our position and would repeat everything. Frames are posted only after the stream is open, so
 * that no answer is missed.
 */
export function connectEventSource(options: EventSourceOptions): Channel {
  const { traffic } = options;
  const { token, maxFrameBytes = 32 * 1024 * 1024, silenceMs = 50_000 } = options;
  const { envelope, tries = 5, firstWaitMs = 500, longestWaitMs = 8000, closeGraceMs = 1000 } = options;
  const inlet = createFrameReader();
  const reading = new AbortController();
  const posting = new AbortController();
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const poster = createFramePoster(
    { url: options.sendUrl, headers, signal: posting.signal, maxFrameBytes, envelope },
    {
      frame: (frame) => inlet.frame(frame),
      fault: (fault) => inlet.fault(fault),
      drained: () => inlet.drained(),
      failed: end,
    },
  );
  const reader = envelope?.reader();
  let lastId: string | undefined;
  let hasFrames = false;
  /** Failed connections since the last frame. */
  let failures = 0;
  /** Resumes reading; set while something waits for the receiver. */
  let readOn = () => {};
  const input = new PacedInput({ inlet, decode: ({ length }) => length, roomy() {}, emptied: () => readOn() });

  function end(reason: string): void {
    inlet.end({ reason });
    reading.abort();
    posting.abort();
    input.clear();
    readOn();
  }

  async function run(): Promise<void> {
    for (;;) {
      const { final, reason } = await connect();
      if (reading.signal.aborted) return;
      failures += 1;
      if (final || failures > tries || (hasFrames && lastId === undefined)) return end(reason);
      const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1));
      // Half of the wait is random, so that the clients of a lost server do not reconnect at the same time.
      await sleep(wait * (0.5 + Math.random() / 2), undefined, { signal: reading.signal });
    }
  }

  /** One connection, from the request to its end. */
  async function connect(): Promise<Break> {
    const connection = new AbortController();
    const silence = createSilenceTimer(silenceMs, () => connection.abort(new Error('the server fell silent')));
    silence.start();
    try {
      const response = await fetch(options.streamUrl, {
        headers: {
          ...headers,
          accept: 'text/event-stream',
          ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
        },
        // A redirect would receive the token.
        redirect: 'error',
        signal: AbortSignal.any([reading.signal, connection.signal]),
      });
      const refusal = refusalOf(response);
      if (refusal !== undefined) return refusal;
      if (hasFrames) reader?.resumed();
      poster.start();
      const events = bufferedEvents(maxFrameBytes, (fault) => inlet.fault(fault));
      for await (const chunk of response.body ?? []) {
        silence.stop();
        if (traffic !== undefined) traffic.bytesIn += chunk.length;
        let over: Break | undefined;
        for (const event of events(chunk)) {
          input.add(event.data.length, () => {
            over ??= take(event);
          });
        }
        const mustWait = () => !input.isEmpty || inlet.isPaused || !inlet.isOpen;
        while (mustWait() && !reading.signal.aborted) await receiverReady();
        if (over !== undefined) return over;
        silence.start();
      }
      return { final: false, reason: 'the stream was cut' };
    } catch (thrown) {
      return { final: false, reason: `the stream was lost: ${problemOf(thrown)}` };
    } finally {
      silence.stop();
      connection.abort();
    }
  }

  function receiverReady(): Promise<void> {
    return new Promise((resolve) => {
      readOn = resolve;
    });
  }

  function take({ event = 'message', id, data }: IncomingEvent): Break | undefined {
    if (event === 'gateway') return gatewayBreak(data);
    const said = read(event, data);
    if (said === null) return undefined;
    if ('lost' in said) return lostPlace(said.lost);
    if (id !== undefined) lastId = id === '' ? undefined : id;
    hasFrames = true;
    failures = 0;
    inlet.frame(createFrame(Buffer.from(said.frame)));
    return undefined;
  }

  function read(event: string, data: string): ReturnType<EventReader['read']> {
    if (reader === undefined) return event === 'message' ? { frame: data } : null;
    try {
      return reader.read(event, data);
    } catch (thrown) {
      inlet.fault({ code: 'bad-frame', message: messageOf(thrown) });
      return null;
    }
  }

  run().catch((thrown: unknown) => {
    // A close aborts the wait between two attempts with an error.
    if (!reading.signal.aborted) end(problemOf(thrown));
  });

  return {
    label: options.label ?? 'event source',
    open(receiver) {
      inlet.open(receiver);
      input.resume();
      readOn();
    },
    send(out) {
      if (reading.signal.aborted) return;
      traffic?.sent(out);
      poster.send(out);
    },
    get buffered() {
      return inlet.isEnded ? 0 : poster.buffered;
    },
    pause: () => inlet.pause(),
    resume() {
      inlet.resume();
      input.resume();
      readOn();
    },
    close(_code, reason) {
      if (reading.signal.aborted) return;
      inlet.shut();
      input.clear();
      reading.abort();
      readOn();
      const grace = setTimeout(() => end(reason), closeGraceMs);
      poster.finish(() => {
        clearTimeout(grace);
        end(reason);
      });
    },
  };
}

/** Decodes one connection chunk by chunk. */
function bufferedEvents(maxFrameBytes: number, fault: (fault: FrameFault) => void) {
  let events: IncomingEvent[] = [];
  const decoder = eventStreamDecoder({ event: (event) => events.push(event), fault }, { maxFrameBytes });
  return (chunk: Uint8Array): readonly IncomingEvent[] => {
    events = [];
    decoder.push(chunk);
    return events;
  };
}

/** The problem of a response, if any. A 4xx is final (docs/faults.md F27). */
function refusalOf({ status, headers }: Response): Break | undefined {
  if (status !== 200) {
    return { final: status < 500, reason: `the server refused the stream (${status})` };
  }
  if (headers.get('content-type')?.startsWith('text/event-stream') === true) return undefined;
  return { final: true, reason: 'the server sent no event stream' };
}

/** Reads a `gateway` event: the session is over, or our position in it is lost. */
function gatewayBreak(data: string): Break | undefined {
  const word = createFrame(Buffer.from(data)).json;
  if (typeof word !== 'object' || word === null || !('type' in word)) return undefined;
  const reason = 'reason' in word && typeof word.reason === 'string' ? printable(word.reason) : 'no reason given';
  if (word.type === 'closed') return { final: true, reason };
  return word.type === 'reset' ? lostPlace(reason) : undefined;
}

/** A final break: continuing would repeat all frames. */
function lostPlace(reason: string): Break {
  return { final: true, reason: `the server lost our place in the stream (${printable(reason)})` };
}

/** A silence is counted in so many slices: a process that got no CPU for a while reads the waiting data before it goes on. */
const slices = 10;

/** Calls `silent` after `ms` without another start or a stop. */
function createSilenceTimer(ms: number, silent: () => void): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  function wait(left: number): void {
    timer = setTimeout(() => (left > 1 ? wait(left - 1) : silent()), ms / slices);
  }
  return {
    start() {
      clearTimeout(timer);
      wait(slices);
    },
    stop: () => clearTimeout(timer),
  };
}
