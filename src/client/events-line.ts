// A connection over server-sent events, with posts for the way back.
import { createParser } from 'eventsource-parser';
import {
  headersOf,
  isFinalStatus,
  type Line,
  type LineListener,
  type OpenLine,
  type Place,
  queryOf,
  SendRefused,
  type SentFrame,
} from './line.ts';
import { type SilenceWatch, watchSilence } from './silence.ts';

/** A class: the stream, the posts and the watch over silence end together. */
class EventsLine implements Line {
  readonly #place: Place;
  readonly #listener: LineListener;
  readonly #away = new AbortController();
  /** Posts go one behind the other: the gateway takes frames in the order in which they arrive. */
  #posts: Promise<void> = Promise.resolve();
  readonly #silence: SilenceWatch;
  #isOver = false;

  constructor(place: Place, cursor: string | null, listener: LineListener) {
    this.#place = place;
    this.#listener = listener;
    this.#silence = watchSilence(() => this.#lose('the gateway is silent', false));
    void this.#read(cursor).catch((thrown: unknown) => this.#lose(String(thrown), false));
  }

  send(sent: SentFrame): void {
    this.#posts = this.#posts
      .then(() => this.#post(sent))
      .catch((thrown: unknown) => this.#lose(String(thrown), false));
  }

  close(): void {
    this.#isOver = true;
    this.#silence.stop();
    this.#away.abort();
  }

  #lose(reason: string, isFinal: boolean): void {
    if (this.#isOver) return;
    this.close();
    this.#listener.lost(reason, isFinal);
  }

  async #read(cursor: string | null): Promise<void> {
    const headers = { ...headersOf(this.#place), ...(cursor === null ? {} : { 'last-event-id': cursor }) };
    const { status, body, ok } = await this.#request('events', { headers });
    if (!ok || body === null) return this.#lose(`the gateway has answered ${status}`, isFinalStatus(status));
    this.#listener.opened();
    const parser = createParser({ onEvent: (event) => this.#take(event) });
    const reader = body.getReader();
    const decoder = new TextDecoder();
    for (let part = await reader.read(); !part.done && !this.#isOver; part = await reader.read()) {
      this.#silence.heard();
      parser.feed(decoder.decode(part.value, { stream: true }));
    }
    this.#lose('the stream has ended', false);
  }

  #take({
    event,
    id = null,
    data,
  }: {
    event?: string | undefined;
    id?: string | undefined | null;
    data: string;
  }): void {
    if (this.#isOver) return;
    if (event !== 'gateway') return this.#listener.heard(JSON.parse(data), id);
    const { type, reason }: { type: string; reason: string } = JSON.parse(data);
    if (type === 'reset') this.#listener.reset(reason);
    else if (type === 'closed') this.#listener.closed(reason);
  }

  async #post({ id, frame }: SentFrame): Promise<void> {
    if (this.#isOver) return;
    const headers = { ...headersOf(this.#place), 'content-type': 'application/json', 'idempotency-key': id };
    const answer = await this.#request('frames', { method: 'POST', headers, body: JSON.stringify(frame) });
    const text = await answer.text();
    if (this.#isOver) return;
    if (answer.ok) this.#listener.accepted(id);
    else if (isFinalStatus(answer.status)) this.#listener.refused(id, refusalIn(text, answer.headers));
    else this.#lose(`the gateway has answered ${answer.status}`, false);
  }

  #request(what: 'events' | 'frames', init: RequestInit): Promise<Response> {
    const { url, frontend, session, fetch } = this.#place;
    const address = `${url}/v1/${frontend}/sessions/${session}/${what}${queryOf(this.#place)}`;
    return fetch(address, { ...init, signal: this.#away.signal });
  }
}

/** Lines are errors of the protocol, an object is one of the gateway. */
function refusalIn(text: string, headers: Headers): SendRefused {
  if (headers.get('content-type')?.includes('ndjson') === true) {
    const frames = text.split('\n').filter((line) => line !== '');
    return new SendRefused(
      'the frame was refused',
      undefined,
      frames.map((line): unknown => JSON.parse(line)),
    );
  }
  const { error }: { error?: { code: string; message: string } } = JSON.parse(text);
  return new SendRefused(error?.message ?? 'the frame was refused', error?.code);
}

export const openEventsLine: OpenLine = (place, cursor, listener) => new EventsLine(place, cursor, listener);
