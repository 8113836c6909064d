// The first line of a client that starts us, read before its agent is started: the Agent SDK says there what the model is to
// be told, as Claude Code reads it with `--await-initialize` (Agent SDK 0.3.330, `initialize`).
import { PassThrough, type Readable } from 'node:stream';
import { instructionsIn } from '../../adapters/claude/frontend/initialize.ts';
import { ControlRequestFrame } from '../../adapters/claude/wire/client.ts';
import type { Instructions } from '../../core/contract/instructions.ts';
import type { ClaudeArgv } from './argv.ts';

/** A greeting that is longer is heard like any other frame, and its instructions are not. */
const longestGreeting = 16 * 1024 * 1024;

/** What was read, and the input with all that it had. */
export interface Greeted {
  /** Null: the client begins with something else, or says nothing of that. */
  readonly instructions: Instructions | null;
  readonly input: Readable;
}

/** How long a client may be silent that has not promised to greet, ms. */
const patienceMs = 3000;

/** Whether who starts us says that it greets: the SDK does, and whoever has `--await-initialize`. */
export function greets(argv: ClaudeArgv, env: Readonly<Record<string, string | undefined>>): boolean {
  return argv.has('--await-initialize') || (env.CLAUDE_AGENT_SDK_VERSION ?? '') !== '';
}

/**
 * Waits for the first line, or for the end of the input; where no greeting is `promised`, for a while: the agent may have
 * to say that it cannot work.
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
  const said = Buffer.concat(chunks);
  const line = said.subarray(0, isWhole ? said.indexOf(lineFeed) : undefined).toString();
  const instructions = instructionsOf(line);
  // What has ended takes nothing back.
  if (input.readableEnded) return { instructions, input: inOnePiece(said) };
  if (said.length > 0) input.unshift(said);
  return { instructions, input };
}

const lineFeed = 0x0a;

function inOnePiece(bytes: Buffer): Readable {
  const rest = new PassThrough();
  rest.end(bytes);
  return rest;
}

/** Something can be read, nothing ever will, or nobody waits any longer. */
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
    // No JSON: the gateway says so when it reads the line.
    return null;
  }
}
