// A client on the network that sends too many bad frames is closed; all others go on (docs/faults.md F21).
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { adapters } from '../../src/adapters/index.ts';
import { parseConfig } from '../../src/config/config.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { mostFaults } from '../../src/core/link/fault-limit.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { listen } from '../../src/transports/http/server.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { stdioChannel } from '../../src/transports/stdio.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';

const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

function open() {
  const clock = createVirtualClock();
  const gateway = createGateway(parseConfig({}), { log: () => {}, clock });
  disposals.push(() => gateway.close('the test is over'));
  gateway.board.createSession({ id: 's' }, owner);
  return { clock, gateway };
}

const ended = { told: 'more than 10 bad frames within 10 s' };

describe.each([...adapters.keys()].filter((id) => adapters.get(id)?.client !== undefined))('%s', (frontend) => {
  function connect() {
    const { clock, gateway } = open();
    const [near, far] = memoryPair();
    const heard: string[] = [];
    let end: string | null = null;
    far.open({
      frame: ({ text }) => heard.push(text),
      fault() {},
      end: ({ reason }) => {
        end = reason;
      },
    });
    gateway.board.connect(near, { frontend, session: 's', options: {}, principal: owner });
    const garbage = async (count: number) => {
      for (let n = 0; n < count; n += 1) far.send('{]');
      await new Promise<void>((resolve) => setImmediate(resolve));
    };
    return { clock, gateway, heard, garbage, end: () => end };
  }

  test('the eleventh bad frame within ten seconds is the last; each was answered', async () => {
    const client = connect();
    // What it is greeted with.
    await client.garbage(0);
    const before = client.heard.length;
    await client.garbage(mostFaults);
    expect(client.end()).toBeNull();
    await client.garbage(1);
    expect(client.heard.length - before).toBe(mostFaults + 1);
    expect(client.end()).toContain(ended.told);
  });

  test('as many as it may in each ten seconds do no harm', async () => {
    const client = connect();
    for (let n = 0; n < 5; n += 1) {
      await client.garbage(mostFaults);
      client.clock.advance(10_000);
    }
    expect(client.end()).toBeNull();
  });
});

test('the close code is 4400, and the session and its other client go on', async () => {
  const { gateway } = open();
  const server = await listen({ board: gateway.board });
  disposals.push(() => server.close());
  const dial = async () => {
    const address = `${server.url.replace('http', 'ws')}/v1/pi/ws?session=s`;
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${server.token}` } });
    await once(socket, 'open');
    return socket;
  };
  const [bad, good] = [await dial(), await dial()];
  const closed = once(bad, 'close');
  for (let n = 0; n <= mostFaults; n += 1) bad.send(Buffer.from([n]));
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([4400, ended.told]);
  good.send('{"type":"get_state","id":"1"}');
  const [answer] = await once(good, 'message');
  expect(JSON.parse(String(answer))).toMatchObject({ id: '1', success: true });
});

test('a WebSocket message of many lines is taken up to the eleventh bad one, and nothing behind it', async () => {
  const { gateway } = open();
  const server = await listen({ board: gateway.board });
  disposals.push(() => server.close());
  const address = `${server.url.replace('http', 'ws')}/v1/claude/ws?session=s`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${server.token}` } });
  const heard: string[] = [];
  socket.on('message', (data) => heard.push(...String(data).split('\n').filter(Boolean)));
  await once(socket, 'open');
  const closed = once(socket, 'close');
  const good = (id: string) =>
    JSON.stringify({ type: 'control_request', request_id: id, request: { subtype: 'mcp_status' } });
  const bad = Array.from({ length: mostFaults }, () => '{]');
  const prompt = JSON.stringify({ type: 'user', message: { role: 'user', content: 'behind' } });
  socket.send([good('before'), ...bad, good('between'), '{]', prompt, ...bad].join('\n'));
  const [code] = await closed;
  const text = heard.join('\n');
  expect(code).toBe(4400);
  expect(['before', 'between'].filter((id) => text.includes(`"${id}"`))).toEqual(['before', 'between']);
  expect(gateway.board.session('s', owner).state).toBe('idle');
  expect(heard.filter((line) => line.includes('"type":"error"'))).toHaveLength(mostFaults + 1);
});

test('a client on stdio is answered as often as it errs', async () => {
  const { gateway } = open();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const channel = stdioChannel({ input, output, label: 'stdio' });
  const served = gateway.serveClient(channel, { frontend: 'pi', options: {} });
  let answers = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    answers += text;
  });
  input.end('{]\n'.repeat(3 * mostFaults));
  await served;
  expect(answers.split('\n').filter(Boolean)).toHaveLength(3 * mostFaults);
});
