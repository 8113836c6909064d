// The gateway under attack, with its default limits, and a witness beside the attacker.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import WebSocket from 'ws';
import { z } from 'zod';
import { startServer } from '../clients.ts';
import { benchProgram, emitter, type Running, start } from '../processes.ts';

/** What an attacker has to deal with. */
export interface Arena {
  readonly url: string;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pid: number;
  /** A folder that is removed afterwards. */
  readonly folder: string;
  /** Makes a session of that agent; its id. */
  createSession(agent: string): Promise<string>;
  /** Connects a WebSocket of the Claude frontend, or another one. */
  connect(session: string, frontend?: string): Promise<WebSocket>;
  deleteSession(id: string): Promise<void>;
}

const Witnessed = z.looseObject({
  gapMs: z.number(),
  healthMs: z.number(),
  deltas: z.int(),
  refused: z.int(),
  isCut: z.boolean(),
});

const Loop = z.looseObject({ busiestMs: z.number() });

/** The longest time that the event loop was busy in one go since it was last asked, ms of CPU. */
async function busiest(program: Running): Promise<number> {
  const answer = said(program, '{"type":"loop"');
  program.signal('SIGUSR2');
  return Loop.parse(await answer).busiestMs;
}

/** What an attack came to. */
export interface Outcome extends z.infer<typeof Witnessed> {
  /** What happened to the attacker. */
  readonly attacker: string;
  /** Highest resident memory, bytes. */
  readonly peak: number;
  readonly isAlive: boolean;
  /** See {@link busiest}. */
  readonly busiestMs: number;
}

/** Sends a prompt of the Claude frontend. */
export function prompt(socket: WebSocket, content: string): void {
  socket.send(JSON.stringify({ type: 'user', message: { role: 'user', content } }));
}

export const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Settles as the work does, or with `fallback` after so long, ms. */
export async function within<Result>(work: Promise<Result>, ms: number, fallback: Result): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Result>((resolve) => {
    timer = setTimeout(() => resolve(fallback), ms);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The line that begins in that way. */
async function said(program: Running, beginning: string, order?: string): Promise<unknown> {
  const heard = program.until(beginning);
  if (order !== undefined) program.send(order);
  const text = Buffer.concat(await heard).toString();
  return JSON.parse(text.slice(text.indexOf(beginning)).split('\n')[0] ?? '');
}

function peakOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  } catch {
    return Number.NaN;
  }
}

async function openArena(folder: string, stderr: 'ignore' | 'pipe') {
  const config = path.join(folder, 'patchbay.json');
  const flood = [process.execPath, benchProgram('attacks/flood.js')];
  const agents = {
    neighbour: { protocol: 'pi', command: emitter },
    flood: { protocol: 'pi', command: flood },
    demo: { protocol: 'demo' },
  };
  writeFileSync(config, JSON.stringify({ agents, defaultAgent: 'demo' }));
  const loopDelay = ['--import', benchProgram('agents/loop-delay.js')];
  const { program, url, token } = await startServer(['--config', config], loopDelay, { stderr });
  const headers = { authorization: `Bearer ${token}` };
  const arena: Arena = {
    url,
    token,
    headers,
    pid: program.pid,
    folder,
    async createSession(agent) {
      const json = { ...headers, 'content-type': 'application/json' };
      const response = await fetch(`${url}/v1/sessions`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ agent }),
      });
      return z.looseObject({ id: z.string() }).parse(await response.json()).id;
    },
    connect(session, frontend = 'claude') {
      const address = `${url.replace('http', 'ws')}/v1/${frontend}/ws?session=${session}`;
      const socket = new WebSocket(address, [`bearer.${token}`], { perMessageDeflate: false });
      return new Promise((resolve, reject) => {
        socket.once('open', () => resolve(socket)).on('error', reject);
      });
    },
    async deleteSession(id) {
      await fetch(`${url}/v1/sessions/${id}`, { method: 'DELETE', headers });
    },
  };
  return { arena, program };
}

/** Carries an attack out beside a witness. `stderr`: what becomes of the gateway's log. */
export async function witnessed(
  attack: (arena: Arena) => Promise<string>,
  stderr: 'ignore' | 'pipe' = 'ignore',
): Promise<Outcome> {
  const folder = mkdtempSync(path.join(tmpdir(), 'patchbay-attack-'));
  const { arena, program } = await openArena(folder, stderr);
  const witness = start([process.execPath, benchProgram('attacks/witness.js'), arena.url, arena.token]);
  try {
    await said(witness, '{"type":"streaming"');
    await wait(1000);
    await said(witness, '{"type":"marked"', 'mark');
    await busiest(program);
    const attacker = await attack(arena).catch((thrown: unknown) => `failed: ${String(thrown)}`);
    // What the attack left behind may still be under way.
    await wait(1000);
    const busiestMs = await busiest(program).catch(() => Number.NaN);
    const seen = Witnessed.parse(await said(witness, '{"type":"witness"', 'tell'));
    return { ...seen, attacker, peak: peakOf(arena.pid), isAlive: !program.hasEnded, busiestMs };
  } finally {
    await witness.stop();
    // The endless run of the witness would hold the end up.
    await arena.deleteSession('neighbour').catch(() => {});
    await program.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
