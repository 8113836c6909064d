// A made-up Claude Code: answers control requests, and says what a prompt orders, from bytes made ready beforehand, so
// that the reader is what is measured.
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { claudeWriter } from '../claude-stream.ts';
import { sampledDeltas } from '../workloads.ts';
import { type Order, orderIn } from './order.ts';
import { bytesOf, write } from './out.ts';

type Plan = z.output<typeof Order>;

const writer = claudeWriter();
let messages = 0;

/** The lines of a message, made once for each: a frame of another message is another frame. */
function messageOf({ bytes, sample, plays }: Plan): { said: Buffer; text: string } {
  const { deltas } = sampledDeltas('delta-only', bytes, sample);
  const played = Array.from({ length: plays }, () => deltas).flat();
  messages += 1;
  return { said: bytesOf(writer.message(messages, [{ kind: 'text', deltas: played }])), text: played.join('') };
}

function say(plan: Plan): void {
  // Ready before the first byte leaves: making it is not what is measured.
  const ready = Array.from({ length: plan.messages }, () => messageOf(plan));
  write(bytesOf(writer.opening()));
  for (const { said } of ready) write(said);
  write(bytesOf(writer.closing(ready.at(-1)?.text ?? '')));
}

const Input = z.looseObject({
  type: z.string(),
  request_id: z.string().optional(),
  message: z.unknown().optional(),
});

/** What `initialize` is answered with; other requests get nothing. */
const facts = {
  commands: [],
  agents: [],
  output_style: 'default',
  available_output_styles: ['default'],
  models: [],
  account: {},
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { type, request_id, message } = Input.parse(JSON.parse(line));
    if (type === 'control_request') {
      const response = { subtype: 'success', request_id, response: facts };
      write(bytesOf([JSON.stringify({ type: 'control_response', response })]));
    }
    const plan = type === 'user' ? orderIn(wordsIn(message)) : null;
    if (plan !== null) say(plan);
  })
  .on('close', () => process.exit(0));

/** All texts in a user message, whatever it is made of. */
function wordsIn(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? Object.values(value).map(wordsIn).join(' ') : '';
}
