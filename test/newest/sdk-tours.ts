// One Agent SDK in front of all agents. One test for each row and agent.
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import type { ProgramName } from '../support/programs.ts';
import { patchbayPi } from '../support/rpc-rig.ts';
import { type Agents, agentNames, findAgent, startAgents } from './agents.ts';
import { cell } from './cell.ts';
import { sdkDeclared } from './sdk-declared.ts';
import { createScene, rows, type Scene } from './sdk-rows.ts';
import { loadSdk } from './sdk-talk.ts';

/** Defines the tests of that SDK. */
export function tours(name: Extract<ProgramName, `sdk-${string}`>): void {
  const found = inject('programs')[name];
  if ('reason' in found) {
    test.skip(`${name}: ${found.reason}`, () => {});
    return;
  }
  // The older one has no such option.
  const rowsFor = Object.entries(rows).filter(
    ([row]) => name === 'sdk-newest' || !row.startsWith('mcpServersDelivery'),
  );
  let agents: Agents;
  beforeAll(async () => {
    agents = await startAgents(patchbayPi);
  });
  afterAll(() => agents.close());

  describe.each(agentNames)('%s', (agentName) => {
    const agent = findAgent(agentName);
    if ('reason' in agent) {
      test.skip(agent.reason, () => {});
      return;
    }
    let scene: Scene;
    beforeAll(async () => {
      scene = createScene(await loadSdk(found.folder), agent, agents);
    });
    afterAll(() => scene.close());
    test.each(rowsFor)('%s', async (row, run) => {
      const place = { table: 'Agent SDK', row, column: `SDK ${found.version} > ${agent.label}` };
      await cell(place, () => run(scene), sdkDeclared(agentName, row));
    });
  });
}
