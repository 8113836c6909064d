// Opening a session fails, the session is deleted while it opens, or its client leaves meanwhile: each client gets a
// true answer, and no session stays behind. Uses a whole gateway and a protocol with tickets.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { within } from '../../src/conformance/bounded-wait.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { createGateway, type Gateway } from '../../src/gateway/full-gateway.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { createVirtualClock, type VirtualClock } from '../support/core/virtual-clock.ts';

interface Heard {
  readonly type: string;
  readonly id?: string;
  readonly success?: boolean;
  readonly error?: string;
  readonly data?: { readonly sessions?: readonly { readonly sessionId: string }[]; readonly sessionId?: string };
}

const directory = mkdtempSync(join(tmpdir(), 'patchbay-openings-'));
const gateways: Gateway[] = [];
afterEach(() => {
  for (const gateway of gateways.splice(0)) gateway.close('the test is over');
  rmSync(directory, { recursive: true, force: true });
});

const node = (code: string) => ({ protocol: 'pi', command: [process.execPath, '-e', code] });
const agents = {
  demo: { protocol: 'demo', options: { paceMs: 0 } },
  dead: node('process.exit(3)'),
  absent: { protocol: 'pi', command: ['/no/such/program'] },
  dying: node('process.stdin.once("data", () => process.exit(4))'),
  silent: node('process.stdin.resume()'),
};

function open(clock?: VirtualClock): Gateway {
  const config = parseConfig({ agents, sessionDirectory: directory });
  const gateway = createGateway(config, { log: () => {}, ...(clock === undefined ? {} : { clock }) });
  gateways.push(gateway);
  return gateway;
}

function connect(gateway: Gateway, agent = 'demo', session?: string, frontend = 'pi-server') {
  const [ours, theirs] = memoryPair();
  const frames: Heard[] = [];
  const watchers = new Set<() => void>();
  let isOver = false;
  const wake = () => {
    for (const watcher of watchers) watcher();
  };
  theirs.open({
    frame: ({ json }) => {
      frames.push(json as Heard);
      wake();
    },
    fault: ({ message }) => {
      throw new Error(message);
    },
    end: () => {
      isOver = true;
      wake();
    },
  });
  const request = { frontend, agent, options: {}, principal: owner };
  gateway.board.connect(ours, session === undefined ? request : { ...request, session });
  return {
    frames,
    say: (command: object) => theirs.send(JSON.stringify(command)),
    leave: () => theirs.close('normal', 'bye'),
    hear: (label: string, fits: (frame: Heard) => boolean) => within(label, watchers, () => frames.find(fits)),
    answer: (id: string) =>
      within(`the answer to ${id}`, watchers, () =>
        frames.find((frame) => frame.type === 'response' && frame.id === id),
      ),
    over: () => within('the end', watchers, () => (isOver ? true : undefined)),
  };
}

const create = (id: string, sessionId: string) => ({ id, type: 'create_session', sessionId });
const sessionsOf = (gateway: Gateway) => gateway.board.sessions(owner).map(({ id }) => id);

describe('an agent that', () => {
  test.each([
    ['ends at once', 'dead'],
    ['is not there', 'absent'],
    ['dies of the first question', 'dying'],
  ])('%s: the session was never there', async (_name, agent) => {
    const gateway = open();
    const client = connect(gateway, agent);
    client.say(create('c', 's1'));
    expect(await client.answer('c')).toMatchObject({ success: false, error: expect.any(String) });
    client.say({ id: 'l', type: 'list_sessions' });
    expect(await client.answer('l')).toMatchObject({ success: true, data: { sessions: [] } });
    expect(client.frames.map(({ type }) => type)).not.toContain('session_created');
    expect(client.frames.map(({ type }) => type)).not.toContain('session_deleted');
  });

  test('says nothing: whose commands wait behind it are carried out in the end', async () => {
    const clock = createVirtualClock();
    const gateway = open(clock);
    const [first, second] = [connect(gateway, 'silent'), connect(gateway)];
    first.say(create('c', 's1'));
    second.say({ id: 'l', type: 'list_sessions' });
    await second.hear('that it waits', ({ type }) => type === 'command_accepted');
    clock.advance(30_000);
    expect(await first.answer('c')).toMatchObject({ success: false });
    expect(await second.answer('l')).toMatchObject({ success: true, data: { sessions: [] } });
  });
});

test('one that is deleted while it is opened was not opened', async () => {
  const gateway = open();
  const [first, second] = [connect(gateway, 'silent'), connect(gateway)];
  first.say(create('c', 's1'));
  await second.hear('that it begins', ({ type }) => type === 'command_started');
  second.say({ id: 'd', type: 'delete_session', sessionId: 's1' });
  expect(await second.answer('d')).toMatchObject({ success: true });
  expect(await first.answer('c')).toMatchObject({ success: false, error: expect.stringContaining('deleted') });
  expect(sessionsOf(gateway)).toEqual([]);
});

test('what a client has asked for and left is swept as any other', async () => {
  const clock = createVirtualClock();
  const gateway = open(clock);
  const client = connect(gateway, 'silent');
  for (const name of ['s1', 's2', 's3']) client.say({ ...create(name, name), agent: 'demo' });
  client.leave();
  // The first command of the lane waits for an agent that never answers.
  clock.advance(30_000);
  clock.advance(30_000);
  clock.advance(30_000);
  expect(sessionsOf(gateway)).toEqual([]);
});

test('what a client of another protocol changes is a change, and what it asks is none', async () => {
  const gateway = open();
  const client = connect(gateway);
  client.say(create('c', 's1'));
  await client.answer('c');
  const other = connect(gateway, 'demo', 's1', 'pi');
  other.say({ id: '1', type: 'get_state' });
  other.say({ id: '2', type: 'set_session_name', name: 'theirs' });
  await other.answer('2');
  client.say({ id: 'n', type: 'set_session_name', sessionId: 's1', name: 'ours', ifSessionVersion: 0 });
  const error = 'Session version mismatch: expected 0, got 1';
  expect(await client.answer('n')).toMatchObject({ success: false, error });
});

test('who hears one session alone is answered when it deletes that one', async () => {
  const gateway = open();
  const maker = connect(gateway);
  maker.say(create('c', 's1'));
  await maker.answer('c');
  const bound = connect(gateway, 'demo', 's1');
  bound.say({ id: 'd', type: 'delete_session', sessionId: 's1' });
  expect(await bound.answer('d')).toMatchObject({ success: true });
  await bound.over();
  const gone = await maker.hear('that it is gone', ({ type }) => type === 'session_deleted');
  expect(gone).toMatchObject({ data: { sessionId: 's1' } });
});
