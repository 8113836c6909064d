// Every line that a client of pi 0.13.2 sends (docs/protocols/pi-legacy.md 1.1, 1.2, 4.6). Loose: unknown keys stay.
// The lines that pi prints are in ../pi/wire, for all dialects.
import { z } from 'zod';

/**
 * A file with a prompt. Only the fields that are necessary to use the file are required. `size` is in bytes; `content`
 * and `preview` are base64.
 */
export const Attachment = z.looseObject({
  type: z.enum(['image', 'document']),
  id: z.string().optional(),
  fileName: z.string().optional(),
  mimeType: z.string().optional(),
  size: z.number().optional(),
  content: z.string(),
  extractedText: z.string().optional(),
  preview: z.string().optional(),
});
export type Attachment = z.infer<typeof Attachment>;

/** Lines by their `type`. */
export const commandSchemas = {
  /**
   * pi 0.13.2 never answers an empty message, and a message that is not a string spoils its session
   * (docs/protocols/pi-legacy.md 1.4, 1.6).
   */
  prompt: z.looseObject({
    type: z.literal('prompt'),
    message: z.string().min(1),
    attachments: z.array(Attachment).nullish(),
  }),
  abort: z.looseObject({ type: z.literal('abort') }),
  compact: z.looseObject({ type: z.literal('compact'), customInstructions: z.string().nullish() }),
} as const;

/** Any line from a client. */
export const ClientLine = z.discriminatedUnion('type', [
  commandSchemas.prompt,
  commandSchemas.abort,
  commandSchemas.compact,
]);
export type ClientLine = z.infer<typeof ClientLine>;
