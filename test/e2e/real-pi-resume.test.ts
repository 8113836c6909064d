// The real pi is killed, and the next pi goes on with its session: the model gets what was said before (docs/faults.md F1).
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { beginsAnew } from '../../src/core/contract/adapter/stored-conversations.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { makePiHome, type PiHome, piCommand } from '../support/pi-rig.ts';
import type { RelayClient } from '../support/relay.ts';
import { isOver, onNetwork, openGateway, prompt, useRelay } from '../support/relay-rig.ts';
import { startsIn, tellingCommand } from '../support/telling-program.ts';

useRelay();

let fake: FakeAnthropic;
let home: PiHome;
beforeAll(async () => {
  fake = await startFakeAnthropic();
  home = makePiHome({ baseUrl: fake.url });
  // Where the gateway looks for the files of a pi with that home.
  mkdirSync(join(home.dir, '.pi'));
  symlinkSync(home.agentDir, join(home.dir, '.pi', 'agent'));
});
afterAll(async () => {
  await fake.close();
  home.remove();
});

async function run(client: RelayClient, session: string, text: string): Promise<void> {
  const seen = client.told.length;
  expect(await client.ask(prompt(text), session)).toMatchObject({ ok: true });
  await client.hear('its run', (told) => client.told.indexOf(told) >= seen && isOver(session)(told));
}

/** What the model was sent with that prompt. */
const sentWith = (text: string) =>
  JSON.stringify(fake.requests.find(({ body }) => JSON.stringify(body.messages.at(-1)).includes(text))?.body.messages);

/** pi with its session files, which the usual command switches off. */
function piAgent() {
  const { argv, env } = piCommand(home);
  const [script = '', ...args] = argv.slice(5).filter((word) => word !== '--no-session');
  const record = join(home.dir, 'starts');
  const agent = { protocol: 'pi', command: tellingCommand(script, record, args), cwd: home.project };
  const config = { agents: { pi: { ...agent, env: { ...env, HOME: home.dir } } }, defaultAgent: 'pi' };
  return { config, starts: () => startsIn(record) };
}

test('a killed pi: the next one knows what was said, and so does one that is opened by the path of the file', async () => {
  const { config, starts } = piAgent();
  const { gateway } = openGateway(config);
  const client = onNetwork(gateway);
  const session = await client.open();
  client.say({ watch: session, as: session });
  await run(client, session, '[[text]] my number is 4711');
  process.kill(starts()[0]?.pid ?? Number.NaN, 'SIGKILL');
  await client.hear('that it is gone', ({ event }) => event?.type === 'agent-changed' && event.state === 'down');
  await run(client, session, '[[text]] which was it?');

  const [option, file = ''] = starts()[1]?.argv.slice(-2) ?? [];
  expect(option).toBe('--session');
  expect(sentWith('which was it?')).toContain('4711');
  expect(client.told.filter(({ event }) => event?.text === beginsAnew)).toEqual([]);

  await client.ask({ type: 'delete-session' }, session);
  const { id } = await gateway.board.resumeSession({ resume: file }, owner);
  client.say({ watch: id, as: id });
  await run(client, id, '[[text]] and now?');
  expect(sentWith('and now?')).toContain('4711');
  expect(client.told.some(({ of, event }) => of === id && JSON.stringify(event).includes('4711'))).toBe(true);
});
