// The gateway as an ECA server: a program, or in this process over the same framing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { adapterOf } from '../../src/adapters/index.ts';
import { configFrom } from '../../src/cli/agents/agent-config.ts';
import type { AgentOptions } from '../../src/cli/agents/agent-options.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { streamFraming } from '../../src/transports/framing/framings.ts';
import { stdioChannel } from '../../src/transports/stdio.ts';

/** A gateway that runs. */
export interface EcaGateway {
  readonly input: Writable;
  readonly output: Readable;
  /** The exit code, when all that the gateway has said is heard. */
  readonly gone: Promise<number | null>;
  /** What the gateway has logged. */
  log(): string;
  kill(): void;
}

/** That command line. */
export function gatewayOf(
  argv: readonly string[],
  options: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): EcaGateway {
  const [program = '', ...words] = argv;
  const child = spawn(program, words, { cwd: options.cwd, env: { ...process.env, ...options.env } });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  child.stdin.on('error', () => {});
  return {
    input: child.stdin,
    output: child.stdout,
    gone: once(child, 'close').then(([code]) => z.number().nullable().parse(code)),
    log: () => log,
    kill: () => void child.kill('SIGKILL'),
  };
}

/** The command line that serves an editor in front of that agent. */
export function gatewayWords({ config, agent, backend, option = {} }: AgentOptions): string[] {
  const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
  const named = Object.entries({ config, agent, backend }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const options = Object.entries(option).flatMap(([name, value]) => ['--option', `${name}=${value}`]);
  return [process.execPath, cli, 'stdio', '--frontend', 'eca', ...named, ...options];
}

/** The same without a program. */
export function gatewayHere(agent: AgentOptions): EcaGateway {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const rows: string[] = [];
  const gateway = createGateway(configFrom(agent, []), {
    log: (level, message, details) => rows.push(`${level} ${message} ${JSON.stringify(details)}`),
  });
  const framing = streamFraming(adapterOf('eca', 'client').framing.stdio);
  const channel = stdioChannel({ input, output, label: 'gateway', framing });
  async function serve(): Promise<number> {
    await gateway.serveClient(channel, { frontend: 'eca', options: {} });
    gateway.close('the client is gone');
    output.end();
    await finished(output).catch(() => {});
    return 0;
  }
  const gone = serve();
  return { input, output, gone, log: () => rows.join('\n'), kill: () => gateway.close('the editor is gone') };
}
