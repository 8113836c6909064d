// pi-acp, which brings pi to editors of the Agent Client Protocol, with patchbay-pi as its pi in the dialect that a user gets who asks
// for none, in front of all agents.
import { afterAll, beforeAll, describe, test } from 'vitest';
import { patchbayPi } from '../support/rpc-rig.ts';
import { startAcp } from './acp-client.ts';
import { acpDeclared } from './acp-declared.ts';
import { type AcpScene, acpRows } from './acp-rows.ts';
import { type Agents, agentNames, findAgent, startAgents } from './agents.ts';
import { cell } from './cell.ts';

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
  let scene: AcpScene;
  beforeAll(() => {
    const start = () => startAcp(agents.piProgram(name), agents.project, agents.dir);
    scene = {
      editor: start(),
      agent,
      project: agents.project,
      session: '',
      async restart() {
        await scene.editor.close();
        return start();
      },
    };
  });
  afterAll(() => scene.editor.close());
  test.each(Object.entries(acpRows))('%s', async (row, run) => {
    const place = { table: 'pi-acp', row, column: `pi-acp 0.0.34 > ${agent.label}` };
    await cell(place, () => run(scene), acpDeclared(name, row));
  });
});
