// Server-sent events in both directions: a strict encoder and a bounded decoder.
import { createParser } from 'eventsource-parser';
import type { FrameFault, Out } from '../../core/contract/channel.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { FrameDecoder } from './framing.ts';
import { oneLine } from './one-line.ts';

/** One outgoing event. Names and ids never come from a peer, who could forge further fields with them (docs/threats.md T17). */
export interface OutgoingEvent {
  /** `^[a-z]{1,32}([_:-][a-z]{1,32}){0,3}$`. Absent: the default event, `message`. */
  readonly event?: string;
  /** The cursor after this event: `^[0-9a-z.]{1,64}$`. Absent: the cursor does not change. */
  readonly id?: string;
  /** One message. It is written on one line. */
  readonly data: Out;
}

/** Field names, ids and comments around the data, in characters. */
const roomForFields = 1024;
const namePattern = /^[a-z]{1,32}(?:[_:-][a-z]{1,32}){0,3}$/;
const idPattern = /^[0-9a-z.]{1,64}$/;

/** Encodes an event. Throws a GatewayError `invalid` for a malformed name or id. */
export function encodeEvent({ data, ...fields }: OutgoingEvent): readonly (string | Uint8Array)[] {
  const pieces = typeof data === 'string' ? [data] : data;
  return [encodeHead(fields), ...pieces.map(oneLine), '\n\n'];
}

/** The text in front of the data of an event, in ASCII. Throws as {@link encodeEvent} does. */
export function encodeHead({ event, id }: Omit<OutgoingEvent, 'data'>): string {
  let head = '';
  if (event !== undefined) head += `event: ${checked(event, namePattern.test(event), 'name')}\n`;
  if (id !== undefined) head += `id: ${checked(id, idPattern.test(id), 'id')}\n`;
  return `${head}data: `;
}

function checked(value: string, valid: boolean, what: string): string {
  if (!valid) throw new GatewayError('invalid', `not an event ${what}: ${JSON.stringify(value)}`);
  return value;
}

/** A comment line. Clients skip it; it keeps connections alive. */
export function encodeComment(text: 'ok' | 'ping'): string {
  return `: ${text}\n\n`;
}

/** Sets the reconnection delay of clients. Throws a GatewayError `invalid` unless `ms` is a whole number. */
export function encodeRetry(ms: number): string {
  if (!Number.isSafeInteger(ms) || ms < 0) throw new GatewayError('invalid', `not a number of milliseconds: ${ms}`);
  return `retry: ${ms}\n\n`;
}

/** One received event. */
export interface IncomingEvent {
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly data: string;
}

/** Receives events and faults of the decoder. */
export interface EventSink {
  event(event: IncomingEvent): void;
  fault(fault: FrameFault): void;
}

/**
 * Reads events from bytes, as the WHATWG says: LF, CR or CRLF, one BOM stripped, an unfinished last event dropped.
 * An event over `maxFrameBytes` (counted in UTF-16 units) is skipped whole and reported once.
 */
export function eventStreamDecoder(sink: EventSink, { maxFrameBytes }: { maxFrameBytes: number }): FrameDecoder {
  const text = new TextDecoder();
  const tooLarge = {
    code: 'too-large',
    message: `an event of more than ${maxFrameBytes} characters, which was discarded`,
  } as const;
  const parser = createParser({
    maxBufferSize: maxFrameBytes + roomForFields,
    // An event within one chunk was never buffered, so its length is checked here.
    onEvent: (event) => (event.data.length > maxFrameBytes ? sink.fault(tooLarge) : sink.event(event)),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') overflowed = true;
    },
  });
  const lineFeeds = createLineFeeds();
  let skip: ((chunk: string) => string | undefined) | undefined;
  let overflowed = false;

  function feed(chunk: string): void {
    const rest = skip === undefined ? chunk : skip(chunk);
    if (rest === undefined) return;
    skip = undefined;
    parser.feed(rest);
    if (!overflowed) return;
    overflowed = false;
    parser.reset();
    // Skip to the end of the long event here: the parser would take the rest for new lines, and its text could forge an event.
    skip = createSkip(rest.endsWith('\n'));
    sink.fault(tooLarge);
  }

  return {
    push(chunk) {
      feed(lineFeeds(text.decode(chunk, { stream: true })));
      return chunk.length;
    },
    end: () => parser.reset(),
  };
}

/** Turns CR and CRLF into LF. The parser does this too, but reports an event that ends in CR only with the next line. */
function createLineFeeds(): (chunk: string) => string {
  let afterReturn = false;
  return (chunk) => {
    const rest = afterReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    if (chunk !== '') afterReturn = chunk.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  };
}

/** Drops text up to the blank line that ends an event. Returns the text behind that line, or undefined until it comes. */
function createSkip(atLineStart: boolean): (chunk: string) => string | undefined {
  let start = atLineStart ? '\n' : '';
  return (chunk) => {
    const text = start + chunk;
    const end = text.indexOf('\n\n');
    if (end !== -1) return text.slice(end + 2);
    start = text.endsWith('\n') ? '\n' : '';
    return undefined;
  };
}
