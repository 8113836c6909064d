// A conversation of an Agent SDK, of any version, with `patchbay-claude` as its executable.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Options, Query, SDKMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { createInbox, type Frame, type Inbox } from '../support/inbox.ts';

/** The module of an Agent SDK; the types are those of the one that the project has. */
export type Sdk = Pick<typeof import('@anthropic-ai/claude-agent-sdk'), 'query'>;

/** Loads the Agent SDK in that folder. */
export async function loadSdk(folder: string): Promise<Sdk> {
  return (await import(pathToFileURL(join(folder, 'sdk.mjs')).href)) as Sdk;
}

const executable = fileURLToPath(new URL('../../dist/cli/patchbay-claude.js', import.meta.url));
/** A start of pi on a machine that has other work. */
const patienceMs = 45_000;

/** A conversation under way. */
export interface SdkTalk extends Pick<Inbox, 'frames'> {
  readonly query: Query;
  stderr(): string;
  say(text: string): void;
  hear(label: string, fits: (frame: Frame) => boolean, from?: number): Promise<Frame>;
  /** Says a prompt and hears its turn out. `during`: what is done meanwhile, told where the turn begins. */
  turn(text: string, during?: (from: number) => Promise<void>): Promise<Frame[]>;
  close(): Promise<void>;
}

/** Starts `query()`, with more options than the usual ones. */
export function startTalk(
  sdk: Sdk,
  settings: { cwd: string; env: Record<string, string>; options?: Options },
): SdkTalk {
  const inbox = createInbox();
  const waiting: string[] = [];
  let isOver = false;
  let wake = () => {};
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    while (!isOver) {
      const content = waiting.shift();
      if (content !== undefined)
        yield { type: 'user', session_id: '', message: { role: 'user', content }, parent_tool_use_id: null };
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  let child: ChildProcess | undefined;
  let stderr = '';
  const running = sdk.query({
    prompt: prompts(),
    options: {
      pathToClaudeCodeExecutable: executable,
      cwd: settings.cwd,
      env: { ...process.env, PATCHBAY_CHAIN: '', PATCHBAY_VERBOSE: '', ...settings.env },
      includePartialMessages: true,
      spawnClaudeCodeProcess({ command, args, cwd, env }) {
        const started = spawn(command, args, { cwd, env });
        started.stderr.setEncoding('utf8').on('data', (text: string) => {
          stderr += text;
        });
        child = started;
        return started;
      },
      ...settings.options,
    },
  });
  const read = async () => {
    for await (const message of running as AsyncIterable<SDKMessage>) inbox.line(JSON.stringify(message));
    inbox.cut('the query has ended');
  };
  const reading = read().catch((thrown: unknown) => inbox.cut(`${String(thrown)} ${stderr}`));
  const say = (text: string) => {
    waiting.push(text);
    wake();
  };
  const hear: SdkTalk['hear'] = async (label, fits, from = 0) => {
    const look = () => inbox.frames.slice(from).find(fits);
    await inbox.until(() => look() !== undefined, label, patienceMs);
    return inbox.waitFor(fits, label, from);
  };
  return {
    frames: inbox.frames,
    query: running,
    stderr: () => stderr,
    say,
    hear,
    async turn(text, during = async () => {}) {
      const from = inbox.frames.length;
      say(text);
      await during(from);
      const result = await hear(`the result of ${text}`, ({ type }) => type === 'result', from);
      return inbox.frames.slice(from, inbox.frames.indexOf(result) + 1);
    },
    async close() {
      isOver = true;
      wake();
      await reading;
      if (child !== undefined && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
