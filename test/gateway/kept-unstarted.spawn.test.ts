// A kept session whose agent cannot be started at the moment: it stays, and goes on when its agent is there again
// (docs/faults.md F3, F23).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { GatewayApi } from '../../src/core/contract/gateway/gateway-api.ts';
import { owner } from '../../src/core/contract/principal.ts';
import type { Command } from '../../src/core/model/command.ts';
import { createMemoryStore } from '../../src/stores/memory-store.ts';
import type { RelayClient } from '../support/relay.ts';
import { onNetwork, openGateway, prompt, useRelay } from '../support/relay-rig.ts';

useRelay();

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-kept-unstarted-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const demo = { protocol: 'demo', options: { paceMs: 0 } };
const absent = { protocol: 'pi', command: ['/no/such/program'] };

test.each([true, false])(
  'a session that is woken stays if its agent cannot be started (described: %s)',
  async (describe) => {
    const store = createMemoryStore();
    /** Of the latest gateway. */
    let board: GatewayApi | undefined;
    /** A client of the next gateway, with that agent: the one before was killed. */
    async function restart(agent: object): Promise<RelayClient> {
      await store.close();
      const config = { sessionDirectory: folder, agents: { one: agent }, defaultAgent: 'one' };
      const { gateway } = openGateway(config, { store });
      ({ board } = gateway);
      return onNetwork(gateway);
    }
    const first = await restart(demo);
    await first.open({ id: 'a', keep: true });
    const whole: Command = { type: 'prompt', content: [{ type: 'text', text: 'hello' }], untilIdle: true };
    expect(await first.ask(whole, 'a')).toMatchObject({ ok: true });
    // The file follows the log.
    await board?.whenKept?.('a', owner);
    const stored = async (client: RelayClient) =>
      z
        .object({ sessions: z.array(z.looseObject({ id: z.string(), file: z.string() })) })
        .parse((await client.ask({ type: 'list-stored-sessions' })).data).sessions;
    const [{ file: path = 'none' } = {}] = await stored(first);

    const second = await restart(absent);
    const load = { type: 'load-session', path, describe, keep: true } as const;
    await second.ask(load);
    const refused = await second.ask(prompt('nobody hears'), 'a');
    expect(refused).toMatchObject({ ok: false, message: expect.stringContaining('/no/such/program') });
    expect(await stored(second)).toMatchObject([{ id: 'a', file: path }]);

    const third = await restart(demo);
    expect(await third.ask(load)).toMatchObject({ ok: true, data: { session: { id: 'a' } } });
    expect(await third.ask(prompt('and again'), 'a')).toMatchObject({ ok: true });
  },
);
