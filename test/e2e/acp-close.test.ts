// An ACP client closes a session: its agent ends unless another client has the session, and what is stored of it can be opened
// again (docs/protocols/acp.md 3.18).
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storedIdsIn } from '../../src/cli/stand-ins/stored-ids.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createGateway, type Gateway } from '../../src/gateway/full-gateway.ts';
import { systemClock } from '../../src/gateway/system-clock.ts';
import { type Journal, openJournal } from '../../src/stores/journal/journal.ts';
import { isRunning } from '../../src/stores/journal/process-identity.ts';
import { connectRaw, type RawAcp } from '../support/acp-raw.ts';
import { at } from '../support/acp-traces.ts';
import { eventually } from '../support/faults/eventually.ts';
import { acpOrderFaults } from '../support/judges/acp-order.ts';
import { acpSchemaFaults } from '../support/judges/acp-schema.ts';
import { startsIn, tellingCommand } from '../support/telling-program.ts';

const script = fileURLToPath(new URL('../support/scripted-acp.mjs', import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-acp-close-')));

const close = async (client: RawAcp, sessionId: string) => (await client.ask('session/close', { sessionId })).result;
const load = (client: RawAcp, sessionId: string, method = 'session/load') =>
  client.ask(method, { sessionId, cwd: folder, mcpServers: [] });
const listed = async (client: RawAcp) =>
  (at((await client.ask('session/list', { cwd: folder })).result, 'sessions') as object[]).map((one) =>
    at(one, 'sessionId'),
  );
/** The words that were told from there on. */
const told = (client: RawAcp, from: number) =>
  client.rows
    .slice(from)
    .map(({ json }) => at(json, 'params', 'update', 'content', 'text') ?? '')
    .join('');

describe.each(['without a journal', 'with a journal'])('%s', (kept) => {
  let record = '';
  let gateway: Gateway;
  let journal: Journal | undefined;
  const clients: RawAcp[] = [];

  beforeEach(async () => {
    const home = mkdtempSync(join(folder, 'run-'));
    record = join(home, 'record');
    if (kept === 'with a journal') journal = await openJournal({ folder: join(home, 'journal'), clock: systemClock });
    const command = tellingCommand(script, record, ['--sessions', `${record}.sessions`]);
    const config = { agents: { one: { protocol: 'acp', command } }, defaultAgent: 'one' };
    gateway = createGateway(parseConfig(config), {
      log: () => {},
      conversations: storedIdsIn(`${record}.conversations`),
      ...(journal === undefined ? {} : { store: journal }),
    });
  });
  afterEach(async () => {
    gateway.close('the test is over');
    await journal?.close();
    journal = undefined;
    for (const { rows } of clients.splice(0)) {
      expect(acpSchemaFaults(rows)).toEqual([]);
      expect(acpOrderFaults(rows, { only: 'out' })).toEqual([]);
    }
  });

  async function connect(): Promise<RawAcp> {
    const client = await connectRaw(gateway);
    clients.push(client);
    return client;
  }
  const lives = ({ pid = Number.NaN }: { pid?: number } = {}) => isRunning(pid, null);
  const gone = (index: number) => eventually('the end of the agent', () => !lives(startsIn(record)[index]));

  it('the agent is gone, the session is still listed, and goes on with its past and another agent', async () => {
    const client = await connect();
    const id = await client.open(folder);
    expect(await client.prompt(id, 'look around')).toBe('end_turn');
    expect(lives(startsIn(record)[0])).toBe(true);
    expect(await close(client, id)).toEqual({});
    await gone(0);
    expect(await client.prompt(id, 'look')).toMatchObject({ code: -32_002 });
    expect(await listed(client)).toEqual([id]);

    const from = client.rows.length;
    expect(await load(client, id)).toHaveProperty('result');
    expect(told(client, from)).toContain('look around');
    expect(told(client, from)).toContain('There are three cables.');
    expect(await client.prompt(id, 'look')).toBe('end_turn');
    expect(startsIn(record)).toHaveLength(2);

    expect(await close(client, id)).toEqual({});
    await gone(1);
    expect(await load(client, id, 'session/resume')).toHaveProperty('result');
    expect(await client.prompt(id, 'look')).toBe('end_turn');
  });

  it.each(['hang', 'ask'])('an open run ends first (%s), then its agent', async (words) => {
    const client = await connect();
    const id = await client.open(folder);
    const turn = client.prompt(id, words);
    const isUnderWay = ({ method, params }: { method?: unknown; params?: unknown }) =>
      method === 'session/request_permission' ||
      at(params, 'update', 'content') !== undefined ||
      at(params, 'update', 'status') === 'in_progress';
    await client.until('the run', isUnderWay);
    const ends: unknown[] = [];
    await Promise.all([
      turn.then((reason) => ends.push(reason)),
      close(client, id).then((answer) => ends.push(answer)),
    ]);
    expect(ends).toEqual(['cancelled', {}]);
    await gone(0);
  });

  it('a session of two clients stays with the other one, in the same process, until that one closes it too', async () => {
    const [one, two] = [await connect(), await connect()];
    const id = await one.open(folder);
    expect(await one.prompt(id, 'look')).toBe('end_turn');
    expect(await load(two, id)).toHaveProperty('result');
    expect(await close(one, id)).toEqual({});
    expect(await two.prompt(id, 'look')).toBe('end_turn');
    expect(startsIn(record)).toHaveLength(1);
    expect(await close(two, id)).toEqual({});
    await gone(0);
  });
});
