// Approvals as clients of three protocols see and answer them.
import { z } from 'zod';

const Question = z.union([
  z
    .looseObject({
      type: z.literal('control_request'),
      request_id: z.string(),
      request: z.looseObject({ subtype: z.literal('can_use_tool') }),
    })
    .transform(({ request_id }) => request_id),
  z.looseObject({ type: z.literal('extension_ui_request'), id: z.string() }).transform(({ id }) => id),
]);

/** The id of the last question among the frames; null if there is none. */
export function questionIn(frames: readonly string[]): string | null {
  for (const frame of frames.toReversed()) {
    const read = Question.safeParse(JSON.parse(frame));
    if (read.success) return read.data;
  }
  return null;
}

/** The frame that answers it. */
export function answerTo(frontend: string, id: string, isAllowed: boolean): string {
  if (frontend === 'pi') return JSON.stringify({ type: 'extension_ui_response', id, confirmed: isAllowed });
  const response = isAllowed ? { behavior: 'allow' } : { behavior: 'deny', message: 'no' };
  return JSON.stringify({
    type: 'control_response',
    response: { subtype: 'success', request_id: id, response },
  });
}
