// The real pi, taped between its own RpcClient and itself; then its RpcClient in front of the tape.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { compareTapes } from '../../src/tape/comparison.ts';
import { readTape, type TapeFrame } from '../../src/tape/reader.ts';
import { patchbay } from '../support/command.ts';
import { makePiHome, modelId } from '../support/pi-rig.ts';
import { RpcClient } from '../support/rpc-tour.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const pi = fileURLToPath(new URL('../../node_modules/pi-modern/dist/cli.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-live-'));

/** A program that the client can start: `patchbay` with these words; the client's own follow if `isPassed`. */
function programOf(name: string, words: readonly string[], isPassed: boolean): string {
  const file = join(folder, `${name}.mjs`);
  const own = isPassed ? '...process.argv.slice(2)' : '';
  const argv = `[process.argv[0], ${JSON.stringify(main)}, ...${JSON.stringify(words)}, ${own}]`;
  writeFileSync(file, `process.argv = ${argv};\nawait import(${JSON.stringify(main)});\n`);
  return file;
}

/** What a client of pi asks and hears. */
async function conversation(cliPath: string, cwd: string, env: Record<string, string>): Promise<unknown[]> {
  const args = ['--no-session', '--system-prompt', 'You are a test agent.'];
  const client = new RpcClient({ cliPath, cwd, env, provider: 'fake', model: modelId, args });
  const heard: unknown[] = [];
  await client.start();
  client.onEvent((event) => heard.push(event));
  heard.push(await client.getState());
  for (const prompt of ['[[tools]] one', '[[text]] two'])
    heard.push(await client.promptAndWait(prompt, undefined, 60_000));
  heard.push(await client.getLastAssistantText(), await client.getMessages());
  await client.stop();
  return heard;
}

const framesOf = (file: string): readonly TapeFrame[] => readTape(readFileSync(file, 'utf8')).frames;
const said = (frames: readonly TapeFrame[], dir: string) =>
  frames.filter((frame) => frame.dir === dir).map(({ text }) => text);

it('record, replay, record: the client hears the same, and both tapes hold the same bytes', async () => {
  const fake = await startFakeAnthropic();
  const home = makePiHome({ baseUrl: fake.url });
  const [first, second] = [join(folder, 'first.jsonl'), join(folder, 'second.jsonl')];
  const env = { PI_CODING_AGENT_DIR: home.agentDir, PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' };
  const live = programOf('live', ['record', '-o', first, '--', process.execPath, pi], true);
  const heardLive = await conversation(live, home.project, env);
  await fake.close();
  const played = ['record', '-o', second, '--', process.execPath, main, 'replay', first, '--speed', 'max'];
  const heardTaped = await conversation(programOf('taped', played, false), home.project, {});
  home.remove();
  expect(heardLive.length).toBeGreaterThan(20);
  expect(heardTaped).toEqual(heardLive);
  const tapes = [framesOf(first), framesOf(second)] as const;
  expect(said(tapes[1], 'in')).toEqual(said(tapes[0], 'in'));
  expect(said(tapes[1], 'out')).toEqual(said(tapes[0], 'out'));
  expect(compareTapes(...tapes)).toEqual([]);
  expect(await patchbay(['compare', first, second])).toEqual({
    code: 0,
    stdout: 'nothing changed on the wire\n',
    stderr: '',
  });
});
