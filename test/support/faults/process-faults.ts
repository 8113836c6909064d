// Faults of the gateway's process, F22, F23 and F31: the command as it is built, signalled from outside.
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GatewayServer, startServerWith } from '../gateway.ts';
import { type Observer, observe } from './observers.ts';
import * as lines from './pi-lines.ts';
import { type Puppet, startPuppets } from './puppets.ts';
import { everybody, judge } from './rig.ts';
import { type FaultRow, must, type Outcome } from './row.ts';

/** The built command with one session, whose agent has said half a text to everybody. */
interface Built {
  readonly server: GatewayServer;
  readonly config: string;
  readonly session: string;
  readonly observers: readonly Observer[];
  readonly puppet: Puppet;
  agentsGone(): Promise<void>;
}

/** Starts the built command in a folder of its own. */
async function onBuilt(limits: object, act: (built: Built) => Promise<Outcome>): Promise<Outcome> {
  const puppets = await startPuppets();
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-fault-'));
  const config = join(folder, 'patchbay.json');
  const agents = { puppet: { protocol: 'pi', command: puppets.command } };
  writeFileSync(config, JSON.stringify({ agents, limits, frontends: { 'pi-server': { drainMs: 100 } } }));
  const server = await startServerWith(config);
  try {
    const session = await server.createSession();
    const observers = await Promise.all(everybody.map((kind) => observe(server, session, kind)));
    const [speaker] = observers;
    speaker?.say(speaker.dialect.role.prompt('one', speaker.frames));
    const puppet = await puppets.next();
    await puppet.told('prompt');
    puppet.say(...lines.halfText);
    await Promise.all(observers.map((one) => one.waitFor('half a text', (frame) => frame.includes('Five sockets'))));
    const outcome = await act({ server, config, session, observers, puppet, agentsGone: puppets.allGone });
    for (const one of observers) one.close();
    return outcome;
  } finally {
    await server.close();
    puppets.close();
    rmSync(folder, { recursive: true });
  }
}

const lastOf = (times: readonly number[]): number => Math.max(...times);
const endsOf = (observers: readonly Observer[]): number[] =>
  observers.map(({ endings, times }) => times[endings.at(-1) ?? 0] ?? 0);
const toldToStop = ({ observers }: Built): Promise<unknown> =>
  Promise.all(
    observers
      .filter(({ frontend }) => frontend === 'pi-server')
      .map((one) => one.waitFor('the shutdown', (frame) => frame.includes('server_shutdown'))),
  );

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

const signalled: readonly FaultRow[] = [
  {
    fault: 'F22',
    what: 'SIGTERM in a run (drainMs 400)',
    run: () =>
      onBuilt({ drainMs: 400 }, async (built) => {
        const { server, observers } = built;
        const exit = once(server.child, 'exit');
        const from = performance.now();
        server.child.kill('SIGTERM');
        await toldToStop(built);
        const headers = { ...server.headers, 'content-type': 'application/json' };
        const { status, headers: said } = await fetch(`${server.url}/v1/sessions`, {
          method: 'POST',
          headers,
          body: '{}',
        });
        must(status === 503 && said.get('retry-after') === '1', `a new session was answered with ${status}`);
        const reasons = await Promise.all(observers.map((one) => one.cut()));
        const [code] = await exit;
        must(code === 0, `the gateway exited with ${code}`);
        const ws = reasons.filter((_, at) => observers[at]?.transport === 'ws');
        must(
          ws.every((reason) => reason.includes('1001')),
          `WebSockets ended with ${ws.join(', ')}`,
        );
        await built.agentsGone();
        const toldMs = lastOf(endsOf(observers)) - from;
        return {
          clients: observers,
          toldMs,
          ...judge(observers, { runs: 1 }),
          verdict: '503 and Retry-After, one ending, 1001, exit 0',
        };
      }),
  },
  {
    fault: 'F22',
    what: 'a second SIGTERM in a run',
    run: () =>
      onBuilt({ drainMs: 60_000 }, async (built) => {
        const { server, observers } = built;
        const exit = once(server.child, 'exit');
        server.child.kill('SIGTERM');
        await toldToStop(built);
        const from = performance.now();
        server.child.kill('SIGTERM');
        await exit;
        await Promise.all(observers.map((one) => one.cut()));
        await built.agentsGone();
        const toldMs = lastOf(observers.map(({ endedAt }) => endedAt)) - from;
        return { clients: observers, toldMs, lost: null, repeated: null, verdict: 'stops at once, the agent too' };
      }),
  },
  {
    fault: 'F23',
    what: 'SIGKILL in a run, and a restart',
    run: () =>
      onBuilt({}, async (built) => {
        const { server, observers, session, config } = built;
        const from = performance.now();
        server.child.kill('SIGKILL');
        await Promise.all(observers.map((one) => one.cut()));
        const toldMs = lastOf(observers.map(({ endedAt }) => endedAt)) - from;
        await built.agentsGone();
        const next = await startServerWith(config);
        try {
          for (const kind of everybody) {
            const words = await refusalOf(next, session, kind.frontend, kind.transport);
            must(words.includes('404') && words.includes(`session ${session} not found`), `${kind.frontend}: ${words}`);
          }
        } finally {
          await next.close();
        }
        const verdict = 'without a journal: connections end, the agent too, the session is unknown afterwards';
        return { clients: observers, toldMs, lost: null, repeated: null, verdict };
      }),
  },
  {
    fault: 'F31',
    what: 'no free descriptor for an agent (prlimit) in a run',
    run: withoutDescriptors,
    ...(hasPrlimit ? {} : { skipped: 'this machine has no prlimit' }),
  },
];

/** The answer to a client that asks for that session: status and body. */
async function refusalOf(server: GatewayServer, session: string, frontend: string, transport: string): Promise<string> {
  const path = transport === 'ws' ? `ws?session=${session}` : `sessions/${session}/events`;
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const headers = {
    ...server.headers,
    ...(transport === 'ws' ? { ...upgrade, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' } : {}),
  };
  const asking = request(`${server.url}/v1/${frontend}/${path}`, { headers, agent: false });
  asking.end();
  const [answer] = await once(asking, 'response');
  let body = '';
  for await (const chunk of answer) body += String(chunk);
  return `${answer.statusCode} ${body}`;
}

/** One session runs, the agent of another one cannot be started. */
function withoutDescriptors(): Promise<Outcome> {
  return onBuilt({}, async ({ server, observers, puppet }) => {
    const limitFiles = (soft: number) =>
      execFileSync('prlimit', ['--pid', String(server.child.pid), `--nofile=${soft}:`]);
    const other = await observe(server, await server.createSession(), { frontend: 'pi', transport: 'ws' });
    other.say('{"no JSON');
    await other.waitFor('an error', (frame) => frame.includes('"success":false'));
    const from = performance.now();
    limitFiles(3);
    other.say(other.dialect.role.prompt('two'));
    await other.waitFor('the refusal', (frame) => frame.includes('EMFILE'));
    const toldMs = performance.now() - from;
    limitFiles(1024);
    puppet.say(...lines.otherHalf);
    await Promise.all(observers.map((one) => one.until('the end of the run', () => one.endings.length === 1)));
    other.close();
    return {
      clients: observers,
      toldMs,
      ...judge(observers, { runs: 1 }),
      verdict: 'the command fails with the reason, the others go on',
    };
  });
}

export const processFaults: readonly FaultRow[] = signalled;
