// The newest pi by itself against the same pi behind the gateway: equal, line for line, but for ids and times, and for what is
// declared here with its reason.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import type { Frame } from '../support/inbox.ts';
import { makePiHome, modelId, type PiHome, prices } from '../support/pi-rig.ts';
import { patchbayPi } from '../support/rpc-rig.ts';
import type { ScriptedApi } from '../support/scripted-api.ts';
import { cell } from './cell.ts';
import { differences } from './fidelity-declared.ts';
import { comparableLines, isSame } from './fidelity-lines.ts';
import { fidelityScenarios, pixel, startRawModel } from './fidelity-model.ts';
import { groups } from './fidelity-scenarios.ts';
import { type Lines, startLines } from './lines-client.ts';
import { findPi, type Pi, piEnv } from './pis.ts';

const questions = fileURLToPath(new URL('./questions-extension.ts', import.meta.url));
const pi = findPi('pi-newest');

/** A model server for one way, so that both are told the same numbers of messages and calls. */
interface Setting {
  readonly home: PiHome;
  readonly fake: FakeAnthropic;
  readonly raw: ScriptedApi;
}
async function startSetting(): Promise<Setting> {
  const fake = await startFakeAnthropic({ scenarios: fidelityScenarios });
  const raw = await startRawModel();
  const home = makePiHome({ baseUrl: fake.url });
  const common = { reasoning: true, input: ['text', 'image'], cost: prices, contextWindow: 200_000, maxTokens: 16_384 };
  const provider = (baseUrl: string, ...ids: string[]) => ({
    baseUrl,
    apiKey: 'test',
    api: 'anthropic-messages',
    models: ids.map((id) => ({ id, name: `Model ${id}`, ...common })),
  });
  const providers = { fake: provider(fake.url, modelId, 'fake-2'), raw: provider(raw.url, 'raw-1') };
  writeFileSync(join(home.agentDir, 'models.json'), JSON.stringify({ providers }));
  writeFileSync(join(home.project, 'pixel.png'), Buffer.from(pixel, 'base64'));
  return { home, fake, raw };
}

// Both run on the Node of that pi, whose words for broken JSON are its own.
function start({ node, cli }: Pi, { home }: Setting, how: 'direct' | 'behind'): Lines {
  const words = ['--mode', 'rpc', '--provider', 'fake', '--model', modelId, '-e', questions];
  const agents = { real: { protocol: 'pi', command: [node, cli] } };
  const config = join(mkdtempSync(join(home.dir, 'config-')), 'patchbay.json');
  writeFileSync(config, JSON.stringify({ agents }));
  const env = {
    ...piEnv(home.agentDir),
    PATCHBAY_CONFIG: config,
    PATCHBAY_AGENT: '',
    PATCHBAY_PI_DIALECT: 'delta-only',
  };
  const argv = how === 'direct' ? [node, cli, ...words] : [node, patchbayPi, ...words];
  return startLines(argv, { cwd: home.project, env });
}

/** The lines that each scenario of a group brought, in their comparable form; a scenario that failed has its sentence. */
async function walk(real: Pi, group: string, how: 'direct' | 'behind'): Promise<Map<string, readonly unknown[]>> {
  const setting = await startSetting();
  const lines = start(real, setting, how);
  const values = new Map<string, readonly unknown[]>();
  try {
    for (const [name, scenario] of Object.entries(groups[group] ?? {})) {
      const from = lines.frames.length;
      let failure: string[] = [];
      try {
        await scenario({ pi: lines, project: setting.home.project });
        // Lines that are nobody's answer come before the answer to a question behind them.
        await lines.ask({ type: 'get_state' });
      } catch (thrown) {
        failure = [thrown instanceof Error ? thrown.message : String(thrown)];
      }
      const brought: readonly Frame[] = lines.frames.slice(from);
      values.set(name, [...comparableLines(brought, setting.home.dir), ...failure]);
    }
  } finally {
    await lines.close();
    await setting.fake.close();
    await setting.raw.close();
    setting.home.remove();
  }
  return values;
}

if ('reason' in pi) test.skip(pi.reason, () => {});
else
  describe.each(Object.keys(groups))('%s', (group) => {
    let direct: Map<string, readonly unknown[]>;
    let behind: Map<string, readonly unknown[]>;
    beforeAll(async () => {
      [direct, behind] = await Promise.all([walk(pi, group, 'direct'), walk(pi, group, 'behind')]);
    });
    test.each(Object.keys(groups[group] ?? {}))('%s', async (name) => {
      const column = `pi ${pi.version} behind the gateway, line for line`;
      const [own, due] = [behind.get(name) ?? [], direct.get(name) ?? []];
      const declared = differences.get(name);
      expect(due.length).toBeGreaterThan(0);
      await cell({ table: 'pi > Patchbay > pi', row: name, column }, () => isSame(own, due), declared);
    });
  });
