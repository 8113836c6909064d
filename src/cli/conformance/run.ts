// Implements `patchbay conformance`: judges an agent, clients or recordings.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentSetOf, clientSetOf } from '../../conformance/index.ts';
import { startModelHome } from '../../conformance/model/environment.ts';
import { visible } from '../../conformance/report/safe-text.ts';
import { runChecks } from '../../conformance/runner/runner.ts';
import { GatewayError, messageOf } from '../../core/model/errors.ts';
import { judgeClients } from './clients.ts';
import { checkList } from './list.ts';
import type { ConformanceOptions } from './options.ts';
import { checkOutputs, conclude, type ExitCode, type Terminal, tell } from './outcome.ts';
import { createProgress } from './progress.ts';
import { chosen, setOf, sidesText } from './sets.ts';
import { bringsModel, targetOf } from './target.ts';
import { judgeFiles } from './traces.ts';

/** The parsed command line. */
export interface Call {
  readonly protocol: string | undefined;
  readonly command: readonly string[];
  readonly options: ConformanceOptions;
}

/** Runs the command. Throws `invalid` or `not-found` for wrong usage. */
export async function runConformance(call: Call, terminal: Terminal): Promise<ExitCode> {
  try {
    return await run(call, terminal);
  } catch (thrown) {
    if (thrown instanceof GatewayError) {
      // The message may quote the stderr of a client, or a line of a recording.
      throw new GatewayError(thrown.code, visible(thrown.message), { cause: thrown });
    }
    // A failure of the harness says nothing about the peer.
    tell(terminal.stderr, `the harness failed: ${thrown instanceof Error ? thrown.stack : messageOf(thrown)}`);
    return 2;
  }
}

async function run({ protocol, command, options }: Call, terminal: Terminal): Promise<ExitCode> {
  if (options.list === true) {
    terminal.stdout.write(checkList(protocol, options));
    return 0;
  }
  if (protocol === undefined) throw new GatewayError('invalid', `which protocol? The choices are ${sidesText()}`);
  checkCall(command, options);
  if (options.trace.length > 0) return judgeFiles(protocol, options, terminal);
  return (options.as === 'client' ? judgeVisitors : judgeAgent)({ protocol, command, options }, terminal);
}

/** Refuses options that have no effect together, because the mistake would go unnoticed. */
function checkCall(command: readonly string[], options: ConformanceOptions): void {
  const { as = 'agent', url, ready, trace, stdio, listen, by, whole } = options;
  const refuse = (sentence: string) => {
    throw new GatewayError('invalid', sentence);
  };
  checkOutputs(options, stdio === true);
  if (trace.length > 0 && (command.length > 0 || url.length > 0 || stdio === true || listen !== undefined))
    refuse('--trace judges a recording: give no program, --url, --stdio or --listen with it');
  if (trace.length === 0 && (by !== undefined || whole === true))
    refuse('--by and --whole are for recordings: add --trace');
  if (by !== undefined && options.as !== undefined && by !== options.as)
    refuse(`a recording of the ${by}'s lines says nothing about the ${options.as}: remove --as`);
  if (ready === undefined && url.length > 0 && command.length > 0)
    refuse('give --url or a program, not both; with --ready the program is started and listens there');
  if (ready !== undefined && (command.length === 0 || as === 'client'))
    refuse('--ready is for agents that listen: add `-- <program> <arguments…>`');
  if (as === 'agent' && (stdio === true || listen !== undefined))
    refuse('--stdio and --listen are for clients: add --as client');
  if (as === 'client' && url.length > 0)
    refuse('clients connect to us: give --listen, --stdio or `-- <program>` instead of --url');
  if (stdio === true && (command.length > 0 || listen !== undefined))
    refuse('--stdio is for a client that starts us: give no program and no --listen');
}

/** A call with a protocol. */
type KnownCall = Call & { readonly protocol: string };

async function judgeAgent({ protocol, command, options }: KnownCall, terminal: Terminal): Promise<ExitCode> {
  const set = setOf(agentSetOf(protocol), protocol, 'agent', options);
  const only = chosen([set], options);
  const { stderr, signal } = terminal;
  const startedAt = new Date();
  const model = bringsModel(protocol, command, options) ? await startModelHome(protocol) : null;
  const removeHome = model === null ? undefined : removal(model.folder);
  // The agent may write files to its working directory, e.g. exports. Use a temporary folder.
  const empty = model === null && options.cwd === undefined && command.length > 0 ? emptyFolder() : null;
  const progress = createProgress({ stream: stderr, isVerbose: options.verbose === true });
  try {
    const cwd = options.cwd ?? model?.project ?? empty?.path;
    const target = await targetOf(protocol, command, { ...options, ...(cwd === undefined ? {} : { cwd }) }, model);
    const { transport, atOnce } = options;
    const results = await runChecks(set, target, {
      ...(transport === undefined ? {} : { transport }),
      ...(atOnce === undefined ? {} : { atOnce }),
      patienceMs: options.patience,
      only,
      mayBeNobody: true,
      signal,
      progress: progress.check,
    });
    progress.end();
    return conclude({ set, results, target: target.label, startedAt }, options, terminal);
  } finally {
    progress.end();
    empty?.remove();
    await model?.remove();
    removeHome?.();
  }
}

function emptyFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'patchbay-conformance-'));
  const remove = removal(path);
  return { path, remove };
}

/** Returns a function that removes the folder; also runs when this process ends. */
function removal(folder: string): () => void {
  function remove(): void {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  process.once('exit', remove);
  return remove;
}

async function judgeVisitors({ protocol, command, options }: KnownCall, terminal: Terminal): Promise<ExitCode> {
  const set = setOf(clientSetOf(protocol), protocol, 'client', options);
  chosen([set], options);
  const startedAt = new Date();
  const progress = createProgress({ stream: terminal.stderr, isVerbose: true });
  const { givenUp, ...judged } = await judgeClients({ set, command, options, progress, terminal });
  const code = conclude({ ...judged, set, startedAt, isStdoutTaken: options.stdio === true }, options, terminal);
  if (givenUp === undefined) return code;
  tell(terminal.stderr, givenUp);
  return code === 0 ? 2 : code;
}
