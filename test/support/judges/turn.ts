// All judges of one turn together: what a client saw of it, against what pi reported.
import { isDeepStrictEqual } from 'node:util';
import { type Allowance, messagesDifferences } from './compare.ts';
import { assistantBlocks, type FinalMessage, finalMessages } from './message-stream.ts';
import { expectedFromPi, piMessages } from './pi-messages.ts';
import { expectedResult, resultDifferences } from './result.ts';

/** One turn on both sides. */
export interface TurnAccount {
  /** Frames of the turn, the result last. */
  readonly frames: readonly unknown[];
  /** pi's lines of the session before the turn, and in it. */
  readonly before: readonly string[];
  readonly lines: readonly string[];
}

/** The content is told twice, by the stream and by assistant frames; these may lack or guess the last block of a cut message. */
function accountsDiffer(messages: readonly FinalMessage[], framed: readonly (readonly unknown[])[]): string[] {
  const spoken = messages.filter(({ content }) => content.length > 0);
  return spoken.flatMap(({ content, stop_reason }, at) => {
    const own = framed[at] ?? [];
    const whole = stop_reason === null ? content.length - 1 : content.length;
    const same = own.length <= content.length && isDeepStrictEqual(own.slice(0, whole), content.slice(0, whole));
    return same
      ? []
      : [`assistant frames of message ${at}: ${JSON.stringify(own)} instead of ${JSON.stringify(content)}`];
  });
}

/** Everything in which the frames of a turn depart from what pi reported; empty when all judges are content. */
export async function turnDifferences(account: TurnAccount, allowance: Allowance = {}): Promise<string[]> {
  const { frames, before, lines } = account;
  const messages = await finalMessages(frames);
  const expected = piMessages(lines).map(expectedFromPi);
  return [
    ...messagesDifferences(messages, expected, allowance),
    ...accountsDiffer(messages, assistantBlocks(frames)),
    ...resultDifferences(frames.at(-1), expectedResult(before, lines, frames)),
  ];
}
