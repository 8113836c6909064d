// The journal of a gateway on the device /dev/full: sessions go on in memory, clients are told once, the gateway is not ready, the
// disk is tried again, the gap is marked, and the next gateway has everything (docs/limits.md 10.2 and 10.3).
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { owner } from '../../src/core/contract/principal.ts';
import type { SessionStore } from '../../src/core/contract/store/session-store.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { createApp } from '../../src/transports/http/app.ts';
import { freshJournal, segmentsIn } from '../stores/journal/journal-rig.ts';
import { createFullDevice, hasFullDevice } from '../support/full-device.ts';
import { textOf } from '../support/telling.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function start(store: SessionStore) {
  const agents = { fast: { protocol: 'demo', options: { paceMs: 0 } } };
  const gateway = createGateway(parseConfig({ agents, defaultAgent: 'fast' }), { log: () => {}, store });
  ends.push(() => gateway.close('the test is over'));
  const { board } = gateway;
  const app = createApp({ board, connections: { obstacles: () => [] }, streams: new Set() });
  const request = (path: string, body?: object) =>
    app.request(
      path,
      body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
      { principal: owner },
    );
  /** Everything that clients of that protocol are told. */
  function read(frontend: string) {
    const frames: string[] = [];
    const watchers = new Set<() => void>();
    const reader = board.stream({ frontend, session: 's', options: {}, principal: owner }, null);
    reader.onReadable = () => {
      for (let more = reader.read(1 << 20); more.length > 0; more = reader.read(1 << 20))
        for (const entry of more) if (entry.kind === 'frame') frames.push(textOf(entry.out));
      for (const watcher of [...watchers]) watcher();
    };
    reader.onReadable();
    const times = (part: string) => frames.filter((frame) => frame.includes(part)).length;
    const until = (part: string, count: number) =>
      new Promise<void>((resolve) => {
        const look = () => times(part) >= count && resolve();
        watchers.add(look);
        look();
      });
    return { frames, times, until };
  }
  return { board, request, read };
}

const warning = 'not kept at the moment';
const obstacle = 'the journal cannot be written (ENOSPC); sessions are kept in memory only';

test.skipIf(!hasFullDevice)(
  'on /dev/full (skipped where there is none) nothing stops, and everybody is told',
  async () => {
    const disk = createFullDevice();
    const { journal, folder, clock, dispose } = await freshJournal({ disk });
    ends.push(dispose);
    const { board, request, read } = start(journal);
    expect((await request('/v1/sessions', { id: 's' })).status).toBe(201);
    const clients = ['canonical', 'pi'].map((frontend) => read(frontend));
    const server = read('pi-server');
    const [reader] = clients;
    if (reader === undefined) throw new Error('no client');
    let runs = 0;
    const run = async (message: string) => {
      runs += 1;
      const answer = await request('/v1/canonical/sessions/s/frames', {
        id: message,
        command: { type: 'prompt', content: [{ type: 'text', text: message }] },
      });
      expect(answer.status).toBe(202);
      await reader.until('"run-end"', runs);
    };
    let asked = 0;
    const health = async () => {
      const id = `health-${++asked}`;
      await request('/v1/pi-server/sessions/s/frames', { id, type: 'health_check' });
      await server.until(`"id":"${id}"`, 1);
      const line = server.frames.find((frame) => frame.includes(`"id":"${id}"`)) ?? '';
      return (JSON.parse(line) as { data: unknown }).data;
    };
    const ready = async () => (await request('/readyz')).status;

    await run('before');
    expect(await ready()).toBe(200);
    disk.isFull = true;
    await run('while it is full');
    await Promise.all(clients.map((client) => client.until(warning, 1)));
    expect([await ready(), board.obstacles()]).toEqual([503, [obstacle]]);
    expect(await health()).toMatchObject({ healthy: false, issues: [obstacle] });
    await run('still full');
    // Tried again, and still full.
    clock.advance(30_000);
    await run('and again');
    expect(await ready()).toBe(503);
    expect(clients.map(({ times }) => times(warning))).toEqual([1, 1]);
    await expect.poll(() => clock.pending).toBeGreaterThan(1);

    disk.isFull = false;
    clock.advance(30_000);
    await expect.poll(ready).toBe(200);
    expect(await health()).toMatchObject({ healthy: true, issues: [] });
    await run('after');
    const [segment = ''] = segmentsIn(folder, 's').slice(-1);
    expect(JSON.parse(readFileSync(segment, 'utf8').split('\n')[0] ?? '')).toMatchObject({ gap: true });

    await journal.close();
    const next = await freshJournal({ folder });
    ends.push(() => next.journal.close());
    const second = start(next.journal);
    expect((await second.request('/v1/sessions/s')).status).toBe(200);
    const told = second.read('canonical');
    for (const words of ['before', 'while it is full', 'still full', 'and again', 'after'])
      expect(
        told.frames.filter((frame) => frame.includes('"message-added"') && frame.includes(`"text":"${words}"`)),
      ).not.toEqual([]);
  },
);
