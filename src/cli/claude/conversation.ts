// One conversation of `patchbay-claude`: the client on stdin, or one that says a single prompt; what the agent is told
// before; what is printed when it is not the frames themselves.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { PassThrough, Readable } from 'node:stream';
import { refusalResult } from '../../adapters/claude/frontend/result-frame.ts';
import type { Config } from '../../config/config.ts';
import type { Command } from '../../core/model/command.ts';
import { messageOf, type Outcome } from '../../core/model/errors.ts';
import { QueryData } from '../../core/model/outcome-data.ts';
import type { ChosenForClaude } from './agent.ts';
import type { ClaudeArgv } from './argv.ts';
import { promptLine } from './prompt.ts';
import { type ClientWatch, type Result, watchClient } from '../client-watch.ts';
import { serveStdio } from '../serve-stdio.ts';
import type { StoredIds } from '../stored-ids.ts';

/** Who talks to whom. */
export interface ConversationOptions {
  readonly argv: ClaudeArgv;
  readonly chosen: ChosenForClaude;
  /** All that the client says; null: it is on stdin. */
  readonly prompt: string | null;
  /** Where the client speaks, when there is no prompt. */
  readonly input: Readable;
  readonly stored: StoredIds;
  readonly verbose: boolean;
  /** Tells people. */
  remark(sentence: string): void;
}

/** Serves the client to its end and returns the last result, if there was one. Throws what {@link serveStdio} throws. */
export async function converse(options: ConversationOptions): Promise<Result | null> {
  const { argv, chosen, prompt } = options;
  const client = watchClient();
  const failure = new AbortController();
  try {
    await serveStdio({
      config: withRoom(chosen.config, prompt),
      frontend: 'claude',
      client: {
        partialMessages: argv.has('--include-partial-messages'),
        ...(argv.has('--replay-user-messages') ? { replayUserMessages: true } : {}),
        ...(chosen.isNamedByAgent ? { agentSessionId: true } : {}),
      },
      session: chosen.session,
      verbose: options.verbose,
      opening: {
        commands: chosen.opening,
        settled: createSettled(options, client, failure),
        isUnattended: chosen.isUnattended || prompt !== null,
      },
      endsWithAgent: 'always',
      failure: failure.signal,
      lastWords: (sentence) => (client.last() === null ? failureFrame(sentence, chosen.session) : null),
      signalCode: (signal) => 128 + constants.signals[signal],
      input: prompt === null ? options.input : Readable.from([promptLine(prompt)]),
      ...(argv.output === 'stream-json' ? {} : { output: new PassThrough().resume() }),
      wrap: client.wrap,
    });
  } finally {
    const text = client.lastText();
    if (argv.output === 'json' && text !== '') process.stdout.write(`${text}\n`);
  }
  const last = client.last();
  if (argv.output === 'text' && last !== null) tellText(last, options);
  return last;
}

/**
 * What the command line asks for comes before the first prompt, which is meant for that model: the client is heard when
 * the agent has answered.
 */
function createSettled(options: ConversationOptions, client: ClientWatch, failure: AbortController) {
  const { argv, chosen, stored, remark } = options;
  let unsettled = chosen.opening.filter(isSetting).length;
  if (unsettled === 0) client.admit();

  return (command: Command, outcome: Outcome): void => {
    if (!isSetting(command)) {
      if (!argv.has('--no-session-persistence')) keep(stored, chosen, outcome, remark);
      return;
    }
    if (!outcome.ok && command.type === 'switch-session') failure.abort(outcome.error.message);
    else if (!outcome.ok) remark(`${command.type} at the start was refused: ${outcome.error.message}`);
    unsettled -= 1;
    if (unsettled > 0) return;
    // What it says is meant for a conversation that is not there: its end is heard, behind ours, and no prompt.
    if (failure.signal.aborted) setImmediate(client.admit);
    else client.admit();
  };
}

/** A question only wakes the agent; when that fails the agent is lost, which is told by itself. */
function isSetting({ type }: Command): boolean {
  return type !== 'query';
}

/** So that `--resume` finds it again. An agent that goes on with a conversation has told us of a new one before. */
function keep(stored: StoredIds, chosen: ChosenForClaude, outcome: Outcome, remark: (sentence: string) => void): void {
  const state = outcome.ok ? QueryData.state.safeParse(outcome.data).data : undefined;
  const file = chosen.resumes ?? state?.changes.file;
  if (file === undefined) return;
  try {
    stored.save({ id: chosen.session, agent: chosen.name, cwd: process.cwd(), file });
  } catch (thrown) {
    remark(`this session cannot be resumed by its id: ${messageOf(thrown)}`);
  }
}

/** Longest line of a client that has started us, bytes: as many images as the Messages API takes, and room for more. */
const longestLine = 64 * 1024 * 1024;

/** Who starts us may fill its own memory, as with Claude Code: the limit of the network would refuse its images. */
function withRoom(config: Config, prompt: string | null): Config {
  const needed = prompt === null ? 0 : promptLine(prompt).length;
  const clientFrameBytes = Math.max(config.limits.clientFrameBytes, longestLine, needed);
  return { ...config, limits: { ...config.limits, clientFrameBytes } };
}

/** What people see of `-p`. */
function tellText({ result, errors }: Result, { remark }: ConversationOptions): void {
  if (result === undefined) remark(errors?.join('; ') || 'the turn failed');
  else process.stdout.write(`${result}\n`);
}

/** The result of a conversation that cannot be: without one a client may wait for ever (docs/protocols/claude.md 2.2, 2.5). */
export function failureFrame(sentence: string, session: string): string {
  return JSON.stringify({ ...refusalResult({ message: sentence }, 0), session_id: session, uuid: randomUUID() });
}
