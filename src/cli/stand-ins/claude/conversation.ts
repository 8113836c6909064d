// Runs one conversation of `patchbay-claude`: the client is on stdin, or is a generated client with a single prompt.
// Also sends the opening commands and prints the result for output formats without frames.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { PassThrough, Readable } from 'node:stream';
import { refusalResult } from '../../../adapters/claude/frontend/result-frame.ts';
import type { Config } from '../../../config/config.ts';
import type { Command } from '../../../core/model/command.ts';
import { messageOf, type Outcome } from '../../../core/model/errors.ts';
import { QueryData } from '../../../core/model/outcome-data.ts';
import { serveStdio } from '../../stdio/serve-stdio.ts';
import { type ClientWatch, type Result, watchClient } from '../client-watch.ts';
import type { StoredIds } from '../stored-ids.ts';
import type { ChosenForClaude } from './agent.ts';
import type { ClaudeArgv } from './argv.ts';
import { promptLine } from './prompt.ts';

/** The agent, the client and the store of one conversation. */
export interface ConversationOptions {
  readonly argv: ClaudeArgv;
  readonly chosen: ChosenForClaude;
  /** The only prompt; null if the client is on `input`. */
  readonly prompt: string | null;
  /** The client's frames; unused with a prompt. */
  readonly input: Readable;
  readonly stored: StoredIds;
  readonly verbose: boolean;
  /** Prints a sentence for the user. */
  remark(sentence: string): void;
}

/** Serves the client until it leaves and returns the last result, if any. Throws the errors of {@link serveStdio}. */
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
      ...(chosen.goesOnBy === 'agent' ? { resume: chosen.resumes } : {}),
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
 * Handles the outcomes of the opening commands. The client's frames are held back until the agent has answered the
 * settings of the command line: the first prompt is meant for the requested model.
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
    // The conversation is missing. Admit the client only after our close: its end is noticed, its prompts are ignored.
    if (failure.signal.aborted) setImmediate(client.admit);
    else client.admit();
  };
}

/** A query only starts the agent. A failed start is reported as the loss of the agent. */
function isSetting({ type }: Command): boolean {
  return type !== 'query';
}

/**
 * Records the session for `--resume`. Prefers the resumed file: an agent first reports the file of a new conversation.
 */
function keep(stored: StoredIds, chosen: ChosenForClaude, outcome: Outcome, remark: (sentence: string) => void): void {
  const state = outcome.ok ? QueryData.state.safeParse(outcome.data).data : undefined;
  const file = chosen.resumes ?? state?.changes.file ?? state?.changes.resume;
  if (file === undefined) return;
  try {
    stored.save({ id: chosen.session, agent: chosen.name, cwd: process.cwd(), file });
  } catch (thrown) {
    remark(`this session cannot be resumed by its id: ${messageOf(thrown)}`);
  }
}

/** Longest line of a local client, bytes: room for more images than the Messages API accepts. */
const longestLine = 64 * 1024 * 1024;

/**
 * Raises the frame limit: the limit for network clients would refuse images, and a local client may fill its own
 * memory.
 */
function withRoom(config: Config, prompt: string | null): Config {
  const needed = prompt === null ? 0 : promptLine(prompt).length;
  const clientFrameBytes = Math.max(config.limits.clientFrameBytes, longestLine, needed);
  return { ...config, limits: { ...config.limits, clientFrameBytes } };
}

/** Prints the result of `-p` as text. */
function tellText({ result, errors }: Result, { remark }: ConversationOptions): void {
  if (result === undefined) remark(errors?.join('; ') || 'the turn failed');
  else process.stdout.write(`${result}\n`);
}

/**
 * A result frame for a failed start: without a result a client may wait forever (docs/protocols/claude.md 2.2, 2.5).
 */
export function failureFrame(sentence: string, session: string): string {
  return JSON.stringify({ ...refusalResult({ message: sentence }, 0), session_id: session, uuid: randomUUID() });
}
