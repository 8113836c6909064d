// Judges one turn of a Claude client before a real pi: the order of its frames, and what they say against pi's own record.
import { expect } from 'vitest';
import type { Client } from './clients.ts';
import type { Frame } from './inbox.ts';
import { faultsIn } from './judged.ts';
import { finalMessages } from './judges/message-stream.ts';
import { turnDifferences } from './judges/turn.ts';
import { linesAround, type PiHome, recordOf } from './pi-rig.ts';

/** Expects `frames`, the turn of that prompt, to be in order and to say what the pi of that home reported. */
export async function judgeTurn(home: PiHome, client: Client, prompt: string, frames: readonly Frame[]): Promise<void> {
  expect(faultsIn('claude', client.frames, false)).toEqual([]);
  const around = linesAround(await recordOf(home, prompt), prompt);
  expect(await turnDifferences({ frames, ...around })).toEqual([]);
}

/** All that the model said in these frames. */
export async function saidIn(frames: readonly Frame[]): Promise<string> {
  const blocks = (await finalMessages(frames)).flatMap(({ content }) => content);
  return blocks.flatMap((block) => Object.values(block ?? {})).join('\n');
}
