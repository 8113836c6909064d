// The checker of the envelope that the front end of the RpcMessage project relies on (docs/protocols/rpc-message.md 8).
// order.ts checks the content. Shares no code with the product.
import { z } from 'zod';
import { checkRpcMessages } from './order.ts';

/** A request that the client sent. */
export interface RpcCall {
  readonly id: string;
  readonly method: string;
}

const Stream = z.strictObject({ id: z.string(), type: z.literal('stream'), data: z.looseObject({ type: z.string() }) });
const Complete = z.strictObject({ id: z.string(), type: z.literal('complete') });
const Result = z.strictObject({ id: z.string(), result: z.looseObject({}), error: z.null() });
const Failure = z.strictObject({
  id: z.string(),
  result: z.null(),
  error: z.strictObject({ code: z.literal(-1), message: z.string().min(1) }),
});

type Kind = 'stream' | 'complete' | 'result' | 'error';

function kindOf(frame: unknown): Kind | null {
  if (Stream.safeParse(frame).success) return 'stream';
  if (Complete.safeParse(frame).success) return 'complete';
  if (Result.safeParse(frame).success) return 'result';
  return Failure.safeParse(frame).success ? 'error' : null;
}

const Named = z.looseObject({ id: z.string(), data: z.unknown().optional() });
const Bare = z.looseObject({ type: z.string() });
const typeOf = (frame: unknown): string | undefined => Bare.safeParse(frame).data?.type;

/**
 * The violations in everything that one connection received for these requests. `isCut`: the connection ended before
 * everything was answered.
 */
export function checkRpcEnvelopes(calls: readonly RpcCall[], frames: readonly unknown[], isCut = false): string[] {
  const faults: string[] = [];
  const heard = new Map<string, Kind[]>(calls.map(({ id }) => [id, []]));
  const said = new Map<string, unknown[]>(calls.map(({ id }) => [id, []]));
  const bare: unknown[] = [];

  for (const [at, frame] of frames.entries()) {
    const kind = kindOf(frame);
    if (kind === null) {
      // A message without an envelope is allowed.
      if (typeof frame === 'object' && frame !== null && 'type' in frame && !('data' in frame)) bare.push(frame);
      else faults.push(`${at}: neither an envelope nor a message`);
      continue;
    }
    const { id, data } = Named.parse(frame);
    const kinds = heard.get(id);
    if (kinds === undefined) faults.push(`${at}: ${kind} for ${JSON.stringify(id)}, which nobody asked for`);
    kinds?.push(kind);
    if (kind === 'stream') said.get(id)?.push(data);
  }

  for (const { id, method } of calls) {
    const kinds = heard.get(id) ?? [];
    const data = said.get(id) ?? [];
    const fault = method.startsWith('query') ? queryFault(kinds, data, isCut) : answerFault(kinds, isCut);
    if (fault !== null) faults.push(`${method} ${id}: ${fault}`);
    for (const { rule, says } of checkRpcMessages(data)) faults.push(`${method} ${id}: ${rule}: ${says}`);
  }
  for (const { rule, says } of checkRpcMessages(bare)) faults.push(`bare: ${rule}: ${says}`);
  return faults;
}

function answerFault(kinds: readonly Kind[], isCut: boolean): string | null {
  const [only, ...others] = kinds;
  if (only === undefined) return isCut ? null : 'no answer';
  if (others.length > 0) return `${kinds.length} answers`;
  return only === 'result' || only === 'error' ? null : `answered with ${only}`;
}

/** A query ends once, with `complete` after its result or with `error`, and nothing follows. */
function queryFault(kinds: readonly Kind[], data: readonly unknown[], isCut: boolean): string | null {
  const results = data.filter((frame) => typeOf(frame) === 'result').length;
  const words = kinds.join(' ');
  if (/^error$/u.test(words)) return null;
  if (/^(?:stream )+complete$/u.test(words)) {
    if (results !== 1) return `${results} results`;
    return typeOf(data.at(-1)) === 'result' ? null : `ends with ${typeOf(data.at(-1))}`;
  }
  return isCut && /^(?:stream ?)*$/u.test(words) && results === 0 ? null : `heard ${words || 'nothing'}`;
}
