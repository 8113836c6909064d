// `patchbay serve` without a free file descriptor (docs/faults.md F31): the new agent is refused, the others go on.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';

const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const pi = fileURLToPath(new URL('../../support/scripted-pi.mjs', import.meta.url));
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
const why = hasPrlimit ? '' : ' (skipped: this machine has no prlimit)';

interface Client {
  prompt(text: string): void;
  /** The first frame that matches, of those not given out yet. */
  next(pattern: RegExp): Promise<string>;
}

async function connect(url: string, token: string, agent: string): Promise<Client> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/pi/ws?agent=${agent}`, [`bearer.${token}`, 'patchbay']);
  const frames: string[] = [];
  let wake = () => {};
  socket.on('message', (data) => {
    frames.push(String(data));
    wake();
  });
  await once(socket, 'open');
  return {
    prompt: (message) => socket.send(JSON.stringify({ type: 'prompt', message })),
    async next(pattern) {
      for (;;) {
        const frame = frames.shift();
        if (frame === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else if (pattern.test(frame)) return frame;
      }
    },
  };
}

it.skipIf(!hasPrlimit)(`refuses an agent, keeps the other sessions, and starts agents again${why}`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-descriptors-'));
  const config = join(folder, 'patchbay.json');
  writeFileSync(config, JSON.stringify({ agents: { child: { protocol: 'pi', command: [process.execPath, pi] } } }));
  const server = spawn(process.execPath, [main, 'serve', '--json', '--config', config], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const limitFiles = (soft: number) => execFileSync('prlimit', ['--pid', String(server.pid), `--nofile=${soft}:`]);
  try {
    const [line] = await once(server.stdout, 'data');
    const { url, token } = JSON.parse(String(line)) as { url: string; token: string };
    const running = await connect(url, token, 'demo');
    const refused = await connect(url, token, 'child');
    running.prompt('slow 200');
    await running.next(/text_delta/u);
    // Lower than every free descriptor, so that not one more can be opened.
    limitFiles(3);
    refused.prompt('hello');
    expect(JSON.parse(await refused.next(/EMFILE/u))).toMatchObject({
      type: 'response',
      success: false,
      error: expect.stringMatching(/could not be started: spawn .* EMFILE \(this process may open no more files/u),
    });
    await running.next(/text_delta/u);
    limitFiles(1024);
    refused.prompt('hello');
    expect(await refused.next(/"success":/u)).toMatch(/"success":true/u);
    await running.next(/"type":"agent_end"/u);
    expect(server.exitCode).toBeNull();
  } finally {
    server.kill('SIGTERM');
    await once(server, 'close');
  }
});
