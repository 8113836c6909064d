// An editor that speaks ECA as those of today do, with patchbay-eca as its server, in front of all agents.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { modern, startEditor } from '../support/eca-client.ts';
import { patchbayPi } from '../support/rpc-rig.ts';
import { type Agents, agentNames, findAgent, idOf, startAgents } from './agents.ts';
import { cell } from './cell.ts';
import { ecaDeclared } from './eca-declared.ts';
import { type EcaScene, ecaRows } from './eca-rows.ts';

const patchbayEca = fileURLToPath(new URL('../../dist/cli/patchbay-eca.js', import.meta.url));

let agents: Agents;
beforeAll(async () => {
  agents = await startAgents(patchbayPi);
});
afterAll(() => agents.close());

describe.each(agentNames)('%s', (name) => {
  const agent = findAgent(name);
  if ('reason' in agent) {
    test.skip(agent.reason, () => {});
    return;
  }
  let scene: EcaScene;
  beforeAll(() => {
    const editor = startEditor(modern, [process.execPath, patchbayEca, 'server'], {
      cwd: agents.project,
      env: { PATCHBAY_CONFIG: agents.config, PATCHBAY_AGENT: idOf(name) },
    });
    scene = { editor, chat: editor.chat(), agent, project: agents.project };
  });
  afterAll(() => scene.editor.close());
  test.each(Object.entries(ecaRows))('%s', async (row, run) => {
    const place = { table: 'ECA editor', row, column: `ECA > ${agent.label}` };
    await cell(place, () => run(scene), ecaDeclared(name, row));
  });
});
