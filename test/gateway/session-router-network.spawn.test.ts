// Clients with many sessions, on the network instead of in the gateway's process: their sessions outlive their
// connections, and their folders are checked (docs/threats.md T8, T9, T20).

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { owner } from '../../src/core/contract/principal.ts';
import type { Command } from '../../src/core/model/command.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';
import { createRelayClient, type RelayClient, runsTold } from '../support/relay.ts';
import { isOver, onNetwork, onStdio, openGateway, prompt, useRelay } from '../support/relay-rig.ts';

useRelay();

const base = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-switchboard-')));
const root = join(base, 'root');
const project = join(root, 'project');
const secret = join(base, 'secret');
beforeAll(() => {
  for (const folder of [project, secret]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(project, 'open.txt'), 'open');
  writeFileSync(join(secret, 'hidden.txt'), 'hidden');
  symlinkSync(secret, join(root, 'link'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('clients on the network', () => {
  test('find their sessions again by the names that they gave them', async () => {
    const { gateway } = openGateway();
    const first = onNetwork(gateway);
    const id = await first.open();
    first.say({ watch: id, as: 'my tab' });
    await first.ask(prompt('remember this'), 'my tab');
    await first.hear('the run', isOver('my tab'));
    first.leave();
    const second = onNetwork(gateway);
    second.say({ watch: 'my tab', as: 'my tab' });
    await second.hear('the past', isOver('my tab'));
    expect(second.words('my tab')).toBe(first.words('my tab'));
    expect(await second.ask(prompt('hello'), 'my tab')).toMatchObject({ ok: true });
    expect(gateway.board.sessions(owner).map((session) => session.id)).toEqual([id]);
  });

  test('that name a session alike or speak alike hear it each in its own way', async () => {
    const { gateway } = openGateway();
    const clients = [onNetwork(gateway), onNetwork(gateway), onNetwork(gateway)];
    const id = await onNetwork(gateway).open();
    const ways = [{ as: 'a b' }, { as: 'b', dialect: 'a' }, { dialect: 'a b' }];
    for (const [at, way] of ways.entries()) clients[at]?.say({ watch: id, ...way });
    await onNetwork(gateway).ask(prompt('hello'), id);
    const heard = await Promise.all(
      clients.map((client) => client.hear('it', ({ event }) => event?.type === 'run-end')),
    );
    expect(heard.map(({ of, dialect }) => [of, dialect])).toEqual([
      ['a b', null],
      ['b', 'a'],
      [id, 'a b'],
    ]);
  });

  test('one deletes what another watches', async () => {
    const { gateway } = openGateway();
    const [one, other] = [onNetwork(gateway), onNetwork(gateway)];
    const id = await one.open();
    other.say({ watch: id, as: 'mine' });
    await other.ask({ type: 'query', subject: 'last-text' }, 'mine');
    await one.ask({ type: 'delete-session' }, id);
    expect(await other.hear('its end', ({ over }) => over !== undefined)).toEqual({
      over: id,
      reason: 'the session was deleted',
    });
    expect(other.hasEnded()).toBe(null);
  });

  test('a session that nobody watches is closed after its time; one that is still to be watched waits for it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const clock = createVirtualClock();
    onTestFinished(() => void vi.useRealTimers());
    const { gateway } = openGateway({ limits: { idleSessionMs: 1000 } }, { clock });
    const pass = () => {
      clock.advance(1000);
      vi.advanceTimersByTime(1000);
    };
    const [client, other] = [onNetwork(gateway), onNetwork(gateway)];
    const [watched, fresh] = [await client.open(), await client.open()];
    await other.open();
    const open = () => gateway.board.sessions(owner).map(({ id }) => id);
    /** Two sweeps: the first one may only record that a session became idle. */
    const remaining = () => {
      pass();
      pass();
      return open();
    };
    client.say({ watch: watched });
    other.leave();
    // The answer to another client shows that the gateway has processed the end of this one.
    await other.end();
    await client.ask({ type: 'query', subject: 'last-text' }, watched);
    expect(remaining()).toEqual([watched, fresh]);
    client.say({ unwatch: watched });
    await client.ask({ type: 'query', subject: 'last-text' }, watched);
    expect(remaining()).toEqual([fresh]);
    client.leave();
    await client.end();
    await expect(onNetwork(gateway).ask({ type: 'clear-queue' })).resolves.toMatchObject({ ok: false });
    expect(remaining()).toEqual([]);
  });

  test('a name that is not used any more keeps no stream: what is said is not said for nobody', async () => {
    const { gateway } = openGateway();
    const client = onNetwork(gateway);
    const id = await client.open();
    for (let count = 0; count < 50; count += 1) client.say({ watch: id, as: `name ${count}` });
    await client.ask(prompt('hello'), id);
    await client.hear('the end', isOver('name 49'));
    expect(runsTold.filter((name) => name.startsWith('name '))).toEqual(['name 49']);
    expect(gateway.board.session(id, owner).clients).toBe(1);
  });

  test('what breaks their protocol is counted, and ends nothing', async () => {
    const { gateway, rows } = openGateway();
    const [near, far] = memoryPair();
    gateway.board.connect(near, { frontend: 'relay', options: {}, principal: owner });
    const client = createRelayClient(far);
    far.send('{"no":"word"}');
    await client.hear('the complaint', ({ code }) => code === 'invalid');
    expect(rows).toEqual([['warn', 'no word of this protocol', { session: '(connection)', note: 'violation' }]]);
    expect(gateway.board.metrics()).toContain('patchbay_notes_total{level="violation"} 1');
    await client.open();
  });

  test('one that is bound to a session opens no other, by no agent’s help (docs/threats.md T8)', async () => {
    const { gateway } = openGateway();
    const id = await onNetwork(gateway).open();
    const bound = onNetwork(gateway, { session: id });
    bound.say({ watch: id, as: 'ignored' });
    expect(await bound.ask({ type: 'create-session', folders: ['/'] })).toMatchObject({ code: 'unsupported' });
    await bound.ask(prompt('hello'));
    await bound.hear('the run', isOver(id));
  });

  test('a gateway that is closing serves no new one', () => {
    const { gateway } = openGateway();
    gateway.close('over');
    expect(() => onNetwork(gateway)).toThrow('the gateway is shutting down');
  });
});

describe('folders (docs/threats.md T8, T9)', () => {
  const search: Command = { type: 'query', subject: 'contexts', text: '' };
  const place = async (client: RelayClient, more: object) => {
    const id = await client.open(more);
    const { message } = await client.ask({ type: 'compact' }, id);
    const { data } = await client.ask(search, id);
    return { at: message, offered: JSON.stringify(data) };
  };

  test('of clients on the network: inside the roots, links followed; what is wrong with others nobody learns', async () => {
    const { gateway, rows } = openGateway({ roots: [root] });
    const client = onNetwork(gateway, { agent: 'placed' });
    const outside = [
      secret,
      join(root, 'link'),
      '/',
      '/etc',
      'root/project',
      '.',
      `${project}/../project`,
      `${base}/none`,
      '~',
    ];
    const named = await place(client, { folders: [...outside, project, `${project}/`] });
    expect(named.at).toBe(project);
    expect(named.offered).toContain('open.txt');
    expect(named.offered).not.toContain('hidden');
    const chosen = await place(client, { cwd: project });
    expect([chosen.at, chosen.offered.includes('open.txt')]).toEqual([project, true]);
    for (const folder of outside) {
      const answer = await client.ask({ type: 'create-session', cwd: folder });
      expect({ folder, ...answer }).toMatchObject({ folder, ok: false, code: 'invalid' });
      expect(answer.message).toMatch(/^cwd must be (?:an existing directory|the absolute path)/u);
    }
    expect(JSON.stringify(rows)).not.toMatch(/secret|none|etc/u);
  });

  test.each([
    ['without roots', {}, { folders: [project] }],
    ['that name none', { roots: [root] }, {}],
  ])('of clients on the network %s: none, wherever the agent works', async (_, config, more) => {
    const { gateway } = openGateway(config);
    const client = onNetwork(gateway);
    const id = await client.open(more);
    expect(await client.ask(search, id)).toMatchObject({ ok: true, data: { contexts: [] } });
    client.say({ watch: id });
    const path = join(process.cwd(), 'package.json');
    await client.ask({ ...prompt('hello'), contexts: [{ type: 'file', path }] } as Command, id);
    await client.hear('the run', isOver(id));
    expect(client.events(id)).toContain('notice');
    expect(JSON.stringify(client.told)).not.toContain('agent-patchbay');
    expect(JSON.stringify(await client.ask({ type: 'query', subject: 'state' }, id))).not.toContain(process.cwd());
  });

  test('of a client that owns the process: any that are there, without roots', async () => {
    const { gateway } = openGateway();
    const client = onStdio(gateway, undefined, 'placed');
    const named = await place(client, { folders: [`${base}/none`, 'relative', 'a\0b', secret, project] });
    expect(named.at).toBe(secret);
    expect(named.offered).toContain('hidden.txt');
    expect(named.offered).toContain('open.txt');
    const problems = ['none', 'relative'].map((name) => expect.stringContaining(name));
    const answer = await client.ask({ type: 'create-session', folders: [`${base}/none`, 'relative', project] });
    expect(answer).toMatchObject({ data: { problems } });
    expect((await place(client, { cwd: project })).at).toBe(project);
    expect((await place(client, {})).at).toBe(process.cwd());
    expect(await client.ask({ type: 'create-session', cwd: `${base}/none` })).toMatchObject({ code: 'invalid' });
  });

  test('so many that nobody can mean them: the first ones', async () => {
    const { gateway } = openGateway({ roots: [root] });
    const client = onNetwork(gateway, { agent: 'placed' });
    const folders = [...Array.from({ length: 64 }, (_, at) => `/none${at}`), project];
    expect((await place(client, { folders })).at).not.toBe(project);
  });
});
