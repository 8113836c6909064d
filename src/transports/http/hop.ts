// The signature with which one gateway forwards a request to another (decision 0033): over method, target, body, time, a
// nonce, the address of the receiver, and who asks. A request is forwarded once.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../core/contract/principal.ts';
import { headersNamed } from './headers.ts';

/** What gateways that forward to each other know. */
export interface HopSecret {
  /** The same for all of them. */
  readonly secret: string;
  /** Where the others reach this gateway, as they name it. */
  readonly address: string;
}

/** The header of a forwarded request. */
export const hopHeader = 'x-patchbay-hop';

/** How old, or how far ahead, a forwarded request may be, ms, and most that are remembered (docs/limits.md 11.8). */
const window = { ms: 30_000, most: 65_536 };

/** Longest header, characters. */
const longest = 8192;

/** What is signed beside the request. Read only once the signature is right, so a gateway has written it. */
interface Claims {
  /** Ms since 1970. */
  readonly at: number;
  readonly nonce: string;
  readonly to: string;
  readonly principal: Omit<Principal, 'agents'> & { readonly agents: readonly string[] | null };
}

/** A forwarded request whose signature is right. */
export interface Hop {
  readonly principal: Principal;
  /** SHA-256 of the body, in hexadecimal. */
  readonly bodyHash: string;
}

/** The request that is signed. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body: Uint8Array;
}

/** The hash of a body, in hexadecimal. */
export function bodyHashOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

const form = /^([A-Za-z0-9_-]+)\.([0-9a-f]{64})\.([0-9a-f]{64})$/u;

/** Signs a request to the gateway at `to` in the name of that principal. Returns the value of the header. */
export function signHop(
  secret: string,
  to: string,
  { method, target, body }: SignedRequest,
  { name, role, agents, sessions }: Principal,
): string {
  const principal = { name, role, agents: agents === null ? null : [...agents], sessions };
  const nonce = randomBytes(18).toString('base64url');
  const claims: Claims = { at: Date.now(), nonce, to, principal };
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
  const hash = bodyHashOf(body);
  return `${text}.${hash}.${macOf(secret, method, target, hash, text).toString('hex')}`;
}

function macOf(secret: string, method: string, target: string, hash: string, claims: string): Buffer {
  return createHmac('sha256', secret).update(['patchbay-hop-1', method, target, hash, claims].join('\n')).digest();
}

/** Checks forwarded requests. Null: the signature is wrong, too old, used already, or for another gateway. */
export function createHopCheck({ secret, address }: HopSecret): (request: IncomingMessage) => Hop | null {
  /** When each nonce may be forgotten, oldest first. */
  const used = new Map<string, number>();

  function isNew(nonce: string, at: number, now: number): boolean {
    for (const [old, until] of used) {
      // Clocks differ, so the order is rough: what stands behind a later one is forgotten with it.
      if (until > now) break;
      used.delete(old);
    }
    if (used.has(nonce) || used.size >= window.most) return false;
    used.set(nonce, at + window.ms);
    return true;
  }

  return (request) => {
    const { method = 'GET', url: target = '' } = request;
    const [header = '', second] = headersNamed(request, hopHeader);
    const [, text = '', bodyHash = '', mac = ''] = (header.length <= longest && form.exec(header)) || [];
    // Compared even for a header of another form: 32 bytes against 32 bytes.
    const given = Buffer.alloc(32);
    given.write(mac, 'hex');
    const isRight = timingSafeEqual(macOf(secret, method, target, bodyHash, text), given);
    if (!isRight || second !== undefined) return null;
    const claims = claimsIn(text);
    const now = Date.now();
    if (claims === null || claims.to !== address || Math.abs(now - claims.at) > window.ms) return null;
    if (!isNew(claims.nonce, claims.at, now)) return null;
    const { agents } = claims.principal;
    return { principal: { ...claims.principal, agents: agents === null ? null : new Set(agents) }, bodyHash };
  };
}

function claimsIn(text: string): Claims | null {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Claims;
  } catch {
    return null;
  }
}
