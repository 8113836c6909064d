// A conversation that an ACP agent keeps goes on when a program on the Agent SDK, or an ECA editor, starts again the next day.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { rowsIn } from '../../support/acp-traces.ts';
import { acpSchemaFaults } from '../../support/judges/acp-schema.ts';
import { startsIn, tellingCommand } from '../../support/telling-program.ts';
import { startEca, startSdk } from '../../support/three-clients.ts';

const script = fileURLToPath(new URL('../../support/scripted-acp.mjs', import.meta.url));

test.each([
  ['the Agent SDK', startSdk],
  ['an ECA editor', startEca],
])('%s goes on with its conversation', async (_, start) => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-resumed-'));
  const record = join(folder, 'record');
  const config = join(folder, 'patchbay.json');
  const command = tellingCommand(script, record, ['--sessions', `${record}.sessions`]);
  writeFileSync(config, JSON.stringify({ agents: { one: { protocol: 'acp', command } } }));
  const place = { config, agent: 'one', cwd: folder, env: { XDG_STATE_HOME: folder } };

  const before = await start(place);
  expect(await before.run('look')).toContain('There are three cables.');
  const conversation = await before.conversation();
  await before.close();
  const later = await start(place, conversation);
  expect(await later.run('look again')).toContain('There are three cables.');
  await later.close();

  for (const { sent } of startsIn(record)) expect(acpSchemaFaults(rowsIn('in', sent))).toEqual([]);
  // An editor has an agent for its settings as well.
  const loaded = startsIn(record).filter(({ sent }) => sent.includes('"method":"session/load"'));
  expect(loaded.map(({ sent }) => sent.includes('look again'))).toEqual([true]);
});
