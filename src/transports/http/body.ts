// Reads request bodies within a bound.
import { GatewayError } from '../../core/model/errors.ts';

/** Default limit of a body, bytes: one client frame (docs/threats.md T13). */
export const maxBodyBytes = 8 * 1024 * 1024;

/**
 * Reads the whole body. Throws a GatewayError `too-large`, by Content-Length or while reading, and `invalid` if the client
 * leaves before the end of the body.
 */
export async function readBody(request: Request, maxBytes = maxBodyBytes): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const reader = request.body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Do not cancel a body that is too long: the server drains it, so that the client can read the answer.
  const next = () => reader?.read().catch(leftEarly);
  for (let step = await next(); step !== undefined && !step.done; step = await next()) {
    chunks.push(step.value);
    length += step.value.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
  }
  return Buffer.concat(chunks, length);
}

/** Only its client can break a body: no fault of the gateway, and nobody is there to read the answer. */
function leftEarly(cause: unknown): never {
  throw new GatewayError('invalid', 'the connection ended before the body', { cause });
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('too-large', `the body has more than ${maxBytes} bytes`);
}

/** The media type, lower case and without parameters; '' when there is none. */
export function contentType(request: Request): string {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  return type.trim().toLowerCase();
}

/** Reads a JSON object whose fields are optional strings. Throws a GatewayError `invalid` for anything else. */
export function stringFields<Name extends string>(
  value: unknown,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('invalid', 'the body must be a JSON object');
  }
  const unknownName = Object.keys(value).find((key) => !names.some((name) => name === key));
  if (unknownName !== undefined)
    throw new GatewayError('invalid', `unknown field ${JSON.stringify(unknownName.slice(0, 64))}`);
  const given = new Map(Object.entries(value));
  const fields: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const field: unknown = given.get(name);
    if (field === undefined) continue;
    if (typeof field !== 'string') throw new GatewayError('invalid', `the field ${name} must be a string`);
    fields[name] = field;
  }
  return fields;
}
