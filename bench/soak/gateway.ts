// The gateway under the soak: `patchbay serve` as a process in front of scripted agents, and what is left in it.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { startServer } from '../clients.ts';
import { benchProgram } from '../processes.ts';
import { type Data, dataIn } from './heap.ts';

/** Cycles at the same time. Each worker has an agent of its own that it may kill. */
export const workers = 3;

/** The scripted agents, by the names under which clients ask for them. */
const scripted = ['pi', 'pi-legacy', 'pi-server', 'claude', 'eca'];
/** Agents that carry out every kind of prompt of the soak. */
export const agents: readonly string[] = ['demo', ...scripted];

/** The agent that a worker kills. */
export const mortal = (worker: number) => `mortal-${worker}`;
/** Marks the processes of that agent. */
const marked = 'PATCHBAY_SOAK_WORKER';

const Census = z.object({
  heapUsed: z.number(),
  rss: z.number(),
  descriptors: z.int(),
  timers: z.int(),
  handles: z.int(),
  snapshot: z.string(),
});

/** What is left in the gateway; memory in bytes. */
export interface Sample extends Omit<z.infer<typeof Census>, 'snapshot'> {
  /** What the heap holds without code. */
  readonly data: Data;
  readonly children: number;
  readonly sessions: number;
}

/** A running gateway. */
export interface SoakedGateway {
  readonly url: string;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pid: number;
  createSession(agent: string): Promise<string>;
  deleteSession(id: string): Promise<void>;
  /** Kills the agent of that worker; false if none runs. */
  kill(worker: number): boolean;
  /** Ends all sessions and waits until their agents are gone. */
  closeAll(): Promise<void>;
  /** Collects garbage and looks. */
  sample(): Promise<Sample>;
  stop(): Promise<void>;
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function configuration(folder: string): string {
  const program = (protocol: string) => path.resolve(`test/support/scripted-${protocol}.mjs`);
  const agentOf = (protocol: string, env = {}) => ({ protocol, command: [process.execPath, program(protocol)], env });
  const config = {
    agents: Object.fromEntries([
      ['demo', { protocol: 'demo', options: { paceMs: 1 } }],
      ...scripted.map((protocol) => [protocol, agentOf(protocol)]),
      ...Array.from({ length: workers }, (_, worker) => [mortal(worker), agentOf('pi', { [marked]: `${worker}` })]),
    ]),
    defaultAgent: 'demo',
    sessionDirectory: path.join(folder, 'sessions'),
    exportDirectory: path.join(folder, 'exports'),
    // Outcomes are kept for repetitions, in any number up to a bound: the bound is reached in the first look.
    frontends: { 'pi-server': { maxOutcomes: 100, idempotencyTtlMs: 10_000, commandsPerMinute: 1000 } },
    limits: { questionMs: 2000, abortMs: 2000 },
  };
  const file = path.join(folder, 'patchbay.json');
  writeFileSync(file, JSON.stringify(config));
  return file;
}

function childrenOf(pid: number): readonly string[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean),
  );
}

function isAgentOf(worker: number, pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${marked}=${worker}`);
  } catch {
    // Gone meanwhile.
    return false;
  }
}

/** Starts the gateway. `snapshots`: a folder in which a snapshot of the heap stays for each sample. */
export async function startGateway(snapshots?: string): Promise<SoakedGateway> {
  const folder = mkdtempSync(path.join(tmpdir(), 'patchbay-soak-'));
  const flags = ['--expose-gc', '--import', benchProgram('agents/census.js')];
  const env = { XDG_STATE_HOME: folder, PATCHBAY_SNAPSHOTS: snapshots ?? folder };
  const server = await startServer(['--config', configuration(folder)], flags, { env, stderr: 'ignore' });
  const { program, url, token } = server;
  const headers = { authorization: `Bearer ${token}` };

  async function rest(method: string, at: string, body?: object): Promise<unknown> {
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${url}${at}`, {
      method,
      headers: { ...headers, ...json },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok && response.status !== 404) throw new Error(`${method} ${at}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }
  const sessions = async () =>
    z.object({ sessions: z.array(z.looseObject({ id: z.string() })) }).parse(await rest('GET', '/v1/sessions'))
      .sessions;
  const deleteSession = async (id: string) => void (await rest('DELETE', `/v1/sessions/${encodeURIComponent(id)}`));

  return {
    url,
    token,
    headers,
    pid: program.pid,
    createSession: async (agent) =>
      z.looseObject({ id: z.string() }).parse(await rest('POST', '/v1/sessions', { agent })).id,
    deleteSession,
    kill(worker) {
      const found = childrenOf(program.pid).filter((pid) => isAgentOf(worker, pid));
      for (const pid of found) process.kill(Number(pid), 'SIGKILL');
      return found.length > 0;
    },
    async closeAll() {
      for (const { id } of await sessions()) await deleteSession(id);
      const until = performance.now() + 20_000;
      while (childrenOf(program.pid).length > 0 && performance.now() < until) await wait(100);
      // Connections that are kept alive, and timers of seconds, come to their end.
      await wait(6000);
    },
    async sample() {
      const said = program.until('{"type":"census"');
      program.signal('SIGUSR2');
      const text = Buffer.concat(await said).toString();
      const line = text.slice(text.indexOf('{"type":"census"')).split('\n')[0] ?? '';
      const { snapshot, ...census } = Census.parse(JSON.parse(line));
      const data = dataIn(snapshot);
      if (snapshots === undefined) rmSync(snapshot);
      return { ...census, data, children: childrenOf(program.pid).length, sessions: (await sessions()).length };
    },
    async stop() {
      await program.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
