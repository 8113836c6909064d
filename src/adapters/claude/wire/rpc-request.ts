// The schemas of an RpcMessage client's requests: the envelope `{"id","method","params"}` and the params of each method
// (docs/protocols/rpc-message.md 8.1). The schemas are tolerant: unknown keys are kept, and the caller refuses unknown
// methods.
import { z } from 'zod';
import { PromptBlock } from './client.ts';

/** The longest id. Each frame of a query repeats the id, so a long id would multiply the size of the stream. */
const longestId = 256;

/** A request. Its answer has the same id. */
export const RpcRequest = z.looseObject({
  id: z.string().max(longestId),
  method: z.string(),
  params: z.unknown().optional(),
});
export type RpcRequest = z.infer<typeof RpcRequest>;

/** The params of the methods that have any. */
export const rpcParams = {
  query: z.looseObject({ message: z.string() }),
  queryWithContent: z.looseObject({ content: z.array(PromptBlock) }),
  /** The RpcMessage front end sends the bare name (docs/protocols/rpc-message.md 8.2). */
  setModel: z.union([z.string(), z.looseObject({ model: z.string() }).transform(({ model }) => model)]),
  setPermissionMode: z.looseObject({ mode: z.string() }),
} as const;

/** Whether a frame is meant as a request: a bare message has a `type`, a request has none. */
export function isRpcRequest(frame: unknown): frame is object {
  return typeof frame === 'object' && frame !== null && !('type' in frame) && ('method' in frame || 'id' in frame);
}
