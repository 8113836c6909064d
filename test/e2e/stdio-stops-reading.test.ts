// The only client, on stdio, stops reading in the middle of a flood: the agent waits, memory stays flat, nothing is lost
// (docs/faults.md F20).
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { within } from '../../src/conformance/bounded-wait.ts';

const patchbay = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const agent = fileURLToPath(new URL('../support/flooding-pi.mjs', import.meta.url));
const updates = 10_000;
const bytes = updates * 10_000;
/** What may be on its way: the gateway's window, its buffers and those of the system. */
const mostOnTheWay = 32 * 1024 * 1024;

test('a client that stops reading', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'patchbay-slow-'));
  const told = path.join(folder, 'told');
  writeFileSync(told, '');
  const args = [patchbay, 'stdio', '--frontend', 'pi', '--backend', 'pi', '--', process.execPath, agent];
  const gateway = spawn(process.execPath, [...args, `${updates}`, told], { stdio: ['pipe', 'pipe', 'inherit'] });
  const watchers = new Set<() => void>();
  const watcher = watch(folder, () => {
    for (const look of watchers) look();
  });
  try {
    // Nothing is read from now on.
    gateway.stdin.write('{"id":"1","type":"prompt","message":"go"}\n');
    const stuckAt = await within('an agent that waits', watchers, () => {
      const found = /^stuck (\d+)$/mu.exec(readFileSync(told, 'utf8'));
      return found === null ? undefined : Number(found[1]);
    });
    expect(stuckAt * 10_000).toBeLessThan(Math.min(mostOnTheWay, bytes / 2));
    const memory = memoryOf(gateway.pid);
    if (memory !== null) expect(memory).toBeLessThan(300 * 1024 * 1024);

    let text = '';
    const lines: string[] = [];
    for await (const chunk of gateway.stdout.setEncoding('utf8')) {
      const parts = (text + chunk).split('\n');
      text = parts.pop() ?? '';
      lines.push(...parts);
      if (parts.some((line) => line.includes('"type":"agent_end"'))) break;
    }
    const numbers = lines.flatMap((line) => /"text":"(\d+) x/u.exec(line)?.slice(1) ?? []).map(Number);
    expect(numbers).toEqual(Array.from({ length: updates }, (_, n) => n));
    expect(readFileSync(told, 'utf8')).toContain('done');
  } finally {
    watcher.close();
    gateway.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
});

/** The resident memory of a process, bytes; null on systems that do not say. */
function memoryOf(pid: number | undefined): number | null {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return null;
  return Number(/^VmRSS:\s*(\d+) kB/mu.exec(readFileSync(file, 'utf8'))?.[1]) * 1024;
}
