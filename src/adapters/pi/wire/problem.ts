// Names what is wrong with a frame that its schema refuses. Knows no frame.
import type { z } from 'zod';
import { GatewayError, messageOf } from '../../../core/model/errors.ts';

/** The first problem with its place: `message.content: Invalid input`. Never repeats what the frame says. */
export function problemOf(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'invalid' : `${issue.path.map(String).join('.') || 'frame'}: ${issue.message}`;
}

/** What the parser said of bytes that are no JSON, as pi tells it. It quotes them: only for the client that sent them. */
export function parserWords(thrown: unknown): string {
  const cause = thrown instanceof GatewayError ? thrown.cause : undefined;
  return cause instanceof SyntaxError ? cause.message : messageOf(thrown);
}
