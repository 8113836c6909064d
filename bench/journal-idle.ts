// What 10,000 idle sessions cost `patchbay serve --journal`: memory while they are open, the start after SIGKILL, and the list
// in pages. `npm run bench:journal-idle -- [sessions]` prints the figures.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patchbay, residentOf, start } from './processes.ts';

const sessions = Number(process.argv[2] ?? 10_000);
const inFlight = 32;
const folder = mkdtempSync(join(tmpdir(), 'patchbay-bench-idle-'));
const config = join(folder, 'patchbay.json');
writeFileSync(config, JSON.stringify({ limits: { sessions: sessions + 1 }, journal: join(folder, 'journal') }));

const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
const tell = (what: string, figure: string) => process.stdout.write(`${what.padEnd(48)} ${figure}\n`);

/** Serves until it is stopped. `ms`: from the start of the process to its ready line. */
async function serve() {
  const from = performance.now();
  const server = start([process.execPath, patchbay, 'serve', '--json', '--config', config], { stderr: 'ignore' });
  const said = await server.until('"ready"');
  const ms = performance.now() - from;
  const { url, token } = JSON.parse(Buffer.concat(said).toString());
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${url}${path}`, { headers, ...init });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json() as Promise<{ sessions: unknown[]; next?: string }>;
  };
  return { server, ms, ask };
}

try {
  const first = await serve();
  tell('memory of an empty gateway', mebibytes(residentOf(first.server.pid)));
  const from = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let id = next++; id < sessions; id = next++)
        await first.ask('/v1/sessions', { method: 'POST', body: JSON.stringify({ id: `s${id}` }) });
    }),
  );
  tell(`${sessions} sessions are made`, `${((performance.now() - from) / 1000).toFixed(1)} s`);
  tell('memory with all of them open', mebibytes(residentOf(first.server.pid)));
  first.server.signal('SIGKILL');
  await first.server.stop();

  const second = await serve();
  tell('start after SIGKILL, to the ready line', `${second.ms.toFixed(0)} ms`);
  tell('memory after the start', mebibytes(residentOf(second.server.pid)));
  const pages: number[] = [];
  let count = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const at = performance.now();
    const page: { sessions: unknown[]; next?: string } = await second.ask(
      `/v1/sessions?limit=100${after === '' ? '' : `&after=${after}`}`,
    );
    pages.push(performance.now() - at);
    count += page.sessions.length;
    after = page.next;
  }
  pages.sort((a, b) => a - b);
  tell(
    `${count} sessions in ${pages.length} pages of 100`,
    `median ${pages[pages.length >> 1]?.toFixed(1)} ms, worst ${pages.at(-1)?.toFixed(1)} ms`,
  );
  const woken = performance.now();
  await second.ask('/v1/sessions/s0');
  tell('one of them is opened', `${(performance.now() - woken).toFixed(1)} ms`);
  tell('memory after that', mebibytes(residentOf(second.server.pid)));
  await second.server.stop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
