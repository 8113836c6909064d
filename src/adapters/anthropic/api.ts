// Sends requests to the Messages API through its own library, which is loaded at the first request. The only file of
// this folder that does I/O (decision 0014); backend.ts interprets the stream.
import type { WirePorts } from '../../core/contract/adapter/adapter.ts';
import type { Channel, Receiver } from '../../core/contract/channel.ts';
import { messageOf } from '../../core/model/errors.ts';
import type { AnthropicOptions } from './options.ts';
import { Order, type RequestEnd, type RequestFailure } from './wire.ts';

/** Loads the library. Returns only the parts that this file uses. */
async function loadLibrary(baseUrl: string | undefined) {
  const [{ Anthropic, APIError, APIConnectionError }, { Stream }] = await Promise.all([
    import('@anthropic-ai/sdk'),
    import('@anthropic-ai/sdk/core/streaming'),
  ]);
  // The library reads the key from the environment itself. Retries are in backend.ts, because clients are told of them.
  // The library's log would go to stdout, which belongs to the protocol.
  const client = new Anthropic({ baseURL: baseUrl, maxRetries: 0, logLevel: 'off' });
  return { client, APIError, APIConnectionError, Stream };
}
type Library = Awaited<ReturnType<typeof loadLibrary>>;

/** A request in progress. */
interface Request {
  readonly number: number;
  readonly away: AbortController;
}

/** A channel to the API. Never throws: every failure is reported as the end of a request. */
export function connectApi({ baseUrl }: Pick<AnthropicOptions, 'baseUrl'>, ports: WirePorts): Channel {
  const { frameOf, maxFrameBytes } = ports;
  let library: Promise<Library> | null = null;
  let receiver: Receiver | null = null;
  let request: Request | null = null;
  let paused = false;
  /** Why the channel is closed. */
  let ending: string | null = null;
  let scheduled = false;
  const waiting: string[] = [];
  /** Resumes a stream that back-pressure has paused. */
  let goOn: (() => void) | null = null;

  function hand(): void {
    while (!paused && ending === null && receiver !== null) {
      const text = waiting.shift();
      if (text === undefined) break;
      const bytes = Buffer.from(text);
      if (bytes.length <= maxFrameBytes) receiver.frame(frameOf(bytes));
      else
        receiver.fault({
          code: 'too-large',
          message: `an event of more than ${maxFrameBytes} bytes, which was discarded`,
        });
    }
    if (paused || waiting.length > 0) return;
    const next = goOn;
    goOn = null;
    next?.();
  }

  /** Delivers frames in a later event-loop turn, because the sender may not be ready for an answer yet. */
  function handSoon(): void {
    if (scheduled) return;
    scheduled = true;
    queueMicrotask(() => {
      scheduled = false;
      hand();
    });
  }

  function say(end: RequestEnd): void {
    request = null;
    waiting.push(JSON.stringify(end));
    handSoon();
  }

  async function answer(current: Request, body: unknown): Promise<void> {
    const isCurrent = () => request === current;
    const finish = (end: { how: 'finished' } | { how: 'failed'; failure: RequestFailure }) => {
      if (isCurrent()) say({ type: 'request_end', request: current.number, ...end });
    };
    let loaded: Library;
    try {
      library ??= loadLibrary(baseUrl);
      loaded = await library;
    } catch (thrown) {
      library = null;
      return finish({ how: 'failed', failure: { message: messageOf(thrown), mayRetry: false } });
    }
    try {
      const { signal } = current.away;
      const response = await loaded.client.post('/v1/messages', { body, stream: true, signal }).asResponse();
      for await (const { event, data } of loaded.Stream.rawEvents(response, current.away)) {
        if (!isCurrent()) return;
        if (data === '') continue;
        waiting.push(event === 'error' ? withoutSecrets(data, loaded) : data);
        hand();
        if (paused) await new Promise<void>((resolve) => (goOn = resolve));
      }
      finish({ how: 'finished' });
    } catch (thrown) {
      finish({ how: 'failed', failure: failureOf(thrown, loaded) });
    }
  }

  function tellEnd(reason: string): void {
    queueMicrotask(() => receiver?.end({ reason }));
  }

  function stop(): Request | null {
    const stopped = request;
    request = null;
    stopped?.away.abort();
    goOn?.();
    goOn = null;
    return stopped;
  }

  return {
    label: 'anthropic api',
    open(to) {
      receiver = to;
      if (ending === null) handSoon();
      else tellEnd(ending);
    },
    send(out) {
      if (ending !== null) return;
      const text = typeof out === 'string' ? out : Buffer.concat(out.map((piece) => Buffer.from(piece))).toString();
      const order = Order.parse(JSON.parse(text));
      if (order.type === 'abort') {
        if (request?.number === order.request && stop() !== null) {
          say({ type: 'request_end', request: order.request, how: 'aborted' });
        }
        return;
      }
      stop();
      request = { number: order.request, away: new AbortController() };
      void answer(request, order.body);
    },
    // Always 0: the library takes each request at once.
    buffered: 0,
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      handSoon();
    },
    close(_code, reason) {
      if (ending !== null) return;
      ending = reason;
      stop();
      waiting.length = 0;
      if (receiver !== null) tellEnd(reason);
    },
  };
}

/** Converts an error of the library to a failure whose text is safe to show. */
function failureOf(thrown: unknown, library: Library): RequestFailure {
  const { APIError, APIConnectionError } = library;
  const failure = (message: string, more: Omit<RequestFailure, 'message'>): RequestFailure => ({
    message: withoutSecrets(message, library).slice(0, 1_000),
    ...more,
  });
  if (thrown instanceof APIError && thrown.status !== undefined) {
    const { status, apiMessage, type, requestID, headers } = thrown;
    const facts = [type, requestID == null ? null : `request ${requestID}`].filter((mark) => mark !== null);
    const text = apiMessage ?? thrown.message;
    return failure(facts.length === 0 ? text : `${text} (${facts.join(', ')})`, {
      status,
      retryAfterMs: headers === undefined ? undefined : retryAfter(headers),
      mayRetry: shouldRetry(headers?.get('x-should-retry')),
    });
  }
  const sentence = sentenceOf(thrown);
  if (library.client.apiKey === null && library.client.authToken === null) {
    return failure(`there is no key: set ANTHROPIC_API_KEY in the environment of the gateway (${sentence})`, {
      mayRetry: false,
    });
  }
  // A connection that breaks in the middle of the stream is a TypeError of fetch. Other errors are local, such as an
  // invalid address.
  const isLost = thrown instanceof APIConnectionError || thrown instanceof TypeError;
  return failure(sentence, { mayRetry: isLost && !sentence.includes('Invalid URL') });
}

/** The reason of a broken connection is in its cause, or in the cause of the cause. */
function sentenceOf(thrown: unknown): string {
  const sentences: string[] = [];
  for (let one: unknown = thrown; one instanceof Error && sentences.length < 4; one = one.cause) {
    const code = 'code' in one && typeof one.code === 'string' ? one.code : '';
    const sentence = one.message === '' ? code : one.message;
    if (sentence !== '' && !sentences.includes(sentence)) sentences.push(sentence);
  }
  return sentences.length === 0 ? messageOf(thrown) : sentences.join(': ');
}

/** Ms; undefined if the API gives no value. */
function retryAfter(headers: Headers): number | undefined {
  const ms = headers.get('retry-after-ms');
  if (ms !== null && Number(ms) >= 0) return Number(ms);
  const after = headers.get('retry-after');
  if (after === null) return undefined;
  const wait = Number.isNaN(Number(after)) ? Date.parse(after) - Date.now() : Number(after) * 1_000;
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0);
}

function shouldRetry(header: string | null | undefined): boolean | undefined {
  return header === 'true' ? true : header === 'false' ? false : undefined;
}

/** Credentials before the host of an address: fetch refuses such an address and repeats it in the error. */
const credentials = /\/\/[^/\s@]+@/gu;

/** Removes the API key from error texts: a server may echo the key in its error. */
function withoutSecrets(text: string, { client }: Library): string {
  const secrets = [client.apiKey, client.authToken].filter((secret) => secret !== null && secret !== '');
  const clean = secrets.reduce<string>((rest, secret) => rest.replaceAll(secret ?? '', '***'), text);
  return clean.replace(credentials, '//***@');
}
