// Describes the problem of a frame that its schema refuses.
import type { z } from 'zod';
import { GatewayError, messageOf } from '../../../core/model/errors.ts';

/** The first problem with its path: `message.content: Invalid input`. Never repeats the content of the frame. */
export function problemOf(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'invalid' : `${issue.path.map(String).join('.') || 'frame'}: ${issue.message}`;
}

/**
 * The JSON parser's error, worded as in pi. The error quotes the input, so send it only to the client that sent the
 * input.
 */
export function parserWords(thrown: unknown): string {
  const cause = thrown instanceof GatewayError ? thrown.cause : undefined;
  return cause instanceof SyntaxError ? cause.message : messageOf(thrown);
}
