// The prompt of `claude -p`: the arguments of the command line, followed by the text on stdin.
import { GatewayError } from '../../../core/model/errors.ts';

/** How long to wait for the first byte on stdin if the command line already has a prompt, ms. */
const patienceMs = 3000;

/** The input stream. */
export interface PipedInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  destroy(): void;
}

/** Returns the whole prompt. Throws `invalid` if it is empty. */
export async function readPrompt(
  words: readonly string[],
  input: PipedInput,
  remark: (sentence: string) => void,
): Promise<string> {
  const text = words.join(' ');
  const piped = input.isTTY === true ? '' : await readAll(input, text === '' ? null : () => remark(tooSilent));
  const prompt = [text, piped].filter((part) => part.trim() !== '').join('\n');
  if (prompt === '') throw new GatewayError('invalid', 'give -p a prompt, as an argument or on stdin');
  return prompt;
}

const tooSilent = 'nothing came on stdin within 3 seconds: continuing without it (use < /dev/null to avoid the wait)';

/** With `giveUp`, stops waiting for an open but silent input: the parent process may have left it open. */
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

/** The prompt as the SDK would send it, as one line. */
export function promptLine(text: string): Uint8Array {
  const frame = { type: 'user', session_id: '', message: { role: 'user', content: text }, parent_tool_use_id: null };
  return Buffer.from(`${JSON.stringify(frame)}\n`);
}
