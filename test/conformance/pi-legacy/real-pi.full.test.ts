// The real pi 0.13.2 with a fake model passes every MUST and SHOULD of pi-legacy; its behaviour defines the protocol.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeAnthropic } from '../../../src/conformance/model/endpoint.ts';
import { piLegacyAgent } from '../../../src/conformance/pi-legacy/agent.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import { modelScript } from '../../../src/conformance/runner/scripts.ts';
import { makePiHome, type PiHome, piCommand } from '../../support/pi-rig.ts';

let home: PiHome;
let close: () => Promise<void>;
beforeAll(async () => {
  const fake = await startFakeAnthropic();
  home = makePiHome({ baseUrl: fake.url, part: 'pi-legacy' });
  close = fake.close;
});
afterAll(async () => {
  await close();
  home.remove();
});

test('pi 0.13.2', { timeout: 120_000 }, async () => {
  const { argv, env } = piCommand(home);
  const [program = '', ...words] = argv;
  const results = await runChecks(
    piLegacyAgent,
    {
      label: 'pi 0.13.2',
      script: modelScript,
      stdio: { command: [program, ...words], cwd: home.project, env },
    },
    { patienceMs: 20_000, atOnce: 3 },
  );
  const of = (...verdicts: readonly string[]) =>
    results
      .filter(({ verdict }) => verdicts.includes(verdict))
      .map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason}`);
  expect(of('failed', 'unclear')).toEqual([]);
  expect(of('not-applicable')).toEqual([]);
});
