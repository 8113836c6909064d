// Generates the bearer token, checks it, and reads it from requests.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { GatewayError } from '../../core/model/errors.ts';

/** Generates a token: 32 random bytes in base64url. */
export function generateToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Compares hashes in constant time, so that neither content nor length leaks (docs/threats.md T7). Throws a GatewayError
 * `invalid` for a token that no header could carry.
 */
export function createTokenCheck(token: string): (candidate: string) => boolean {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new GatewayError('invalid', 'the token must be one or more visible ASCII characters');
  }
  const expected = sha256(token);
  return (candidate) => timingSafeEqual(sha256(candidate), expected);
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

/** Chooses the subprotocol: the first that is not a token, else the token, because browsers require one of those offered. */
export function chooseProtocol(offered: readonly string[]): string | undefined {
  return offered.find((protocol) => !bearerProtocol.test(protocol)) ?? offered[0];
}
