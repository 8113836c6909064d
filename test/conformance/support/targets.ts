// Our own servers as targets: in front of the demo agent, and of the real pi with a fake model.
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { parseConfig } from '../../../src/config/config.ts';
import type { Settings } from '../../../src/conformance/check/check.ts';
import { startFakeAnthropic } from '../../../src/conformance/model/endpoint.ts';
import { demoScript, modelScript } from '../../../src/conformance/runner/scripts.ts';
import type { Target } from '../../../src/conformance/runner/target.ts';
import { createGateway } from '../../../src/gateway/full-gateway.ts';
import { memoryPair } from '../../../src/transports/memory.ts';
import { webSocketChannel } from '../../../src/transports/websocket/dial.ts';
import { makePiHome, piCommand } from '../../support/pi-rig.ts';

const cli = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
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
      ready({ json }) {
        const ready = Ready.safeParse(json);
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

/** What ends late may write in its folder once more, so all folders are removed again when this process is over. */
const homes = new Set<string>();
const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
process.once('exit', () => {
  for (const home of homes) removeFolder(home);
});

function newHome() {
  const home = mkdtempSync(join(tmpdir(), 'patchbay-conformance-'));
  homes.add(home);
  return { home, removeHome: () => removeFolder(home) };
}

/** In front of the demo agent. */
export function ownDemo(): Own {
  const { home, removeHome } = newHome();
  const agent = { words: ['--agent', 'demo'], cwd: home, env: { HOME: home } };
  return {
    target: { label: 'patchbay with the demo agent', script: demoScript, ...ways(agent) },
    remove: async () => removeHome(),
  };
}

const piScript: ReadonlyMap<string, string> = new Map([
  ...modelScript,
  ...['select', 'confirm', 'input', 'editor'].flatMap((method) => [
    [method, `/ask ${method}`] as const,
    [`later ${method}`, `/later ${method}`] as const,
  ]),
]);

/** In front of the real pi 0.54.2, which keeps its sessions as it does for its users. */
export async function ownPi(): Promise<Own> {
  const fake = await startFakeAnthropic();
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

/**
 * Our own frontend of that protocol in this process, in front of the demo agent or another of that configuration. `script`:
 * what the agent is prompted for each word. `client`: what a client asks for when it connects.
 */
export function ownMemory(
  frontend: string,
  options: {
    readonly script?: ReadonlyMap<string, string>;
    readonly config?: object;
    readonly agent?: string;
    readonly client?: Readonly<Record<string, unknown>>;
  } = {},
): Own {
  const { script = demoScript, config = {}, agent = 'demo', client = {} } = options;
  const { home, removeHome } = newHome();
  const gateway = createGateway(parseConfig({ sessionDirectory: home, exportDirectory: home, ...config }), {
    log: () => {},
  });
  return {
    target: {
      label: `patchbay in memory with ${agent}`,
      script,
      memory() {
        const [near, channel] = memoryPair();
        void gateway.serveClient(near, { frontend, agent, options: client });
        return channel;
      },
    },
    async remove() {
      await gateway.drain('the checks are over', 0);
      removeHome();
    },
  };
}
