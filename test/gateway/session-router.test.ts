// Clients with many sessions on one connection, at a whole gateway: which sessions they may open, and what the end of a
// session or a connection means for the others. The clients speak a test protocol that carries the gateway's own
// commands.

import { describe, expect, test } from 'vitest';
import { owner } from '../../src/core/contract/principal.ts';
import type { Gateway, StartOptions } from '../../src/gateway/gateway.ts';
import type { RelayClient } from '../support/relay.ts';
import { isOver, onStdio, onWebSocket, openGateway, prompt, useRelay } from '../support/relay-rig.ts';

useRelay();

const transports: readonly [string, (gateway: Gateway) => RelayClient | Promise<RelayClient>][] = [
  ['stdio', onStdio],
  ['websocket', onWebSocket],
];

describe.each(transports)('over %s', (_, connect) => {
  test('two sessions at once, each under its own name and with its own words', async () => {
    const client = await connect(openGateway().gateway);
    const ids = [await client.open(), await client.open()];
    const names = ['one', 'two'];
    for (const [at, name] of names.entries()) {
      client.say(
        { watch: ids[at] ?? '', as: name },
        { deliver: prompt(`the prompt of ${name} long 300`), session: ids[at] },
      );
    }
    for (const name of names) await client.hear(`the end of ${name}`, isOver(name));
    for (const [at, name] of names.entries()) {
      expect(client.words(name)).toContain(`the prompt of ${name}`);
      expect(client.words(name)).not.toContain(`the prompt of ${names[1 - at]}`);
      expect(client.events(name).filter((type) => type.startsWith('run'))).toEqual(['run-start', 'run-end']);
    }
    const deltas = (name: string) => client.events(name).filter((type) => type === 'block-delta').length;
    expect(deltas('one')).toBe(deltas('two'));
  });

  test('one is deleted: its client hears the answer and then of its end, and the other goes on', async () => {
    const client = await connect(openGateway().gateway);
    const [gone = '', kept = ''] = [await client.open(), await client.open()];
    client.say({ watch: gone }, { watch: kept });
    const answer = await client.ask({ type: 'delete-session' }, gone);
    expect(answer).toMatchObject({ ok: true });
    const over = await client.hear('its end', ({ over }) => over !== undefined);
    expect(over).toEqual({ over: gone, reason: 'the session was deleted' });
    expect(client.told.indexOf(over)).toBeGreaterThan(client.told.indexOf(answer));
    expect(await client.ask(prompt('late'), gone)).toMatchObject({ ok: false, code: 'not-found' });
    client.say({ watch: gone });
    await client.hear('that it is not there', ({ reason }) => reason === `session ${gone} not found`);
    expect(await client.ask(prompt('hello'), kept)).toMatchObject({ ok: true });
    await client.hear('the other', isOver(kept));
  });

  test('the agent of one dies: the other does not hear of it', async () => {
    const client = await connect(openGateway().gateway);
    const [dying = '', living = ''] = [await client.open(), await client.open()];
    client.say({ watch: dying }, { watch: living });
    client.say({ deliver: prompt('slow 5 long 20'), session: living }, { deliver: prompt('die'), session: dying });
    await client.hear('the death', ({ of, event }) => of === dying && event?.type === 'agent-changed');
    await client.hear('the other', isOver(living));
    expect(client.events(living)).not.toContain('agent-changed');
    expect(client.told.find(isOver(living))).toMatchObject({ event: { outcome: 'completed' } });
    expect(await client.ask(prompt('again'), dying)).toMatchObject({ ok: true });
  });

  test('no more sessions than the gateway may have (docs/threats.md T32); one that is deleted makes room', async () => {
    const client = await connect(openGateway({ limits: { sessions: 2 } }).gateway);
    const first = await client.open();
    await client.open();
    expect(await client.ask({ type: 'create-session' })).toMatchObject({ ok: false, code: 'limit' });
    await client.ask({ type: 'delete-session' }, first);
    expect(await client.ask({ type: 'create-session' })).toMatchObject({ ok: true });
  });

  test('an id of its own, if it is free and one that may stand anywhere (docs/threats.md T9)', async () => {
    const client = await connect(openGateway().gateway);
    const id = `${'a'.repeat(63)}_`;
    expect(await client.open({ id })).toBe(id);
    expect(await client.ask({ type: 'create-session', id })).toMatchObject({ code: 'conflict' });
    for (const wrong of ['', 'a b', '../up', 'a/b', 'é', 'a\n', '.', '..', '.a', 'a'.repeat(257), '__proto__\0']) {
      const answer = await client.ask({ type: 'create-session', id: wrong });
      expect({ wrong, ...answer }).toMatchObject({ wrong, ok: false, code: 'invalid' });
    }
  });

  test('a name of its own for what it watches, within bounds', async () => {
    const client = await connect(openGateway().gateway);
    const id = await client.open();
    const wrong = ['', 'a'.repeat(257), 'two\nlines', 'a\u2028b', 'half \ud800', '\u0000'];
    for (const as of wrong) client.say({ watch: id, as });
    const right = [' é 😀 " ', 'a'.repeat(256), '__proto__'];
    for (const as of right) client.say({ watch: id, as });
    await client.ask({ type: 'set-name', name: 'x' }, id);
    await client.hear('the last name', ({ of }) => of === '__proto__');
    const reason = 'a session name must be 1 to 256 printable characters';
    expect(client.told.filter(({ over }) => over !== undefined)).toEqual(wrong.map(() => ({ over: id, reason })));
    for (const as of right)
      expect(await client.ask({ type: 'query', subject: 'last-text' }, as)).toMatchObject({ ok: true });
  });

  test('a command that names no session, or none that there is', async () => {
    const client = await connect(openGateway().gateway);
    expect(await client.ask(prompt('hello'))).toMatchObject({ code: 'invalid', message: 'prompt without a session' });
    expect(await client.ask(prompt('hello'), 'nowhere')).toMatchObject({ code: 'not-found' });
  });

  test('the gateway closes: every session is told of, and then the connection ends', async () => {
    const { gateway } = openGateway();
    const client = await connect(gateway);
    const id = await client.open();
    client.say({ watch: id });
    await client.ask(prompt('hang'), id);
    gateway.close('the gateway is shutting down');
    await client.end();
    expect(client.told.slice(-2)).toMatchObject([
      { of: id, event: { type: 'run-end', outcome: 'aborted' } },
      { over: id, reason: 'the gateway is shutting down' },
    ]);
  });

  test('the gateway drains: what runs ends, nothing is opened any more', async () => {
    const { gateway } = openGateway();
    const client = await connect(gateway);
    const id = await client.open();
    client.say({ watch: id });
    await client.ask(prompt('slow 5 long 20'), id);
    const drained = gateway.drain('the gateway is shutting down', 60_000);
    expect(await client.ask({ type: 'create-session' })).toMatchObject({ code: 'shutting-down' });
    expect(await client.ask(prompt('late'), id)).toMatchObject({ code: 'shutting-down' });
    await drained;
    await client.end();
    expect(client.told.find(isOver(id))).toMatchObject({ event: { outcome: 'completed' } });
  });
});

describe('a client that owns the process', () => {
  test('takes its sessions with it', async () => {
    const { gateway } = openGateway();
    const client = onStdio(gateway);
    const id = await client.open();
    await client.open();
    await client.ask(prompt('hang'), id);
    client.leave();
    await client.served;
    expect(gateway.board.sessions(owner)).toEqual([]);
  });

  test('says nothing more: it is served to the end, also in sessions that are opened later, and asked nothing', async () => {
    const { gateway } = openGateway();
    const client = onStdio(gateway);
    const later = [
      { deliver: { type: 'create-session', id: 'two' } as const },
      { watch: 'two' },
      { deliver: prompt('ask'), session: 'two', tag: 'last' },
    ];
    client.say(
      { deliver: { type: 'create-session', id: 'one' } },
      { watch: 'one' },
      { deliver: prompt('slow 5 long 20'), session: 'one' },
      // This prompt waits for the first one, and the lines of `next` wait for this prompt.
      { deliver: prompt('hello'), session: 'one', next: later },
    );
    client.half();
    await client.served;
    await client.end();
    expect(client.told.find(({ tag }) => tag === 'last')).toMatchObject({ ok: true });
    expect(client.events('one').filter((type) => type === 'run-end')).toHaveLength(2);
    expect(client.events('two').at(-1)).toBe('run-end');
    expect(client.told.find(({ event }) => event?.type === 'approval-end')).toMatchObject({
      event: { outcome: 'expired' },
    });
    expect(gateway.board.sessions(owner)).toEqual([]);
  });

  test('says nothing at all', async () => {
    const client = onStdio(openGateway().gateway);
    client.half();
    await client.served;
    expect(client.told).toEqual([]);
  });

  test('each of its sessions begins as the first one does, unattended if it is so, and tells when its agent is gone', async () => {
    const settled: unknown[] = [];
    const lost: unknown[] = [];
    const opening: StartOptions = {
      commands: [{ type: 'set-name', name: 'begun' }],
      settled: ({ type }, { ok }) => settled.push([type, ok]),
      lost: (sentence, wasSilent) => lost.push([sentence, wasSilent]),
      isUnattended: true,
    };
    const client = onStdio(openGateway().gateway, opening);
    const [asking = '', dying = ''] = [await client.open(), await client.open()];
    expect(settled).toEqual([
      ['set-name', true],
      ['set-name', true],
    ]);
    client.say({ watch: asking }, { watch: dying });
    await client.ask(prompt('ask'), asking);
    await client.hear('the denial', ({ event }) => event?.type === 'approval-end' && event.outcome === 'expired');
    await client.ask(prompt('die'), dying);
    await client.hear('the death', ({ of, event }) => of === dying && event?.type === 'agent-changed');
    expect(lost).toEqual([[expect.any(String), false]]);
  });
});
