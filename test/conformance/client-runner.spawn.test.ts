// Judging clients: which behaviours run, which results come out, and how clients connect: memory, WebSocket,
// server-sent events, and a program that they start.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Result } from '../../src/conformance/check/check.ts';
import { type ClientRunOptions, createClientRun } from '../../src/conformance/runner/client-runner.ts';
import { createJudgingGateway } from '../../src/conformance/runner/judging-gateway.ts';
import { createRelay } from '../../src/conformance/runner/relay.ts';
import type { Channel } from '../../src/core/contract/channel.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { GatewayError } from '../../src/core/model/errors.ts';
import { jsonl } from '../../src/transports/framing/jsonl.ts';
import { listen } from '../../src/transports/http/server.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { connectEventSource } from '../../src/transports/sse/client.ts';
import { connectWebSocket } from '../../src/transports/websocket/dial.ts';
import { toyClient, toyClients } from './support/toy.ts';

const verdictsOf = (results: readonly Result[]) =>
  Object.fromEntries(results.map(({ id, verdict, reason = '' }) => [id.replace('toy/client/', ''), [verdict, reason]]));
const passed = ['passed', ''];
const silent = (behaviour: string) => [
  'not-applicable',
  `no prompt came for it: ask for [[${behaviour}]], or prompt more often`,
];

/** A run with clients in memory. */
function start(options: ClientRunOptions = {}) {
  const run = createClientRun(toyClients, { patienceMs: 2000, ...options });
  return {
    run,
    connect() {
      const [agent, channel] = memoryPair();
      const left = run.serve(agent);
      const leave = () => {
        channel.close('normal', 'done');
        return left;
      };
      return { ...toyClient(channel), leave };
    },
  };
}

describe('behaviours', () => {
  test('answer prompts in turn, across connections', async () => {
    const told: string[] = [];
    const { run, connect } = start({ progress: (behaviour) => void told.push(behaviour) });
    for (const words of [['one'], ['two', 'three']]) {
      const client = connect();
      for (const word of words) client.ask(word);
      await client.until(words.length);
      await client.leave();
    }
    expect(told).toEqual(['plain', 'twice', 'plain']);
    expect([...run.behaviours]).toEqual(['plain', 'twice']);
    // Two clients, three prompts, four answers.
    expect(run.activity).toBe(9);
  });

  test('a prompt may request one by name; unknown names are ignored', async () => {
    const told: string[] = [];
    const { connect } = start({ progress: (behaviour) => void told.push(behaviour) });
    const client = connect();
    for (const word of ['[[twice]] please', '[[constructor]]', '[[twice]]']) client.ask(word);
    await client.until(5);
    await client.leave();
    expect(told).toEqual(['twice', 'plain', 'twice']);
  });

  test('run only for selected checks, or on request', async () => {
    const told: string[] = [];
    const { run, connect } = start({
      only: ({ id }) => id === 'toy/client/twice',
      progress: (behaviour) => void told.push(behaviour),
    });
    const client = connect();
    for (const word of ['one', 'two', '[[plain]]']) client.ask(word);
    await client.until(5);
    await client.leave();
    expect(told).toEqual(['twice', 'twice', 'plain']);
    expect(run.results().map(({ id }) => id)).toEqual(['toy/client/twice']);
  });
});

describe('results', () => {
  test('correct clients pass; rules without findings are not applicable and say what to do', async () => {
    const { run, connect } = start();
    const client = connect();
    client.ask('one');
    await client.until(1);
    client.ask('thanks');
    await client.leave();
    expect(verdictsOf(run.results())).toEqual({ plain: passed, twice: silent('twice') });
  });

  test('a violation fails, with the conversation', async () => {
    const { run, connect } = start();
    const client = connect();
    client.ask('[[twice]]');
    await client.until(2);
    client.ask('[[plain]]');
    await client.until(3);
    client.ask('thanks');
    await client.leave();
    const [, twice] = run.results();
    expect(twice).toMatchObject({ verdict: 'failed', reason: 'nobody says thanks', breaches: [{ message: 2 }] });
    expect(twice?.conversations[0]?.log.map(({ by }) => by)).toEqual(['peer', 'us', 'us', 'peer', 'us', 'peer']);
  });

  test('a connected client is judged by its messages so far', async () => {
    const { run, connect } = start();
    const client = connect();
    client.ask('one');
    await client.until(1);
    expect([run.connected, verdictsOf(run.results()).plain]).toEqual([1, ['not-applicable', 'it did not come up']]);
    await client.leave();
    expect([run.connected, verdictsOf(run.results()).plain]).toEqual([0, ['failed', 'nobody says thanks']]);
  });

  test('a failure of our agent is unclear, not failed', async () => {
    const { run, connect } = start();
    const client = connect();
    client.ask('crash');
    await client.leave();
    const { plain } = verdictsOf(run.results());
    expect(plain).toEqual(['unclear', expect.stringContaining('our agent failed: CannotTell: told to crash')]);
  });
});

describe('clients come', () => {
  const undo: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  async function server(awayMs = 100) {
    const { run } = start();
    const visits: Promise<void>[] = [];
    const take = (channel: Channel) => void visits.push(run.serve(channel));
    const board = createJudgingGateway({ protocol: 'toy', title: 'a toy', messages: 'text', take, awayMs });
    const listening = await listen({ board, token: 'word' });
    // `close` waits for connections that `fetch` keeps open; the test does not.
    undo.push(() => void listening.close());
    return { run, board, listening, left: () => Promise.all(visits), url: `${listening.url}/v1/toy` };
  }

  const sse = (base: string) =>
    connectEventSource({ streamUrl: `${base}/events`, sendUrl: `${base}/frames`, token: 'word', tries: 0 });

  test('over WebSocket, until they disconnect', async () => {
    const { run, url, left } = await server();
    const channel = connectWebSocket(`${url.replace('http', 'ws')}/ws`, { token: 'word' });
    const client = toyClient(channel);
    client.ask('one');
    await client.until(1);
    client.ask('thanks');
    channel.close('normal', 'done');
    await left();
    expect(verdictsOf(run.results()).plain).toEqual(passed);
  });

  test('over server-sent events, until nobody listens', async () => {
    const { run, url, left } = await server();
    const channel = sse(`${url}/sessions/one`);
    const client = toyClient(channel);
    client.ask('one');
    await client.until(1);
    client.ask('thanks');
    channel.close('normal', 'done');
    await left();
    expect(verdictsOf(run.results()).plain).toEqual(passed);
  });

  test('a stream can be resumed', async () => {
    const { board, url, left } = await server(60_000);
    const first = sse(`${url}/sessions/one`);
    const client = toyClient(first);
    client.ask('[[twice]]');
    await client.until(2);
    first.close('normal', 'gone for a moment');
    const headers = { authorization: 'Bearer word', 'last-event-id': 'conformance.1.0' };
    const again = await fetch(`${url}/sessions/one/events`, { headers });
    const reader = again.body?.getReader();
    let text = '';
    while (!text.includes('data:')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    expect(text.match(/^id: .*$|^data: .*$/gmu)).toEqual(['id: conformance.2.0', 'data: {"answer":"twice"}']);
    void board.closeSession('one', owner);
    while (!text.includes('closed')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    await left();
    expect(board.sessions(owner)).toEqual([]);
  });

  test('a session can be created in advance, once', async () => {
    const { board, listening } = await server(60_000);
    const post = () =>
      fetch(`${listening.url}/v1/sessions`, {
        method: 'POST',
        headers: { authorization: 'Bearer word', 'content-type': 'application/json' },
        body: '{"id":"mine"}',
      });
    expect([(await post()).status, (await post()).status]).toEqual([201, 409]);
    expect(board.session('mine', owner)).toMatchObject({ id: 'mine', agent: 'conformance' });
    void board.closeSession('mine', owner);
  });

  test('a frame posted twice under one id counts once', async () => {
    const { run, url, board, left } = await server(60_000);
    const post = () =>
      fetch(`${url}/sessions/one/frames`, {
        method: 'POST',
        headers: { authorization: 'Bearer word', 'content-type': 'application/json', 'idempotency-key': 'a' },
        body: '{"ask":"one"}',
      });
    expect([(await post()).status, (await post()).status]).toEqual([202, 202]);
    void board.closeSession('one', owner);
    await left();
    expect([...run.behaviours]).toEqual(['plain']);
  });

  test('refuses clients of other protocols', async () => {
    const { board } = await server();
    expect(() => board.check({ frontend: 'other', options: {}, principal: owner })).toThrow(GatewayError);
  });

  test('a remaining program does not keep the relay open', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'patchbay-relay-'));
    undo.push(() => rmSync(folder, { recursive: true }));
    const come = new Promise<void>((resolve) => {
      const take = (channel: Channel) => {
        channel.open({ frame() {}, fault() {}, end() {} });
        resolve();
      };
      void createRelay({ folder, framing: jsonl, take, closeGraceMs: 50 }).then((relay) => {
        const child = spawn(relay.path, [], { stdio: ['pipe', 'ignore', 'inherit'] });
        undo.push(() => child.kill('SIGKILL'));
        undo.push(() => relay.close());
      });
    });
    await come;
  });

  test('as a program that they start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'patchbay-relay-'));
    undo.push(() => rmSync(folder, { recursive: true }));
    const { run } = start();
    const visits: Promise<void>[] = [];
    const relay = await createRelay({
      folder,
      framing: jsonl,
      take: (channel) => void visits.push(run.serve(channel)),
    });
    undo.push(() => relay.close());
    const child = spawn(relay.path, ['--mode', 'rpc'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const code = new Promise((resolve) => child.once('close', resolve));
    child.stdin.write('{"ask":"one"}\n');
    const [line] = await new Promise<string[]>((resolve) =>
      child.stdout.once('data', (chunk) => resolve([String(chunk)])),
    );
    child.stdin.end('{"ask":"thanks"}\n');
    expect([line, await code]).toEqual(['{"answer":"plain"}\n', 0]);
    await Promise.all(visits);
    expect(verdictsOf(run.results()).plain).toEqual(passed);
  });
});
