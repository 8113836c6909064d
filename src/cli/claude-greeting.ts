// The first line of a client that starts us, read before its agent is started: the Agent SDK says there what the model is to
// be told, as Claude Code reads it with `--await-initialize` (Agent SDK 0.3.330, `initialize`).
import { PassThrough, type Readable } from 'node:stream';
import { instructionsIn } from '../adapters/claude/initialize.ts';
import { ControlRequestFrame } from '../adapters/claude/wire.ts';
import type { Instructions } from '../core/instructions.ts';

/** A greeting that is longer is heard like any other frame, and its instructions are not. */
const longestGreeting = 16 * 1024 * 1024;

/** What was read, and the input with all that it had. */
export interface Greeted {
  /** Null: the client begins with something else, or says nothing of that. */
  readonly instructions: Instructions | null;
  readonly input: Readable;
}

/** Waits for the first line, or for the end of the input. */
export async function readGreeting(input: Readable): Promise<Greeted> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isWhole = false;
  while (!isWhole && size <= longestGreeting) {
    const chunk: unknown = input.read();
    if (Buffer.isBuffer(chunk)) {
      chunks.push(chunk);
      size += chunk.length;
      isWhole = chunk.includes(lineFeed);
    } else if (input.readableEnded || input.destroyed) break;
    else await movement(input);
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

/** Something can be read, or nothing ever will. */
function movement(input: Readable): Promise<void> {
  return new Promise((resolve) => {
    const names = ['readable', 'end', 'error', 'close'] as const;
    const over = () => {
      for (const name of names) input.off(name, over);
      resolve();
    };
    for (const name of names) input.on(name, over);
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
