// The same conversation with two versions of pi, taped, and what `patchbay compare` tells of the two tapes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { patchbay } from '../support/command.ts';
import { makePiHome, modelId } from '../support/pi-rig.ts';
import { startLines } from './lines-client.ts';
import { findPi, type Pi, piEnv } from './pis.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-compare-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Tapes a conversation with that pi; the tape. */
async function taped({ name, node, cli }: Pi): Promise<string> {
  const file = join(folder, `${name}.jsonl`);
  const fake = await startFakeAnthropic();
  const home = makePiHome({ baseUrl: fake.url });
  const model = ['--provider', 'fake', '--model', modelId, '--system-prompt', 'You are a test agent.'];
  const pi = [node, cli, '--mode', 'rpc', '--no-session', ...model];
  const lines = startLines([process.execPath, main, 'record', '-o', file, '--', ...pi], {
    cwd: home.project,
    env: piEnv(home.agentDir),
  });
  for (const type of ['get_state', 'get_available_models', 'get_commands']) await lines.ask({ type });
  for (const prompt of ['[[text]]', '[[thinking]]', '[[tools]]']) await lines.run(prompt);
  for (const type of ['get_messages', 'get_session_stats']) await lines.ask({ type });
  await lines.close();
  await fake.close();
  home.remove();
  return file;
}

const [older, newer] = [findPi('pi-0.87'), findPi('pi-newest')];
const reasons = [older, newer].flatMap((one) => ('reason' in one ? [one.reason] : []));

test.skipIf(reasons.length > 0)(`two versions of pi compared ${reasons.join('; ')}`, async () => {
  if ('reason' in older || 'reason' in newer) return;
  const tapes = [await taped(older), await taped(newer)] as const;
  const changed = await patchbay(['compare', ...tapes]);
  console.log(`pi ${older.version} and ${newer.version}\n${changed.stdout}`);
  expect(changed.stderr).toBe('');
  // A version that says the same on the wire changes nothing.
  const count = /^(\d+) changes$/mu.exec(changed.stdout)?.[1] ?? '0';
  expect(changed.code).toBe(Number(count) > 0 ? 1 : 0);
  expect((await patchbay(['compare', tapes[0], tapes[0]])).code).toBe(0);
});
