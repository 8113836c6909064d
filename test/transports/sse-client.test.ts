// The stream that we read: resuming, giving up, posting in order (docs/faults.md F13, F27).
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { connectEventSource, type EventSourceOptions } from '../../src/transports/sse/client.ts';
import { createArrivals } from './support/arrivals.ts';
import { record } from './support/recording-receiver.ts';
import { namingEnvelope, taggedEnvelope } from './support/tagged-envelope.ts';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A server that gives its answers one after the other, the last one again and again; posts go to `onPost`. */
async function start(answers: readonly Answer[], options: Partial<EventSourceOptions> = {}, onPost: Answer = accept) {
  const requests: IncomingMessage[] = [];
  const posts = createArrivals<{ readonly type: string | undefined; readonly body: string }>();
  const server = createServer(async (request, response) => {
    if (request.method === 'HEAD') return void response.end();
    if (request.method === 'POST') {
      posts.add({ type: request.headers['content-type'], body: await text(request) });
      onPost(response, request);
      return;
    }
    requests.push(request);
    answers[Math.min(requests.length, answers.length) - 1]?.(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const channel = connectEventSource({
    streamUrl: `${url}/events`,
    sendUrl: `${url}/frames`,
    firstWaitMs: 1,
    longestWaitMs: 2,
    ...options,
  });
  const heard = record();
  channel.open(heard.receiver);
  cleanUps.push(() => {
    channel.close('normal', 'the test is over');
    server.closeAllConnections();
    server.close();
  });
  return { channel, heard, requests, posts, url };
}

const accept: Answer = (response) => response.writeHead(202).end('{"accepted":1}');
const head = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
/** Sends and leaves the stream open. */
const stay =
  (events: string): Answer =>
  (response) =>
    void head(response).write(events);
/** Sends and ends. */
const cut =
  (events: string): Answer =>
  (response) =>
    void head(response).end(events);
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(code, headers).end();

const lastIds = (requests: readonly IncomingMessage[]) => requests.map(({ headers }) => headers['last-event-id']);

describe('a lost stream', () => {
  it('is resumed behind the last whole event, which is not said twice', async () => {
    const { heard, requests } = await start([
      cut('id: a.1\ndata: 1\n\nid: a.2\ndata: 2\n\nid: a.3\ndata: half'),
      cut('id: a.3\ndata: 3\n\n'),
      stay('id: a.4\ndata: 4\n\n'),
    ]);
    expect(await heard.frames.first(4)).toEqual(['1', '2', '3', '4']);
    expect(lastIds(requests)).toEqual([undefined, 'a.2', 'a.3']);
  });

  it.each([
    ['a server error', status(503)],
    ['a connection that breaks', (response: ServerResponse) => void response.destroy()],
  ])('is asked for again after %s, five times in a row at most', async (_name, failure) => {
    const good = cut('id: a.1\ndata: 1\n\n');
    const { heard, requests } = await start([good, failure, failure, good, failure]);
    await heard.end();
    // Two tries succeed in between, and a frame starts the count anew.
    expect(requests).toHaveLength(4 + 5);
    expect(heard.calls).toEqual(['frame', 'frame', 'end']);
  });

  it('is noticed when the server falls silent', async () => {
    const { heard, requests } = await start([stay('id: a.1\ndata: 1\n\n'), stay('id: a.2\ndata: 2\n\n')], {
      silenceMs: 300,
    });
    expect(await heard.frames.first(2)).toEqual(['1', '2']);
    expect(lastIds(requests).slice(0, 2)).toEqual([undefined, 'a.1']);
  });

  it('is not one that only comments now and then', async () => {
    const { heard, requests } = await start(
      [
        (response) => {
          let beats = 0;
          const timer = setInterval(() => {
            beats += 1;
            response.write(beats < 20 ? ': ping\n\n' : 'id: a.1\ndata: 1\n\n');
          }, 25);
          head(response).on('close', () => clearInterval(timer));
        },
      ],
      { silenceMs: 250 },
    );
    await heard.frames.first(1);
    expect(requests).toHaveLength(1);
  });

  it.each<[string, Answer, string]>([
    ['the server gave no id', cut('data: 1\n\n'), 'the stream was cut'],
    ['the server takes its id back', cut('id: a.1\ndata: 1\n\nid\ndata: 2\n\n'), 'the stream was cut'],
    [
      'the server lost our place',
      cut('event: gateway\ndata: {"type":"reset","reason":"window","cursor":"b.1"}\n\ndata: 1\n\n'),
      'the server lost our place in the stream (window)',
    ],
    [
      'the session is over',
      cut('id: a.1\ndata: 1\n\nevent: gateway\ndata: {"type":"closed","reason":"deleted"}\n\n'),
      'deleted',
    ],
    ['it is refused', status(404), 'the server refused the stream (404)'],
    ['there is nothing', status(204), 'the server refused the stream (204)'],
    [
      'it is no stream',
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      'the server sent no event stream',
    ],
  ])('is not asked for again when %s', async (_name, answer, reason) => {
    const { heard, requests } = await start([answer]);
    expect(await heard.end()).toEqual({ reason });
    expect(requests).toHaveLength(1);
  });

  it('does not follow a redirect, which would take the token along', async () => {
    const { heard, requests } = await start([status(302, { location: '/elsewhere' })], { token: 'secret', tries: 0 });
    await heard.end();
    expect(requests.map(({ url }) => url)).toEqual(['/events']);
  });
});

describe('the stream', () => {
  it('shows the token', async () => {
    const { heard, requests } = await start([stay('data: 1\n\n')], { token: 'secret' });
    await heard.frames.first(1);
    expect(requests[0]?.headers.authorization).toBe('Bearer secret');
  });

  it('passes default events on, and no others', async () => {
    const { heard } = await start([
      stay('event: other\ndata: no\n\nevent: gateway\ndata: {"type":"news"}\n\nevent: message\ndata: 1\n\ndata: 2\n\n'),
    ]);
    expect(await heard.frames.first(2)).toEqual(['1', '2']);
  });

  it('gives up on a server whose words are no JSON', async () => {
    const { heard } = await start([cut('event: gateway\ndata: {{{\n\n')]);
    expect(await heard.end()).toEqual({ reason: 'the stream was lost: the frame is not valid JSON' });
  });
});

describe('with an envelope', () => {
  const envelope = taggedEnvelope;

  it('passes on the frames that events hold, and resumes behind their ids', async () => {
    const { heard, requests } = await start(
      [
        cut(
          'data: 0\n\nevent: other\nid: 9\ndata: 0\n\nevent: tagged\nid: 1\ndata: {"said":1}\n\n' +
            'event: tagged_live\ndata: {"said":2}\n\n',
        ),
        stay('event: tagged\nid: 3\ndata: {"said":3}\n\n'),
      ],
      { envelope },
    );
    expect(await heard.frames.first(3)).toEqual(['1', '2', '3']);
    expect(lastIds(requests)).toEqual([undefined, '1']);
  });

  it('is told that it comes back', async () => {
    const count = 'event: tagged_count\nid: 1\ndata: 0\n\n';
    const { heard } = await start([cut(''), cut(count), status(503), cut(count), stay(count)], { envelope });
    expect(await heard.frames.first(3)).toEqual(['0', '1', '2']);
  });

  it('ends where the server lost our place', async () => {
    const { heard, requests } = await start(
      [cut('event: tagged\nid: 1\ndata: {"said":1}\n\n'), cut('event: tagged_lost\ndata: "gone\\u001b"\n\n')],
      { envelope },
    );
    expect(await heard.end()).toEqual({ reason: 'the server lost our place in the stream (gone\\x1b)' });
    expect(requests).toHaveLength(2);
  });

  it('ends where the session is over', async () => {
    const { heard } = await start([cut('event: gateway\ndata: {"type":"closed","reason":"deleted"}\n\n')], {
      envelope,
    });
    expect(await heard.end()).toEqual({ reason: 'deleted' });
  });

  it('an event that holds no frame is a fault', async () => {
    const { heard } = await start([stay('event: tagged\nid: 1\ndata: nothing\n\n')], { envelope });
    expect(await heard.faults.first(1)).toEqual([{ code: 'bad-frame', message: 'nothing said' }]);
  });

  it('posts what it makes of the frames', async () => {
    const { channel, posts, heard } = await start([stay(': ok\n\n')], { envelope });
    channel.send('{"n":1}');
    await heard.drains.first(1);
    channel.send(['{"n":', Buffer.from('2}')]);
    channel.send('{"n":3}');
    expect(await posts.first(2)).toEqual([
      { type: 'application/json', body: '[{"n":1}]' },
      { type: 'application/json', body: '[{"n":2},{"n":3}]' },
    ]);
  });
});

describe('with an envelope for events alone', () => {
  const envelope = namingEnvelope;

  it('hears named events and default ones, and resumes behind either', async () => {
    const { heard, requests } = await start(
      [
        cut('event: chat:content-received\nid: e.1.0\ndata: {"n":1}\n\nid: e.2.0\ndata: "answer"\n\n'),
        stay('event: message\nid: e.3.0\ndata: "again"\n\n'),
      ],
      { envelope },
    );
    expect(await heard.frames.first(3)).toEqual(['{"chat:content-received":{"n":1}}', '"answer"', '"again"']);
    expect(lastIds(requests)).toEqual([undefined, 'e.2.0']);
  });

  it('posts bare frames', async () => {
    const { channel, posts, heard } = await start([stay(': ok\n\n')], { envelope });
    channel.send('{"n":1}');
    await heard.drains.first(1);
    channel.send('{"n":2}');
    channel.send('{"n":3}');
    expect(await posts.first(2)).toEqual([
      { type: 'application/json', body: '{"n":1}' },
      { type: 'application/x-ndjson', body: '{"n":2}\n{"n":3}\n' },
    ]);
  });
});

describe('posting', () => {
  it('waits for the stream, then posts one frame alone and several as lines', async () => {
    let openStream = () => {};
    const { channel, posts, heard } = await start([
      (response) => {
        openStream = () => void head(response).write(': ok\n\n');
        setImmediate(openStream);
      },
    ]);
    channel.send('{"n":1}');
    expect(await posts.first(1)).toEqual([{ type: 'application/json', body: '{"n":1}' }]);
    await heard.drains.first(1);
    channel.send('{"n":2}');
    channel.send('{\n"n":3}');
    expect((await posts.first(2))[1]).toEqual({ type: 'application/x-ndjson', body: '{"n":2}\n{ "n":3}\n' });
  });

  it('has one request under way at a time', async () => {
    const waiting: ServerResponse[] = [];
    const { channel, posts, url } = await start([stay(': ok\n\n')], {}, (response) => void waiting.push(response));
    channel.send('1');
    await posts.first(1);
    channel.send('2');
    // Round trips: a second post would be there by then.
    for (let n = 0; n < 3; n += 1) await (await fetch(url, { method: 'HEAD' })).text();
    channel.send('3');
    expect(posts.items.map(({ body }) => body)).toEqual(['1']);
    for (const response of waiting) accept(response, response.req);
    expect((await posts.first(2)).map(({ body }) => body)).toEqual(['1', '2\n3\n']);
  });

  it('posts no more than 1 MiB together, and what is larger alone', async () => {
    const { channel, posts, heard } = await start([stay(': ok\n\n')]);
    const frame = JSON.stringify('x'.repeat(300_000));
    const large = JSON.stringify('x'.repeat(3_000_000));
    for (const text of [frame, frame, frame, frame, large, frame]) channel.send(text);
    await heard.drains.first(1);
    expect(posts.items.map(({ body }) => body.length)).toEqual([900_009, 300_002, 3_000_002, 300_002]);
  });

  it("delivers the protocol's own errors, and goes on", async () => {
    const { channel, heard, posts } = await start([stay(': ok\n\n')], {}, (response) => {
      response.writeHead(400, { 'content-type': 'application/x-ndjson' }).end('{"error":1}\n{"error":2}\n');
    });
    channel.send('nonsense');
    expect(await heard.frames.first(2)).toEqual(['{"error":1}', '{"error":2}']);
    channel.send('{"n":1}');
    await posts.first(2);
  });

  it.each<[string, Answer, RegExp]>([
    ['a refusal', status(413), /^could not send: the server answered 413$/],
    ['a server error', status(500), /^could not send: the server answered 500$/],
    ['a connection that breaks', (response) => void response.destroy(), /^could not send: /],
  ])('ends with %s, and is never repeated', async (_name, answer, reason) => {
    const { channel, heard, posts } = await start([stay(': ok\n\n')], {}, answer);
    channel.send('{"n":1}');
    expect((await heard.end()).reason).toMatch(reason);
    channel.send('{"n":2}');
    expect([posts.items.length, channel.buffered]).toEqual([1, 0]);
  });

  it('does not wait for ever for the last post', async () => {
    const { channel, heard } = await start([stay(': ok\n\n')], { closeGraceMs: 20 }, () => {});
    channel.send('{"n":1}');
    channel.close('normal', 'enough');
    expect(await heard.end()).toEqual({ reason: 'enough' });
  });
});
