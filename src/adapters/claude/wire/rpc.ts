// The envelope around requests of a client (docs/protocols/rpc-message.md 8.1): `{"id","method","params"}`. Tolerant:
// unknown keys are kept, unknown methods are for the caller to refuse.
import { z } from 'zod';
import { PromptBlock } from './client.ts';

/** Each frame of a query repeats its id: a long one would make the stream as long again with every frame. */
const longestId = 256;

/** A request. Its answer carries the same id. */
export const RpcRequest = z.looseObject({
  id: z.string().max(longestId),
  method: z.string(),
  params: z.unknown().optional(),
});
export type RpcRequest = z.infer<typeof RpcRequest>;

/** What the methods take that take something. */
export const rpcParams = {
  query: z.looseObject({ message: z.string() }),
  queryWithContent: z.looseObject({ content: z.array(PromptBlock) }),
  /** The RpcMessage front end sends the bare name: docs/protocols/rpc-message.md 8.2. */
  setModel: z.union([z.string(), z.looseObject({ model: z.string() }).transform(({ model }) => model)]),
  setPermissionMode: z.looseObject({ mode: z.string() }),
} as const;

/** Whether a frame is meant as a request: a bare message has a type, a request has none. */
export function isRpcRequest(frame: unknown): frame is object {
  return typeof frame === 'object' && frame !== null && !('type' in frame) && ('method' in frame || 'id' in frame);
}
