// `patchbay conformance`: is that agent, or that client, a true speaker of its protocol? What it does is in
// conformance-run.ts.
import { Command } from 'commander';
import { type ConformanceOptions, withConformanceOptions } from './options.ts';
import { killAllChildren } from '../../transports/process-group.ts';
import { tellFailure } from '../program.ts';

const help = `
Examples:
  patchbay conformance pi -- pi --mode rpc
  patchbay conformance claude -- claude -p --input-format stream-json --output-format stream-json --verbose
  patchbay conformance eca --no-model -- eca server
  patchbay conformance pi-server --url ws://127.0.0.1:8137/v1/pi-server/ws --token "$TOKEN"
  patchbay conformance pi --url 'http://127.0.0.1:8137/v1/pi/sessions/{session}' --token "$TOKEN"

Clients, in one of three ways:
  patchbay conformance pi --as client --listen 8200      they connect to us; ends when they have left
  patchbay conformance claude --as client -- node my-client.mjs {agent}
                                                         we start it. {url}, {token}, {http} (for server-sent events) and
                                                         {agent} (an executable that it can start as its agent) are replaced;
                                                         also PATCHBAY_CONFORMANCE_URL, _TOKEN, _HTTP and _AGENT
  patchbay conformance pi --as client --stdio --html report.html
                                                         it starts us as its agent

Recordings, one JSON object a line, {"dir":"in"|"out","line":"…"}, "in" to the agent:
  patchbay conformance eca --trace session.jsonl         both sides, or with --as one of them

Agents that ask a model are given a fake one where we know how to tell them: --model for pi, pi-legacy and claude is the
default, and they then touch no setting of yours. Without --cwd a program runs in a new folder, which is removed. What is prompted fits that model, or else our
demo agent (\`patchbay serve\`); for an agent with another model give your own --script, e.g. {"tool": "Run ls."}, with
--prompts none. A scenario without its word is not applicable.

Exit codes: 0 every MUST and SHOULD that applies passed (what fails of MAY is a notice), 1 the peer is wrong, or the list of
known failures is stale, 2 called wrongly, or the peer could not be reached, or the harness could not tell.`;

/** The command. */
export function conformanceCommand(): Command {
  return withConformanceOptions(new Command('conformance'))
    .description('check whether an agent, a client or a recording is true to its protocol')
    .addHelpText('after', help)
    .action(async (protocol: string | undefined, command: string[], options: ConformanceOptions) => {
      const { stdout, stderr } = process;
      const terminal = { stdout, stderr, signal: stopSignal() };
      // With --stdio it is the client's, and its end is judged where it is written.
      if (options.stdio !== true) stdout.on('error', onReaderGone);
      // Only here: no other command needs the checks, and all of them start sooner without.
      const { runConformance } = await import('./run.ts');
      try {
        process.exitCode = await runConformance({ protocol, command, options }, terminal);
      } catch (thrown) {
        // 1 says that the peer is wrong, and nothing else does.
        tellFailure('patchbay', thrown);
        process.exitCode = 2;
      }
      // Whatever still holds this process open is nothing that anybody waits for.
      setTimeout(() => process.exit(), 1000).unref();
    });
}

/** A reader like `head` may leave early (docs/threats.md T29): the verdict is the same. A full disk is no reader. */
function onReaderGone(error: Error): void {
  if ('code' in error && error.code === 'EPIPE') return;
  tellFailure('patchbay', error);
  process.exit(2);
}

/** How long what runs may take to end after a signal, ms. */
const stopMs = 15_000;

/** Aborted by the first signal; the second one ends this process at once. */
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
