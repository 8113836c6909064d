// The params of requests about chats: rollback (since 0.80), fork (0.124) and list (0.128).
import { z } from 'zod';

const text = z.string().nullish();

/** Older clients omit `include` and want both. */
export const RollbackParams = z.looseObject({
  chatId: z.string(),
  contentId: text,
  include: z.array(z.string()).nullish().catch(undefined),
});
export type RollbackParams = z.infer<typeof RollbackParams>;

/** Forks the chat up to that content. */
export const ForkParams = z.looseObject({ chatId: z.string(), contentId: text });
export type ForkParams = z.infer<typeof ForkParams>;

/** A missing or malformed limit means no limit. */
export const ListParams = z.looseObject({
  limit: z.number().nullish().catch(undefined),
  sortBy: text.catch(undefined),
});
export type ListParams = z.infer<typeof ListParams>;
