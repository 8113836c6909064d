// Our own servers as targets: in front of the demo agent, and of the real pi with a fake model.
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { Settings } from '../../src/conformance/check.ts';
import type { Target } from '../../src/conformance/target.ts';
import { webSocketChannel } from '../../src/transports/websocket.ts';
import { startFakeAnthropic } from '../support/fake-anthropic.ts';
import { makePiHome, piCommand } from '../support/pi-rig.ts';
import type { Scenario } from '../support/scenarios.ts';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const Ready = z.object({ type: z.literal('ready'), url: z.string(), token: z.string() });

/** Our server, and what to do when it is no longer needed. */
export interface Own {
  readonly target: Target;
  remove(): Promise<void>;
}

interface Agent {
  /** What follows `serve` and `stdio --frontend pi-server`. */
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

function ways({ words, cwd, env }: Agent): Pick<Target, 'websocket' | 'stdio' | 'settings' | 'connectBinary'> {
  return {
    websocket: {
      command: [process.execPath, cli, 'serve', '--json', ...words],
      cwd,
      env,
      ready(line) {
        const ready = Ready.safeParse(line);
        if (!ready.success) return null;
        const { url, token } = ready.data;
        return { url: `${url.replace('http', 'ws')}/v1/pi-server/ws`, token };
      },
    },
    stdio: { command: [process.execPath, cli, 'stdio', '--frontend', 'pi-server', ...words], cwd, env },
    settings: (wanted: Settings) => ({ PATCHBAY_PI_SERVER: JSON.stringify(wanted) }),
    connectBinary({ url, token }) {
      const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
      const channel = webSocketChannel(socket, { label: 'binary' });
      return { channel, sendBinary: (text) => socket.send(Buffer.from(text)) };
    },
  };
}

/** What the demo agent is prompted for each word of the checks. */
export const demoScript: ReadonlyMap<string, string> = new Map([
  ['text', 'hello there'],
  ['busy', 'slow 100'],
  ['endless', 'hang'],
  ['tool', 'tool'],
  ['fail', 'fail'],
  ['retry', 'retry 2'],
  ['compaction', 'compact'],
  ['select', 'select'],
  ['confirm', 'confirm'],
  ['input', 'input'],
  ['editor', 'editor'],
  ['shell', 'echo hello'],
  ['endless shell', 'hang'],
]);

/** In front of the demo agent. */
export function ownDemo(): Own {
  const home = mkdtempSync(join(tmpdir(), 'patchbay-conformance-'));
  const agent = { words: ['--agent', 'demo'], cwd: home, env: { HOME: home } };
  return {
    target: { label: 'patchbay with the demo agent', script: demoScript, ...ways(agent) },
    remove: async () => rmSync(home, { recursive: true, force: true }),
  };
}

const text = (...deltas: string[]) => ({ type: 'text', deltas }) as const;
const overloaded = 'overloaded_error';
/** Beside those of the fake model: an answer that takes a while, and one that comes at the third attempt. */
const scenarios: ReadonlyMap<string, Scenario> = new Map<string, Scenario>([
  ['busy', () => [{ blocks: [text('I take ', 'my time', ' …')], lingers: 100 }]],
  [
    'twice',
    () => [
      {
        blocks: [text('At ', 'last.')],
        faults: [1, 2].map(() => ({ after: [text('Half a ', 'sentence')], error: overloaded })),
      },
    ],
  ],
]);

const piScript: ReadonlyMap<string, string> = new Map([
  ['text', '[[text]] hello'],
  ['busy', '[[busy]]'],
  ['endless', '[[hold]]'],
  ['tool', '[[tools]]'],
  ['fail', '[[bad-request]]'],
  ['retry', '[[twice]] {id}'],
  ['compaction', '[[compact]]'],
  ['select', '/ask select'],
  ['confirm', '/ask confirm'],
  ['input', '/ask input'],
  ['editor', '/ask editor'],
  ['later select', '/later select'],
  ['later confirm', '/later confirm'],
  ['later input', '/later input'],
  ['later editor', '/later editor'],
  ['shell', 'echo hello'],
  ['endless shell', 'sleep 20'],
]);

/** In front of the real pi 0.54.2, which keeps its sessions as it does for its users. */
export async function ownPi(): Promise<Own> {
  const fake = await startFakeAnthropic({ scenarios });
  const home = makePiHome({ baseUrl: fake.url });
  // Where pi looks for them by itself, for that is where clients may load sessions from.
  const agentDir = join(home.dir, '.pi', 'agent');
  mkdirSync(join(home.dir, '.pi'));
  renameSync(home.agentDir, agentDir);
  symlinkSync(agentDir, home.agentDir);
  const { argv, env } = piCommand(home);
  const asks = fileURLToPath(new URL('./asking-extension.ts', import.meta.url));
  const command = [...argv.filter((word) => word !== '--no-session'), '--extension', asks];
  const agent = {
    words: ['--backend', 'pi', '--', ...command],
    cwd: home.project,
    env: { ...env, HOME: home.dir, PI_CODING_AGENT_DIR: agentDir },
  };
  return {
    target: { label: 'patchbay with pi 0.54.2', script: piScript, ...ways(agent) },
    async remove() {
      await fake.close();
      home.remove();
    },
  };
}
