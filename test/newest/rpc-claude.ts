// Claude Code as the agent behind patchbay-pi, for a tour through the methods of a RpcClient.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { claudeScenarios } from '../claude-code/scenarios.ts';
import { claudeCommand, makeClaudeHome } from '../support/claude-code-rig.ts';
import { patchbayPi, type RealPi, type RpcRig, rig } from '../support/rpc-rig.ts';
import type { Script } from '../support/rpc-tour.ts';

/** Claude Code whose tools run unasked, for the class has no word for an answer. */
export async function claudeRig(Client: RealPi['Client'], binary: string): Promise<RpcRig> {
  const fake = await startFakeAnthropic({ scenarios: claudeScenarios });
  const home = makeClaudeHome({ binary, baseUrl: fake.url });
  const command = claudeCommand(home, { more: ['--allowedTools', 'Bash,Read'] });
  const agents = { claude: { protocol: 'claude', command, cwd: home.project } };
  const config = join(home.dir, 'patchbay.json');
  writeFileSync(config, JSON.stringify({ agents }));
  const client = new Client({
    cliPath: patchbayPi,
    cwd: home.project,
    env: { PATCHBAY_AGENT: '', PATCHBAY_CONFIG: config },
  });
  const script: Script = {
    text: '[[text]] one',
    tools: '[[cc-tools]] two',
    waiting: '[[busy]] three',
    started: ({ type }) => type === 'message_update',
    release: () => {},
    steer: '[[text]] to the left',
    followUp: '[[think]] and then',
    busy: '[[busy]] six',
    endless: '[[hold]] four',
    retry: '[[cc-529]] five',
    bash: 'echo out',
    hangingBash: 'sleep 60',
    model: { provider: 'anthropic', id: 'fake-2' },
    folder: home.project,
  };
  return rig(client, script, home.dir, async () => {
    await fake.close();
    home.remove();
  });
}
