// Reads the client's first line before the agent starts. The first line of the Agent SDK is its `initialize` request,
// which holds the instructions for the model. Claude Code waits for that request too, with `--await-initialize` (Agent
// SDK 0.3.330, `initialize`).
import { PassThrough, type Readable } from 'node:stream';
import { instructionsIn } from '../../../adapters/claude/frontend/initialize.ts';
import { ControlRequestFrame } from '../../../adapters/claude/wire/client.ts';
import type { Instructions } from '../../../core/contract/adapter/instructions.ts';
import type { ClaudeArgv } from './argv.ts';

/**
 * Longest greeting (the `initialize` request as the first line), bytes. A longer one is served as a normal frame and
 * its instructions are ignored.
 */
const longestGreeting = 16 * 1024 * 1024;

/** The greeting, and the input including the bytes that were read. */
export interface Greeted {
  /** Null if the first frame is not a greeting or holds no instructions. */
  readonly instructions: Instructions | null;
  readonly input: Readable;
}

/** How long to wait for a greeting that was not announced, ms. */
const patienceMs = 3000;

/** Whether the client announces a greeting: the SDK by its environment, others by `--await-initialize`. */
export function greets(argv: ClaudeArgv, env: Readonly<Record<string, string | undefined>>): boolean {
  return argv.has('--await-initialize') || (env.CLAUDE_AGENT_SDK_VERSION ?? '') !== '';
}

/**
 * Waits for the first line or the end of the input. Without a `promised` greeting the wait is limited, because the
 * agent may have to report that it cannot work.
 */
export async function readGreeting(input: Readable, promised: boolean): Promise<Greeted> {
  const patience = new AbortController();
  const timer = promised ? undefined : setTimeout(() => patience.abort(), patienceMs);
  const greeted = await readFirst(input, patience.signal);
  clearTimeout(timer);
  return greeted;
}

async function readFirst(input: Readable, patience: AbortSignal): Promise<Greeted> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isWhole = false;
  while (!isWhole && size <= longestGreeting) {
    const chunk: unknown = input.read();
    if (Buffer.isBuffer(chunk)) {
      chunks.push(chunk);
      size += chunk.length;
      isWhole = chunk.includes(lineFeed);
    } else if (input.readableEnded || input.destroyed || patience.aborted) break;
    else await movement(input, patience);
  }
  const bytes = Buffer.concat(chunks);
  const line = bytes.subarray(0, isWhole ? bytes.indexOf(lineFeed) : undefined).toString();
  const instructions = instructionsOf(line);
  // An ended stream accepts no `unshift`.
  if (input.readableEnded) return { instructions, input: inOnePiece(bytes) };
  if (bytes.length > 0) input.unshift(bytes);
  return { instructions, input };
}

const lineFeed = 0x0a;

function inOnePiece(bytes: Buffer): Readable {
  const rest = new PassThrough();
  rest.end(bytes);
  return rest;
}

/** Resolves when bytes can be read, the input is over, or the wait is aborted. */
function movement(input: Readable, patience: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const names = ['readable', 'end', 'error', 'close'] as const;
    const over = () => {
      for (const name of names) input.off(name, over);
      patience.removeEventListener('abort', over);
      resolve();
    };
    for (const name of names) input.on(name, over);
    patience.addEventListener('abort', over);
  });
}

function instructionsOf(line: string): Instructions | null {
  try {
    const frame = ControlRequestFrame.safeParse(JSON.parse(line));
    return frame.data?.request.subtype === 'initialize' ? instructionsIn(frame.data.request) : null;
  } catch {
    // Invalid JSON: the gateway reports it when it reads the line.
    return null;
  }
}
