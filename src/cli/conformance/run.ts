// What `patchbay conformance` does: chooses between agents, clients and recordings. Reads no command line.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentSetOf, clientSetOf } from '../../conformance/index.ts';
import { startModelHome } from '../../conformance/model/environment.ts';
import { visible } from '../../conformance/report/words.ts';
import { runChecks } from '../../conformance/runner/runner.ts';
import { GatewayError, messageOf } from '../../core/model/errors.ts';
import { judgeClients } from './clients.ts';
import { checkList } from './list.ts';
import type { ConformanceOptions } from './options.ts';
import { checkOutputs, conclude, type ExitCode, tell, type Terminal } from './outcome.ts';
import { createProgress } from './progress.ts';
import { chosen, setOf, sidesText } from './sets.ts';
import { bringsModel, targetOf } from './target.ts';
import { judgeFiles } from './traces.ts';

/** What was asked on the command line. */
export interface Call {
  readonly protocol: string | undefined;
  readonly command: readonly string[];
  readonly options: ConformanceOptions;
}

/** Throws `invalid` or `not-found` for a call that is wrong. */
export async function runConformance(call: Call, terminal: Terminal): Promise<ExitCode> {
  try {
    return await run(call, terminal);
  } catch (thrown) {
    if (thrown instanceof GatewayError) {
      // It may hold the last words of a client, or a line of a recording.
      throw new GatewayError(thrown.code, visible(thrown.message), { cause: thrown });
    }
    // What is wrong with the harness is no word on the peer.
    tell(terminal.stderr, `the harness failed: ${thrown instanceof Error ? thrown.stack : messageOf(thrown)}`);
    return 2;
  }
}

async function run({ protocol, command, options }: Call, terminal: Terminal): Promise<ExitCode> {
  if (options.list === true) {
    terminal.stdout.write(checkList(protocol, options));
    return 0;
  }
  if (protocol === undefined) throw new GatewayError('invalid', `which protocol? there are ${sidesText()}`);
  checkCall(command, options);
  if (options.trace.length > 0) return judgeFiles(protocol, options, terminal);
  return (options.as === 'client' ? judgeVisitors : judgeAgent)({ protocol, command, options }, terminal);
}

/** Options that say nothing together are a mistake that nobody would see. */
function checkCall(command: readonly string[], options: ConformanceOptions): void {
  const { as = 'agent', url, trace, stdio, listen, by, whole } = options;
  const refuse = (sentence: string) => {
    throw new GatewayError('invalid', sentence);
  };
  checkOutputs(options, stdio === true);
  if (trace.length > 0 && (command.length > 0 || url.length > 0 || stdio === true || listen !== undefined))
    refuse('a recording is judged as it is: give --trace without a program, --url, --stdio or --listen');
  if (trace.length === 0 && (by !== undefined || whole === true))
    refuse('--by and --whole are for recordings: --trace');
  if (by !== undefined && options.as !== undefined && by !== options.as)
    refuse(`a recording of the ${by}'s lines says nothing of the ${options.as}: leave --as away`);
  if (url.length > 0 && command.length > 0) refuse('give --url or a program, not both');
  if (as === 'agent' && (stdio === true || listen !== undefined))
    refuse('--stdio and --listen are for clients: add --as client');
  if (as === 'client' && url.length > 0) refuse('clients come to us: give --listen, --stdio or `-- <program>`');
  if (stdio === true && (command.length > 0 || listen !== undefined))
    refuse('--stdio is for a client that starts us: give no program and no --listen');
}

/** Its protocol was said. */
type KnownCall = Call & { readonly protocol: string };

async function judgeAgent({ protocol, command, options }: KnownCall, terminal: Terminal): Promise<ExitCode> {
  const set = setOf(agentSetOf(protocol), protocol, 'agent');
  const only = chosen([set], options);
  const { stderr, signal } = terminal;
  const startedAt = new Date();
  const model = bringsModel(protocol, command, options) ? await startModelHome(protocol) : null;
  const removeHome = model === null ? undefined : removal(model.folder);
  // What it writes where it runs, an export for one, is nothing that anybody wants to find there.
  const empty = model === null && options.cwd === undefined && command.length > 0 ? emptyFolder() : null;
  const progress = createProgress({ stream: stderr, isVerbose: options.verbose === true });
  try {
    const cwd = options.cwd ?? model?.project ?? empty?.path;
    const target = targetOf(protocol, command, { ...options, ...(cwd === undefined ? {} : { cwd }) }, model);
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

/** Removes the folder, at the latest when this process ends. */
function removal(folder: string): () => void {
  function remove(): void {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  process.once('exit', remove);
  return remove;
}

async function judgeVisitors({ protocol, command, options }: KnownCall, terminal: Terminal): Promise<ExitCode> {
  const set = setOf(clientSetOf(protocol), protocol, 'client');
  chosen([set], options);
  const startedAt = new Date();
  const progress = createProgress({ stream: terminal.stderr, isVerbose: true });
  const { givenUp, ...judged } = await judgeClients({ set, command, options, progress, terminal });
  const code = conclude({ ...judged, set, startedAt, isStdoutTaken: options.stdio === true }, options, terminal);
  if (givenUp === undefined) return code;
  tell(terminal.stderr, givenUp);
  return code === 0 ? 2 : code;
}
