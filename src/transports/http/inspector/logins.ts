// Who may use the inspector: one code from the start of the gateway, and the logins that codes and tokens have opened
// (docs/threats.md T38 to T40).
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Principal } from '../../../core/contract/principal.ts';
import { owner } from '../../../core/contract/principal.ts';

/** A page that is logged in. */
export interface Login {
  /** The random part of the path of its routes. */
  readonly id: string;
  readonly principal: Principal;
  /** Ends what the login holds open when it is over. Returns how to forget it. */
  holds(end: () => void): () => void;
}

/** What a login gives to the browser. */
export interface NewLogin {
  readonly login: Login;
  /** The value of the cookie. */
  readonly secret: string;
}

/** The outcome of an attempt. */
export type Attempt = ({ readonly is: 'in' } & NewLogin) | { readonly is: 'wrong' } | { readonly is: 'too-many' };

/** The logins of one port. */
export interface Logins {
  /** The code that has not been used yet; null: it was, or has expired. */
  readonly code: string | null;
  enter(secret: { readonly code: string } | { readonly token: string }): Attempt;
  /** The login with this id, if the cookie belongs to it. */
  find(id: string, secret: string | undefined): Login | null;
  end(login: Login): void;
  /** How many pages are logged in. */
  readonly count: number;
}

/** Times in ms, counts as they are (docs/limits.md 12.3). */
export const loginLimits = { codeMs: 12 * 3600_000, idleMs: 12 * 3600_000, logins: 16, failures: 10, perMs: 60_000 };

/** The dependencies of the logins. */
export interface LoginPorts {
  /** Finds the holder of a token. */
  holderOf(token: string): Principal | null;
  /** A clock, ms. */
  now(): number;
}

interface Kept extends Login {
  readonly hash: Buffer;
  readonly ends: Set<() => void>;
  usedAt: number;
}

/** Creates the logins, with one code. */
export function createLogins({ holderOf, now }: LoginPorts): Logins {
  const madeAt = now();
  let code: string | null = secretText();
  // A map keeps the order of insertion, so the first entry is the oldest.
  const logins = new Map<string, Kept>();
  let failures: number[] = [];

  function open(principal: Principal): Attempt {
    const [oldest] = logins.values();
    if (oldest !== undefined && logins.size >= loginLimits.logins) end(oldest);
    const secret = secretText();
    const ends = new Set<() => void>();
    const login: Kept = {
      id: secretText(),
      principal,
      hash: sha256(secret),
      ends,
      usedAt: now(),
      holds(stop) {
        ends.add(stop);
        return () => void ends.delete(stop);
      },
    };
    logins.set(login.id, login);
    return { is: 'in', login, secret };
  }

  function end({ id }: Login): void {
    const login = logins.get(id);
    logins.delete(id);
    for (const stop of login?.ends ?? []) stop();
  }

  function currentCode(): string | null {
    if (now() - madeAt > loginLimits.codeMs) code = null;
    return code;
  }

  /** Compares hashes, also without a code, so that neither content nor length leaks. */
  function isCode(candidate: string): boolean {
    const current = currentCode();
    const isEqual = timingSafeEqual(sha256(candidate), sha256(current ?? ''));
    return isEqual && current !== null;
  }

  return {
    get count() {
      return logins.size;
    },
    get code() {
      return currentCode();
    },
    enter(given) {
      failures = failures.filter((at) => now() - at < loginLimits.perMs);
      if (failures.length >= loginLimits.failures) return { is: 'too-many' };
      if ('code' in given && isCode(given.code)) {
        code = null;
        return open(owner);
      }
      const holder = 'token' in given ? holderOf(given.token) : null;
      if (holder !== null && isFull(holder)) return open(holder);
      failures.push(now());
      return { is: 'wrong' };
    },
    find(id, secret) {
      const login = logins.get(id);
      if (login === undefined || secret === undefined) return null;
      if (!timingSafeEqual(sha256(secret), login.hash)) return null;
      const isStale = login.ends.size === 0 && now() - login.usedAt > loginLimits.idleMs;
      if (isStale) {
        end(login);
        return null;
      }
      login.usedAt = now();
      return login;
    },
    end,
  };
}

/** The page shows everything of the gateway, so it needs every right. */
function isFull({ role, agents, sessions }: Principal): boolean {
  return role === 'controller' && agents === null && sessions === 'all';
}

function secretText(): string {
  return randomBytes(16).toString('base64url');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
