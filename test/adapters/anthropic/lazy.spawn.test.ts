// The API's library weighs 27 MB: a gateway loads it with the first request to such an agent, and not before. Seen by a
// hook that hears of every module that a process of its own resolves.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundled } from '../../support/bundled.ts';

const library = '@anthropic-ai/sdk';

/** Writes a line for each module of the library that is asked for. */
const hook = `
  import { writeSync } from 'node:fs';
  export async function resolve(name, context, next) {
    if (name.includes('${library}')) writeSync(2, 'loads ' + name + '\\n');
    return next(name, context);
  }`;

/** A gateway with a demo agent and an API that cannot be reached; each is spoken to in turn. */
const program = `
  import { register } from 'node:module';
  import { writeSync } from 'node:fs';
  register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}));
  const { createGateway, parseConfig } = await import(process.argv[1] + '/index.js');
  const { memoryPair } = await import(process.argv[2] + '/transports/memory.mjs');
  const chat = { protocol: 'anthropic', options: { baseUrl: 'http://127.0.0.1:1', retries: 0 } };
  const gateway = createGateway(parseConfig({ agents: { chat } }), { log: () => {} });
  async function talk(agent, frame, isOver) {
    writeSync(2, 'asks ' + agent + ' ' + frame.type + '\\n');
    const [near, far] = memoryPair();
    const served = gateway.serveClient(near, { frontend: 'pi', agent, options: {} });
    await new Promise((over) => {
      far.open({ frame: ({ text }) => { if (JSON.parse(text).type === isOver) over(); }, fault() {}, end: over });
      far.send(JSON.stringify(frame));
    });
    far.close('normal', 'done');
    await served;
  }
  await talk('demo', { type: 'prompt', message: 'hello' }, 'agent_end');
  await talk('chat', { type: 'get_state' }, 'response');
  await talk('chat', { type: 'prompt', message: 'hello' }, 'agent_end');
  gateway.close('done');
  writeSync(2, 'over\\n');
  process.exit(0);`;

test('a gateway loads the library with the first request, and not before', async () => {
  const dist = fileURLToPath(new URL('../../../dist', import.meta.url));
  const args = ['--input-type=module', '-e', program, dist, await bundled('transports/memory')];
  const lines = await new Promise<string[]>((resolve, reject) => {
    execFile(process.execPath, args, { env: { ...process.env, ANTHROPIC_API_KEY: 'test' } }, (error, _, stderr) => {
      if (error === null) resolve(stderr.trim().split('\n'));
      else reject(new Error(`${error.message}\n${stderr}`));
    });
  });
  const at = lines.findIndex((line) => line.startsWith('loads '));
  expect(lines.slice(0, at)).toEqual(['asks demo prompt', 'asks chat get_state', 'asks chat prompt']);
  expect(lines.slice(at).filter((line) => line === `loads ${library}`)).toHaveLength(1);
  expect(lines.at(-1)).toBe('over');
}, 60_000);
