// Names what is wrong with a frame that its schema refuses. Knows no frame.
import type { z } from 'zod';

/** The first problem with its place: `message.content: Invalid input`. Never repeats what the frame says. */
export function problemOf(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'invalid' : `${issue.path.map(String).join('.') || 'frame'}: ${issue.message}`;
}
