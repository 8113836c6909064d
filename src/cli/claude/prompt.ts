// The prompt of `claude -p`: the words of the command line, and behind them what was piped in. Knows no agent.
import { GatewayError } from '../../core/model/errors.ts';

/** How long we wait for the first byte on stdin when the command line has a prompt already, ms. */
const patienceMs = 3000;

/** What is read from. */
export interface PipedInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  destroy(): void;
}

/** Throws `invalid` when there is none. */
export async function readPrompt(
  words: readonly string[],
  input: PipedInput,
  remark: (sentence: string) => void,
): Promise<string> {
  const said = words.join(' ');
  const piped = input.isTTY === true ? '' : await readAll(input, said === '' ? null : () => remark(tooSilent));
  const prompt = [said, piped].filter((part) => part.trim() !== '').join('\n');
  if (prompt === '') throw new GatewayError('invalid', 'give -p a prompt, as an argument or on stdin');
  return prompt;
}

const tooSilent =
  'nothing came on stdin within 3 seconds: going on without it (close it, as with < /dev/null, to save the wait)';

/** With `giveUp`, an input that is open and silent is left alone after a while: whoever started us forgot to close it. */
function readAll(input: PipedInput, giveUp: (() => void) | null): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    const finish = () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString('utf8'));
    };
    const leave = () => {
      input.destroy();
      giveUp?.();
      finish();
    };
    const timer = giveUp === null ? undefined : setTimeout(leave, patienceMs);
    input
      .on('data', (chunk: Uint8Array) => {
        clearTimeout(timer);
        chunks.push(chunk);
      })
      .on('end', finish)
      .on('error', finish);
  });
}

/** The prompt as a client of the SDK would send it, and nothing behind it. */
export function promptLine(text: string): Uint8Array {
  const frame = { type: 'user', session_id: '', message: { role: 'user', content: text }, parent_tool_use_id: null };
  return Buffer.from(`${JSON.stringify(frame)}\n`);
}
