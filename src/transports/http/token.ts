// Generates bearer tokens, checks them, and reads them from requests.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Principal } from '../../core/contract/principal.ts';
import { GatewayError } from '../../core/model/errors.ts';

/** A token, of which only the hash need be known, and who holds it. */
export interface TokenEntry {
  /** SHA-256 of the token, 32 bytes. */
  readonly hash: Buffer;
  readonly principal: Principal;
}

/** Generates a token: 32 random bytes in base64url. */
export function generateToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The hash of a token. Throws a GatewayError `invalid` for a token that no header could carry. */
export function tokenHash(token: string): Buffer {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new GatewayError('invalid', 'the token must be one or more visible ASCII characters');
  }
  return sha256(token);
}

/**
 * Finds the holder of a token; null if there is none. Compares hashes in constant time and always all of them, so that
 * neither content nor length nor place leaks (docs/threats.md T7).
 */
export function createTokenCheck(entries: readonly TokenEntry[]): (candidate: string) => Principal | null {
  return (candidate) => {
    const hash = sha256(candidate);
    let holder: Principal | null = null;
    for (const entry of entries) {
      const isEqual = timingSafeEqual(hash, entry.hash);
      if (isEqual) holder ??= entry.principal;
    }
    return holder;
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const bearerProtocol = /^bearer\.(.+)$/;

/**
 * The tokens that a request offers. Browsers cannot set headers on a WebSocket, so a subprotocol `bearer.<token>`, plain or
 * in base64url, is also accepted (docs/threats.md T6).
 */
export function offeredTokens(authorization: readonly string[], protocols: readonly string[]): readonly string[] {
  if (authorization.length > 1) return [];
  const [header] = authorization;
  if (header !== undefined) return /^bearer +(\S+)$/i.exec(header)?.slice(1) ?? [];
  return protocols.flatMap((protocol) => {
    const token = bearerProtocol.exec(protocol)?.[1];
    return token === undefined ? [] : [token, Buffer.from(token, 'base64url').toString()];
  });
}

/** The subprotocols that clients of a protocol may speak: bare frames, or frames to resume behind (docs/protocols/resume.md). */
export function subprotocols(frontend: string): { readonly plain: string; readonly resumable: string } {
  return { plain: `${frontend}.v1`, resumable: `${frontend}.v1+resume` };
}

/**
 * Chooses the subprotocol: the first that is spoken here, else a token, because browsers require one of those offered.
 * Undefined: none is agreed on.
 */
export function chooseProtocol(offered: readonly string[], frontend: string): string | undefined {
  const { plain, resumable } = subprotocols(frontend);
  const spoken = offered.find((protocol) => protocol === plain || protocol === resumable);
  return spoken ?? offered.find((protocol) => bearerProtocol.test(protocol));
}
