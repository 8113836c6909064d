// S1: what a start costs that does next to nothing: a program is told its first frame, answers it and ends.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { patchbay } from '../processes.ts';
import { atMost, type Family, type Figure, type Goal, short, WrongResult } from '../report.ts';
import { interleave, median, ratio } from '../rounds.ts';

/** A program of ours by its file in dist/cli, what it is told on stdin, and what its answer holds. */
interface Start {
  readonly what: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly input: string;
  readonly answer: string;
  /** CPU ms above an empty Node. */
  readonly goal?: Goal;
  /** It does not end by itself: SIGTERM when it has answered. */
  readonly isEnded?: boolean;
}

const initialize = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
const greeting = { type: 'control_request', request_id: '1', request: { subtype: 'initialize' } };
const streams = ['--input-format', 'stream-json', '--output-format', 'stream-json'];

const why =
  'the rest of a start is loading: Node compiles what is needed of the bundle, and the schemas of the protocol in use are built; ' +
  'Node 20 has no compile cache that would keep either.';

const starts: readonly Start[] = [
  {
    what: 'patchbay --version',
    program: 'main.js',
    args: ['--version'],
    input: '',
    answer: '.',
    goal: atMost(25, why),
  },
  { what: 'patchbay --help', program: 'main.js', args: ['--help'], input: '', answer: 'Usage: patchbay' },
  {
    what: 'patchbay-claude, first frame',
    program: 'patchbay-claude.js',
    args: ['-p', '--verbose', ...streams],
    input: `${JSON.stringify(greeting)}\n`,
    answer: '"subtype":"success"',
    goal: atMost(100, why),
  },
  {
    what: 'patchbay-pi, first frame',
    program: 'patchbay-pi.js',
    args: ['--mode', 'rpc'],
    input: '{"type":"get_state"}\n',
    answer: '"success":true',
    goal: atMost(100, why),
  },
  {
    what: 'patchbay-eca, first frame',
    program: 'patchbay-eca.js',
    args: ['server'],
    input: `Content-Length: ${initialize.length}\r\n\r\n${initialize}`,
    answer: '"id":1,"result"',
    goal: atMost(100, why),
  },
  {
    what: 'patchbay serve, listening and ended',
    program: 'main.js',
    args: ['serve', '--agent', 'demo', '--json'],
    input: '',
    answer: '"type":"ready"',
    isEnded: true,
  },
];

export const startUp: Family = {
  rows: ['S1'],
  how:
    'S1: CPU time, user and system, of a whole process from its start to its end, beside a Node that runs an empty module, ' +
    'in turns. The agent is the demo agent; the client says one frame and closes. NODE_EXTRA_CA_CERTS is unset, for with ' +
    'it an empty Node costs three times as much. On Node 22.1 and later the compile cache is warm.',
  async *run(progress) {
    const folder = mkdtempSync(path.join(tmpdir(), 'patchbay-bench-'));
    const empty = path.join(folder, 'empty.mjs');
    writeFileSync(empty, '');
    try {
      const none: Start = { what: 'empty Node', program: '', args: [], input: '', answer: '' };
      const sides = Object.fromEntries(
        starts.map((start) => [start.what, () => cpuOfStart(fileOf(start.program), start, folder)] as const),
      );
      progress('programs in turns');
      const costs = await interleave(
        { ...sides, [none.what]: () => cpuOfStart(empty, none, folder) },
        { rounds: 15, warmUp: 2 },
      );
      const base = costs[none.what] ?? [];
      yield* starts.map(({ what, goal }): Figure => {
        const cost = costs[what] ?? [];
        return {
          row: 'S1',
          what: `${what}: CPU above an empty Node`,
          value: median(cost) - median(base),
          unit: 'ms',
          ...(goal && { goal }),
          detail: `ms: ours ${short(median(cost))}, empty Node ${short(median(base))}; ${short(ratio(cost, base))} x`,
        };
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function fileOf(program: string): string {
  return path.join(path.dirname(patchbay), program);
}

/** CPU time of one run, ms. The shell that waits for the program tells it; a signal to both ends the program alone. */
function cpuOfStart(file: string, { args, input, answer, isEnded }: Start, folder: string): Promise<number> {
  const script = `trap '' TERM; TIMEFORMAT='%3U %3S'; time "$@" 2>/dev/null`;
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...rest } = process.env;
  const env = { ...rest, PATCHBAY_AGENT: 'demo', XDG_STATE_HOME: folder, XDG_CACHE_HOME: folder };
  const shell = spawn('bash', ['-c', script, 'bash', process.execPath, file, ...args], {
    cwd: folder,
    env,
    detached: true,
  });
  let [said, times] = ['', ''];
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (isEnded === true && said.includes(answer) && shell.pid !== undefined) process.kill(-shell.pid, 'SIGTERM');
  });
  shell.stderr.setEncoding('utf8').on('data', (text: string) => {
    times += text;
  });
  shell.stdin.on('error', () => {});
  shell.stdin.end(input);
  return new Promise((resolve, reject) => {
    shell.on('error', reject);
    shell.on('close', () => {
      const [user = Number.NaN, system = Number.NaN] = times.trim().split(' ').map(Number);
      if (said.includes(answer)) resolve((user + system) * 1000);
      else reject(new WrongResult(`${path.basename(file)} said ${JSON.stringify(said.slice(0, 200))}`));
    });
  });
}
