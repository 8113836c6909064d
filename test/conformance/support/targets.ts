// Our own servers as targets: in front of the demo agent, and in front of the real pi with a fake model.
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { Settings } from '../../../src/conformance/check/check.ts';
import { demoScript, modelScript } from '../../../src/conformance/runner/scripts.ts';
import type { Target } from '../../../src/conformance/runner/target.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { createGateway } from '../../../src/gateway/gateway.ts';
import { memoryPair } from '../../../src/transports/memory.ts';
import { webSocketChannel } from '../../../src/transports/websocket.ts';
import { startFakeAnthropic } from '../../../src/conformance/model/endpoint.ts';
import { makePiHome, piCommand } from '../../support/pi-rig.ts';

const cli = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const Ready = z.object({ type: z.literal('ready'), url: z.string(), token: z.string() });

/** Our server, and its cleanup. */
export interface Own {
  readonly target: Target;
  remove(): Promise<void>;
}

interface Agent {
  /** Arguments after `serve` and `stdio --frontend pi-server`. */
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

/**
 * A new folder. A process that ends late may write there again, so the folder is also removed when this process exits.
 */
function newHome() {
  const home = mkdtempSync(join(tmpdir(), 'patchbay-conformance-'));
  const removeHome = () => rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', removeHome);
  return { home, removeHome };
}

/** Our server in front of the demo agent. */
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

/** Our server in front of the real pi 0.54.2, which stores its sessions in the usual way. */
export async function ownPi(): Promise<Own> {
  const fake = await startFakeAnthropic();
  const home = makePiHome({ baseUrl: fake.url });
  // pi's default folder: clients may load sessions from there only.
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
 * Our own frontend of this protocol in this process, in front of the demo agent or of another agent in the
 * configuration. `script`: the prompts by script word. `client`: what a client requests on connecting.
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
