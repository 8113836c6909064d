// Agents that outlive a killed `patchbay serve --journal` are ended by the next one, and no other process of their number
// (docs/threats.md T28; docs/faults.md F23). Linux alone knows when a process started.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { isRunning, startTimeOf } from '../../src/stores/journal/process-identity.ts';
import { eventually } from '../support/faults/eventually.ts';
import * as lines from '../support/faults/pi-lines.ts';
import { type Puppet, type Puppets, startPuppets } from '../support/faults/puppets.ts';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';

const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

/** An agent in the middle of a run, to which the end of its input is nothing. */
async function deafAgent(server: GatewayServer, puppets: Puppets): Promise<Puppet> {
  const session = await server.createSession();
  const { ok } = await fetch(`${server.url}/v1/pi/sessions/${session}/frames`, {
    method: 'POST',
    headers: { ...server.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'prompt', message: 'one' }),
  });
  expect(ok).toBe(true);
  const puppet = await puppets.next();
  await puppet.told('prompt');
  puppet.say(...lines.halfText);
  await puppet.stay();
  return puppet;
}

test.skipIf(process.platform !== 'linux')(
  'an agent that ignores the end of its input is ended at the next start, and a later process of its number is not',
  { timeout: 60_000 },
  async () => {
    const puppets = await startPuppets();
    const folder = mkdtempSync(join(tmpdir(), 'patchbay-orphans-'));
    const config = join(folder, 'patchbay.json');
    const journal = join(folder, 'journal');
    const agents = { puppet: { protocol: 'pi', command: puppets.command } };
    writeFileSync(config, JSON.stringify({ agents, journal, limits: { drainMs: 200 } }));
    disposals.push(
      () => puppets.close(),
      () => rmSync(folder, { recursive: true, force: true }),
    );

    const first = await startServerWith(config);
    disposals.push(() => first.child.kill('SIGKILL'));
    const orphan = await deafAgent(first, puppets);
    const reused = await deafAgent(first, puppets);
    const born = [orphan, reused].map(({ pid }) => startTimeOf(pid));
    disposals.push(() => reused.isGone || reused.signal('SIGKILL'));
    const gone = once(first.child, 'exit');
    first.child.kill('SIGKILL');
    await gone;
    expect([orphan, reused].map(({ pid }, at) => isRunning(pid, born[at] ?? null))).toEqual([true, true]);

    // As if the number had been given to a later process.
    const notes = join(journal, 'processes.jsonl');
    const noted = readFileSync(notes, 'utf8');
    const own = JSON.stringify({ pid: reused.pid, startTime: born[1] });
    expect(noted).toContain(own);
    writeFileSync(notes, noted.replace(own, JSON.stringify({ pid: reused.pid, startTime: '1' })));

    const next = await startServerWith(config);
    disposals.push(() => next.close());
    // Ended before the gateway is ready; the system may say so a little later.
    await eventually('the end of the orphan', () => !isRunning(orphan.pid, born[0] ?? null));
    expect(isRunning(reused.pid, born[1] ?? null)).toBe(true);
    expect(next.log()).toMatch(/agents that a killed gateway had left were ended.*"?orphans"?[=:] ?1\b/u);
    expect(readFileSync(notes, 'utf8')).not.toContain(String(reused.pid));
    // Each session takes a prompt again, with an agent of its own.
    await deafAgent(next, puppets);
  },
);
