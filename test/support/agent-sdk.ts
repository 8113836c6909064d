// The real Claude Agent SDK with `patchbay-claude` as its executable: its `query()`, and what became of the program that
// it started. Knows no agent.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Options, type Query, query, type SDKMessage, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';

const executable = fileURLToPath(new URL('../../dist/cli/patchbay-claude.js', import.meta.url));

/** Nothing of the tester's own surroundings chooses the agent, and nothing is left in the tester's home. */
const plain = { PATCHBAY_AGENT: '', PATCHBAY_CHAIN: '', PATCHBAY_VERBOSE: '' };

const noConfig = mkdtempSync(join(tmpdir(), 'patchbay-no-config-'));

/** How a talk begins. */
export interface TalkOptions {
  /** One prompt, or {@link Turns.prompts}. */
  readonly prompt: string | AsyncIterable<SDKUserMessage>;
  readonly options?: Options;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The configuration file that the environment names. */
  readonly config?: string;
  /** Sees each message before the next one is read. */
  during?(message: SDKMessage, query: Query): void | Promise<void>;
}

/** How a talk went. */
export interface Talk {
  readonly messages: readonly SDKMessage[];
  /** What the iterator threw; null: it just ended. */
  readonly thrown: string | null;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** Has `query()` run to its end. Rejects after 50 s, for then it hangs. */
export async function talk(settings: TalkOptions): Promise<Talk> {
  const children: ChildProcess[] = [];
  let stderr = '';
  const running = query({
    prompt: settings.prompt,
    options: {
      pathToClaudeCodeExecutable: executable,
      cwd: settings.cwd ?? mkdtempSync(join(tmpdir(), 'patchbay-sdk-')),
      env: {
        ...process.env,
        ...plain,
        PATCHBAY_CONFIG: settings.config ?? '',
        XDG_CONFIG_HOME: noConfig,
        XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'patchbay-state-')),
        ...settings.env,
      },
      spawnClaudeCodeProcess({ command, args, cwd, env }) {
        const child = spawn(command, args, { cwd, env });
        children.push(child);
        child.stderr.setEncoding('utf8').on('data', (text: string) => {
          stderr += text;
        });
        return child;
      },
      ...settings.options,
    },
  });
  const messages: SDKMessage[] = [];
  let thrown: string | null = null;
  const read = async () => {
    try {
      for await (const message of running) {
        messages.push(message);
        await settings.during?.(message, running);
      }
    } catch (error) {
      thrown = error instanceof Error ? error.message : String(error);
    }
    for (const child of children) {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
  };
  try {
    await bounded(
      read(),
      () => `${messages.map((message) => JSON.stringify(message).slice(0, 200)).join('\n')}\n${stderr}`,
    );
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
  const [child] = children;
  return { messages, thrown, code: child?.exitCode ?? null, signal: child?.signalCode ?? null, stderr };
}

/** How long a talk may last before it counts as one that hangs, ms; an agent may take seconds to start. */
const patienceMs = 50_000;

async function bounded(work: Promise<void>, explain: () => string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the talk hangs; said so far:\n${explain()}`)), patienceMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Prompts that come one after the other, each when the turn before it has ended. */
export interface Turns {
  readonly prompts: AsyncIterable<SDKUserMessage>;
  /** To be called for each message that was heard. */
  heard(message: SDKMessage): void;
}

/** These prompts; after the last one, and its turn, the input ends. */
export function takeTurns(texts: readonly string[]): Turns {
  let results = 0;
  let wake = () => {};
  const untilResults = async (count: number) => {
    while (results < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for (const [at, text] of texts.entries()) {
      await untilResults(at);
      yield { type: 'user', session_id: '', message: { role: 'user', content: text }, parent_tool_use_id: null };
    }
    await untilResults(texts.length);
  }
  return {
    prompts: prompts(),
    heard(message) {
      if (message.type !== 'result') return;
      results += 1;
      wake();
    },
  };
}

/** The turns that were heard, each with its result as the last message. */
export function turnsOf(messages: readonly SDKMessage[]): SDKMessage[][] {
  const turns: SDKMessage[][] = [[]];
  for (const message of messages) {
    turns.at(-1)?.push(message);
    if (message.type === 'result') turns.push([]);
  }
  return turns.filter((turn) => turn.length > 0);
}

/** Its results, each as the text, or the errors, that it tells. */
export function resultsIn(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.type !== 'result') return [];
    return [message.subtype === 'success' ? message.result : `failed: ${message.errors.join('; ')}`];
  });
}
