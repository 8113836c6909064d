// Every line that a client of pi 0.13.2 sends (docs/protocols/pi-legacy.md 1.1, 1.2, 4.6). Loose: unknown keys
// stay. What pi prints is in ../pi/wire, which knows all dialects. Knows no canonical types.
import { z } from 'zod';

/**
 * A file with a prompt. Of the document's fields only those are demanded without which it says nothing; `size` is in bytes,
 * `content` and `preview` are base64.
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
  /** An empty message gets no answer from pi 0.13.2, and one that is no string spoils its session (docs/protocols/pi-legacy.md 1.4, 1.6). */
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
