// The params of what newer clients ask of their chats: to go back, to be made another of, to be listed (since 0.80, 0.119
// and 0.128).
import { z } from 'zod';

const text = z.string().nullish();

/** `include` is absent in older clients, which want both. */
export const RollbackParams = z.looseObject({
  chatId: z.string(),
  contentId: text,
  include: z.array(z.string()).nullish().catch(undefined),
});
export type RollbackParams = z.infer<typeof RollbackParams>;

/** The chat up to that content. */
export const ForkParams = z.looseObject({ chatId: z.string(), contentId: text });
export type ForkParams = z.infer<typeof ForkParams>;

/** A limit that is none means all. */
export const ListParams = z.looseObject({
  limit: z.number().nullish().catch(undefined),
  sortBy: text.catch(undefined),
});
export type ListParams = z.infer<typeof ListParams>;
