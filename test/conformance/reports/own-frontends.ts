// Writes the page on our own frontends: each protocol over each transport that carries it, in front of the demo agent.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { agentSetOf } from '../../../src/conformance/index.ts';
import { judged, program, type RunReport } from './command.ts';
import { explanationOf, madeWith, seconds, tableOf, tallyText, writePage } from './page.ts';

const protocols = ['pi', 'pi-legacy', 'pi-server', 'claude', 'rpc-message', 'eca', 'acp'] as const;
const transports = ['stdio', 'WebSocket', 'SSE'] as const;

/** Combinations that do not exist. */
const absent: ReadonlyMap<string, string> = new Map([
  ['acp SSE', 'a stream of ours is about one session, and an ACP connection has many'],
  [
    'pi-server SSE',
    'the specification has WebSocket and stdio only; a stream of ours is about one session, and a pi-server has many',
  ],
  [
    'rpc-message SSE',
    'the envelope is for connections; a stream of events is shared, and carries the `claude` dialect',
  ],
]);

const Ready = z.object({ type: z.literal('ready'), url: z.string(), token: z.string() });

interface Run {
  readonly protocol: string;
  readonly transport: (typeof transports)[number];
  readonly report: RunReport | null;
}

/** Runs all combinations one after the other and writes the page. */
export async function makeOwnFrontends(): Promise<void> {
  const home = mkdtempSync(path.join(tmpdir(), 'patchbay-report-'));
  // Clients of ACP name a folder, and on the network one inside the roots.
  const config = path.join(home, 'patchbay.json');
  writeFileSync(config, JSON.stringify({ agents: { demo: { protocol: 'demo' } }, roots: [home] }));
  const runs: Run[] = [];
  try {
    for (const protocol of protocols) {
      for (const transport of transports) {
        const isAbsent = absent.has(`${protocol} ${transport}`);
        const report = isAbsent ? null : await reportOn(protocol, transport, { home, config });
        console.log(protocol, transport, JSON.stringify(report?.counts.verdicts), report?.ms);
        runs.push({ protocol, transport, report });
      }
    }
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
  writePage('own-frontends.md', pageOf(runs));
}

interface Place {
  readonly home: string;
  readonly config: string;
}

async function reportOn(protocol: string, transport: Run['transport'], place: Place): Promise<RunReport> {
  if (transport === 'stdio') {
    const command = ['node', program, 'stdio', '--frontend', protocol, '--agent', 'demo'];
    return judged([protocol, '--bounds', 'PATCHBAY_PI_SERVER', '--', ...command]);
  }
  return withServer(place, ({ url, token }) => {
    const where = {
      WebSocket: ['--cwd', place.home, '--url', `${url.replace('http', 'ws')}/v1/${protocol}/ws`],
      SSE: ['--url', `${url}/v1/${protocol}/sessions/{session}`],
    }[transport];
    return judged([protocol, '--token', token, ...where]);
  });
}

/** Each run has a server of its own: sessions and their agents outlive connections, and a token may have 100 agents. */
async function withServer<Result>(
  { home, config }: Place,
  use: (server: z.infer<typeof Ready>) => Promise<Result>,
): Promise<Result> {
  // Some hundred checks on one server would exceed its default limits.
  const bounds = JSON.stringify(agentSetOf('pi-server')?.usual ?? {});
  const server = spawn(process.execPath, [program, 'serve', '--json', '--config', config, '--agent', 'demo'], {
    cwd: home,
    env: { ...process.env, HOME: home, XDG_STATE_HOME: home, PATCHBAY_PI_SERVER: bounds },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [line] = await once(createInterface({ input: server.stdout }), 'line');
    return await use(Ready.parse(JSON.parse(String(line))));
  } finally {
    server.kill();
    await once(server, 'exit');
  }
}

function pageOf(runs: readonly Run[]): string[] {
  const conversations = runs.flatMap(({ report, ...run }) => (report === null ? [] : [{ ...run, report }]));
  const sum = (level: 'MUST' | 'SHOULD' | 'MAY', verdict: 'passed' | 'failed' | 'unclear') =>
    conversations.reduce((all, { report }) => all + report.counts.levels[level][verdict], 0);
  const rows = runs.map(({ protocol, transport, report }) => {
    if (report === null) return [protocol, transport, '–', '–', '–', '–'];
    const { MUST, SHOULD, MAY } = report.counts.levels;
    return [protocol, transport, tallyText(MUST), tallyText(SHOULD), tallyText(MAY), seconds(report.ms)];
  });
  const troubles = conversations.flatMap(({ protocol, transport, report }) =>
    report.results
      .filter(({ verdict }) => verdict === 'failed' || verdict === 'unclear')
      .map(({ id, level, verdict }) => ({ id, level, verdict, where: `${protocol}, ${transport}` })),
  );
  const ids = [...new Set(troubles.map(({ id }) => id))];
  const slowest = Math.max(...conversations.map(({ report }) => report.ms));
  return [
    '# Our own frontends',
    'Patchbay as an agent of each protocol, over each transport, in front of the demo agent (`patchbay serve --agent demo`).',
    `**MUST: ${sum('MUST', 'passed')} passed, ${sum('MUST', 'failed')} failed, ${sum('MUST', 'unclear')} unclear. ` +
      `SHOULD: ${sum('SHOULD', 'passed')} passed, ${sum('SHOULD', 'failed')} failed, ${sum('SHOULD', 'unclear')} unclear. ` +
      `The longest of ${conversations.length} runs took ${seconds(slowest)}.**`,
    tableOf(['protocol', 'transport', 'MUST', 'SHOULD', 'MAY', 'time'], rows),
    `“n. a.”: it did not come up, for the demo agent does not do it, or the transport has no such thing. ${[...absent]
      .map(([way, why]) => `${way}: ${why}.`)
      .join(' ')}`,
    ...(ids.length === 0 ? [] : ['## What did not pass']),
    ...(ids.length === 0
      ? []
      : [
          tableOf(
            ['check', 'level', 'where', 'explanation'],
            ids.map((id) => {
              const of = troubles.filter((trouble) => trouble.id === id);
              const where = of.map((trouble) => `${trouble.where}: ${trouble.verdict}`).join('; ');
              return [`\`${id}\``, of[0]?.level ?? '', where, explanationOf('own-frontends', id)];
            }),
          ),
        ]),
    madeWith(protocols.flatMap((protocol) => agentSetOf(protocol) ?? [])),
  ];
}
