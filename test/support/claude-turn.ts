// What a Claude client says in the end-to-end tests, and how it hears a turn out.
import type { Client } from './clients.ts';
import type { Frame } from './inbox.ts';

/** A prompt as the official client sends it. */
export function promptFrame(text: string, more: readonly object[] = []): object {
  const content = [{ type: 'text', text }, ...more];
  return { type: 'user', session_id: '', message: { role: 'user', content }, parent_tool_use_id: null };
}

/** The frame that interrupts a turn. */
export function interruptFrame(id: string): object {
  return { type: 'control_request', request_id: id, request: { subtype: 'interrupt' } };
}

export const isResult = (frame: Frame): boolean => frame.type === 'result';

/** Matches a stream event of a type, with a delta of a type where one is named. */
export function isEvent(type: string, delta?: string): (frame: Frame) => boolean {
  return (frame) => {
    if (frame.type !== 'stream_event') return false;
    const text = JSON.stringify(frame.event);
    return text.includes(`"type":"${type}"`) && (delta === undefined || text.includes(`"type":"${delta}"`));
  };
}

/** Sends a prompt and hears the turn out: the frames from then on, up to and including the result. */
export async function turn(client: Client, text: string, during?: (from: number) => Promise<void>): Promise<Frame[]> {
  const from = client.frames.length;
  await client.send(promptFrame(text));
  await during?.(from);
  const result = await client.waitFor(isResult, `the result of ${text}`, from);
  return client.frames.slice(from, client.frames.indexOf(result) + 1);
}
