// Starts the built gateway as its users do: `patchbay serve` and `patchbay stdio`, in front of the real pi. Knows no protocol.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type PiHome, piCommand } from './pi-rig.ts';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** The gateway's process, started in the project folder of that home. */
export function spawnGateway(home: PiHome, words: readonly string[]): ChildProcessWithoutNullStreams {
  const { argv, env } = piCommand(home);
  const backend = home.part === 'pi-legacy' ? 'pi-legacy' : 'pi';
  const child = spawn(process.execPath, [cli, ...words, '--backend', backend, '--', ...argv], {
    cwd: home.project,
    env: { ...process.env, ...env },
  });
  child.stderr.setEncoding('utf8');
  return child;
}

/** Ends a process that this file started: input closed, then SIGTERM; resolves when it is gone. */
export async function stopProcess(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.stdin.end();
  child.kill('SIGTERM');
  await gone;
}

const Ready = z.object({ type: z.literal('ready'), url: z.url(), token: z.string().min(1) });

/** A running `patchbay serve`. */
export interface GatewayServer {
  readonly url: string;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What it wrote to stderr so far, for the message of a failed test. */
  readonly log: () => string;
  /** Makes a session with an agent of its own, by name or the usual one, and gives its id. */
  createSession(agent?: string): Promise<string>;
  close(): Promise<void>;
  /** Its process, for tests that signal it. */
  readonly child: ChildProcessWithoutNullStreams;
}

/** Starts `patchbay serve --json` in front of pi and waits for its ready line. */
export function startServer(home: PiHome): Promise<GatewayServer> {
  return serverOf(spawnGateway(home, ['serve', '--json']));
}

/** The same with the agents of a configuration file. `env`: on top of ours. */
export function startServerWith(config: string, env: Readonly<Record<string, string>> = {}): Promise<GatewayServer> {
  return serverOf(spawnServer(config, env));
}

/** The process of a server that may never be ready. */
export function spawnServer(
  config: string,
  env: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [cli, 'serve', '--json', '--config', config], {
    env: { ...process.env, ...env },
  });
  child.stderr.setEncoding('utf8');
  return child;
}

async function serverOf(child: ChildProcessWithoutNullStreams): Promise<GatewayServer> {
  let log = '';
  child.stderr.on('data', (text: string) => {
    log += text;
  });
  const lines = createInterface({ input: child.stdout });
  const exited = once(child, 'close').then(() => {
    throw new Error(`the gateway has exited: ${log}`);
  });
  const first = await Promise.race([once(lines, 'line'), exited]);
  exited.catch(() => {});
  const { url, token } = Ready.parse(JSON.parse(z.string().parse(first[0])));
  const headers = { authorization: `Bearer ${token}` };
  return {
    url,
    token,
    headers,
    log: () => log,
    async createSession(agent) {
      const json = { ...headers, 'content-type': 'application/json' };
      const response = await fetch(`${url}/v1/sessions`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ agent }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`POST /v1/sessions: ${response.status} ${text}`);
      return z.looseObject({ id: z.string() }).parse(JSON.parse(text)).id;
    },
    close: () => stopProcess(child),
    child,
  };
}
