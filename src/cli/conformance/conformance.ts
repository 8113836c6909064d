// `patchbay conformance`: checks an agent, a client or a recording against its protocol. run.ts does the work.
import { Command } from 'commander';
import { killAllChildren } from '../../transports/child/process-group.ts';
import { tellFailure } from '../program.ts';
import { type ConformanceOptions, withConformanceOptions } from './options.ts';

const help = `
Examples:
  patchbay conformance pi -- pi --mode rpc
  patchbay conformance claude -- claude -p --input-format stream-json --output-format stream-json --verbose
  patchbay conformance eca --no-model -- eca server
  patchbay conformance pi-server --url ws://127.0.0.1:8137/v1/pi-server/ws --token "$TOKEN"
  patchbay conformance pi --url 'http://127.0.0.1:8137/v1/pi/sessions/{session}' --token "$TOKEN"
  patchbay conformance pi-server --ready 'listening on (\\S+)' -- my-server --port 0

Clients can be judged in three ways:
  patchbay conformance pi --as client --listen 8200      they connect to us; the run ends when they have left
  patchbay conformance claude --as client -- node my-client.mjs {agent}
                                                         we start it. {url}, {token}, {http} (for server-sent events) and
                                                         {agent} (an executable that it can start as its agent) are replaced;
                                                         also PATCHBAY_CONFORMANCE_URL, _TOKEN, _HTTP and _AGENT
  patchbay conformance pi --as client --stdio --html report.html
                                                         it starts us as its agent

Recordings have one JSON object per line, {"dir":"in"|"out","line":"…"}; "in" means to the agent:
  patchbay conformance eca --trace session.jsonl         both sides; --as chooses one

Agents that need a model get a fake one if their protocol is pi, pi-legacy or claude (--model, the default there); your own
settings of the agent stay untouched. Without --cwd a program runs in a new folder, which is removed afterwards. The prompts
fit the fake model, or without it our demo agent (\`patchbay serve\`). For an agent with another model give your own --script,
e.g. {"tool": "Run ls."}, with --prompts none. A scenario without a prompt is not applicable.

Exit codes: 0 every MUST and SHOULD that applies passed (a failed MAY is only a notice), 1 the peer is wrong, or the list of
known failures is stale, 2 wrong usage, or the peer could not be reached, or the result is unclear.`;

/** The `conformance` command. */
export function conformanceCommand(): Command {
  return withConformanceOptions(new Command('conformance'))
    .description('check an agent, a client or a recording against its protocol')
    .addHelpText('after', help)
    .action(async (protocol: string | undefined, command: string[], options: ConformanceOptions) => {
      const { stdout, stderr } = process;
      const terminal = { stdout, stderr, signal: stopSignal() };
      // With --stdio, stdout belongs to the client, and the channel handles its end.
      if (options.stdio !== true) stdout.on('error', onReaderGone);
      // Imported here only: no other command needs the checks, and all of them start faster without.
      const { runConformance } = await import('./run.ts');
      try {
        process.exitCode = await runConformance({ protocol, command, options }, terminal);
      } catch (thrown) {
        // Exit code 1 is reserved for a wrong peer.
        tellFailure('patchbay', thrown);
        process.exitCode = 2;
      }
      // Exit even if a handle is still open: no code waits for it.
      setTimeout(() => process.exit(), 1000).unref();
    });
}

/** A reader like `head` may close early (docs/threats.md T29): the verdict stays the same. A full disk is an error. */
function onReaderGone(error: Error): void {
  if ('code' in error && error.code === 'EPIPE') return;
  tellFailure('patchbay', error);
  process.exit(2);
}

/** How long a run may take to end after a signal, ms. */
const stopMs = 15_000;

/** Aborted by the first signal. The second signal ends this process at once. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  process.once('exit', killAllChildren);
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(2);
      stop.abort();
      setTimeout(() => process.exit(2), stopMs).unref();
    });
  }
  return stop.signal;
}
