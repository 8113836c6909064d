// What a client of pi 0.13.2 says in the end-to-end tests, and how it hears a run out.
import type { Client } from './clients.ts';
import type { Frame } from './inbox.ts';

export const isRunEnd = (frame: Frame): boolean => frame.type === 'agent_end';

/** Matches an update of that type. */
export function isUpdate(type: string): (frame: Frame) => boolean {
  return (frame) =>
    frame.type === 'message_update' && JSON.stringify(frame).includes(`"assistantMessageEvent":{"type":"${type}"`);
}

/** Sends a prompt and hears its run out: the lines from then on, up to and including agent_end. */
export async function legacyTurn(
  client: Pick<Client, 'frames' | 'waitFor' | 'send'>,
  message: string,
  during?: (from: number) => Promise<void>,
): Promise<Frame[]> {
  const from = client.frames.length;
  await client.send({ type: 'prompt', message });
  await during?.(from);
  const end = await client.waitFor(isRunEnd, `the end of ${message}`, from);
  return client.frames.slice(from, client.frames.indexOf(end, from) + 1);
}
