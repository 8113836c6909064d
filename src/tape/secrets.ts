// What a tape must not give away: found by the shape of tokens, by the names of keys, and by what the machine knows.

import { isDictionary } from '../core/model/dictionary.ts';

/** The kind of a secret, as tables and placeholders name it. */
export type SecretKind = 'token' | 'key' | 'env' | 'home' | 'user' | 'host';

/** What the machine knows about its user. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly user: string;
  readonly host: string;
}

/** Tokens of well-known services, JSON web tokens and private keys. */
const shapes: readonly RegExp[] = [
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}/gu,
  /\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}/gu,
  /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})/gu,
  /\b(?:xox[abeprs]-[A-Za-z0-9-]{10,}|npm_[A-Za-z0-9]{20,}|hf_[A-Za-z0-9]{20,}|ya29\.[A-Za-z0-9_-]{20,})/gu,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/gu,
  /\bAIza[A-Za-z0-9_-]{30,}/gu,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+/gu,
  /(?<=\bBearer\s+)[A-Za-z0-9._~+/-]{8,}=*/giu,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gu,
];

/** Keys whose string values are secret, without case, hyphens and underscores. */
const secretKeys =
  /^(?:(?:proxy)?authorization|(?:set)?cookie|password|passwd|passphrase|secret|credentials?|(?:x)?apikey|(?:access|refresh|auth|id|session|bearer)?token|clientsecret|privatekey|secretaccesskey)$/u;

const secretVariable = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|COOKIE/u;

/** Headers that are in nobody's way. */
const openHeader =
  /^(?:accept|content|cache|user-?agent|host|connection|origin|mcp-protocol|anthropic-(?:version|beta))/iu;

/** A password in an address, or a token in the place of its user. */
const inAddress = [
  /(?<=\b[a-z][a-z0-9+.-]*:\/\/[^/\s:@"']*:)[^/\s@"']+(?=@)/giu,
  /(?<=\bhttps?:\/\/)[^/\s:@"']{8,}(?=@)/giu,
] as const;

/** Values behind the name of a secret in a text: in the query of an address, a shell's variable, an option, a header. */
const named: readonly RegExp[] = [
  /(?<=[?&](?:[a-z0-9_.-]*[_.-])?(?:api_?key|key|token|secret|password|passwd|auth|signature|sig)=)[^&#\s"'\\<>]{8,}/giu,
  /(?<=\b[A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)=["']?)[^\s"'\\&;|<>]{8,}/gu,
  /(?<=--(?:[a-z0-9-]*-)?(?:api-?key|token|secret|password)[ =]["']?)[^\s"'\\<>]{8,}/giu,
  /(?<=\b(?:[a-z0-9-]*-)?(?:api-key|token|secret|authorization|cookie):\s*(?:(?:Bearer|Basic|token)\s+)?)[^\s"'\\<>,;]{8,}/giu,
];

/** What stands where a secret would: a variable, an option, a path, no value. */
const noSecret = /^(?:[$/-]|process\.env|undefined$|your[-_])/u;

/** Bytes that were written as base64, of at least a token's length. */
const base64 = /[A-Za-z0-9+/_-]{24,}/gu;

/** Shorter values are too common to be replaced everywhere. */
const shortest = { value: 8, name: 3 } as const;

/** The secrets of the machine, longest first. */
export function knownSecrets({ env, home, user, host }: Surroundings): Map<string, SecretKind> {
  const found = new Map<string, SecretKind>();
  for (const [name, value = ''] of Object.entries(env)) {
    if (secretVariable.test(name) && value.length >= shortest.value && !value.startsWith('/')) found.set(value, 'env');
  }
  // Inside the home directory the name of the user is replaced alone: the path stays one.
  const isNamed = user.length >= shortest.name && home.split('/').includes(user);
  if (!isNamed && home.length >= shortest.value && home !== '/root') found.set(home, 'home');
  if (user.length >= shortest.name && user !== 'root') found.set(user, 'user');
  if (host.length >= shortest.name && host !== 'localhost') found.set(host, 'host');
  return found;
}

/** Adds the secrets that have the shape of one. */
export function addShaped(text: string, found: Map<string, SecretKind>): void {
  for (const shape of [...shapes, ...inAddress])
    for (const [secret] of text.matchAll(shape)) if (!found.has(secret)) found.set(secret, 'token');
  for (const name of named)
    for (const [secret] of text.matchAll(name))
      if (!noSecret.test(secret) && !found.has(secret)) found.set(secret, 'key');
}

/** Adds the secrets in what the text holds in base64. */
export function addEncoded(text: string, found: Map<string, SecretKind>): void {
  for (const [code] of text.matchAll(base64)) {
    const plain = Buffer.from(code, 'base64').toString('latin1');
    // Images and other bytes hold no text at their beginning.
    if (/^[\t\n\r\x20-\x7e]{16}/u.test(plain)) addShaped(plain, found);
  }
}

/** Adds the value of a key that names a secret. */
export function addKeyed(key: string, value: string, found: Map<string, SecretKind>): void {
  if (value.length < shortest.value || !secretKeys.test(key.replace(/[-_]/gu, '').toLowerCase())) return;
  const bare = value.replace(/^(?:Bearer|Basic)\s+/iu, '');
  if (!found.has(bare)) found.set(bare, 'key');
}

/**
 * Adds what the variables and headers of programs and tool servers hold, as in `mcp_set_servers`: objects or lists of names and
 * values, below `env` and `headers`, at any depth.
 */
export function addCarried(json: unknown, found: Map<string, SecretKind>): void {
  if (Array.isArray(json)) for (const item of json) addCarried(item, found);
  if (!isDictionary(json)) return;
  for (const [key, value] of Object.entries(json)) {
    if (key === 'env' || key === 'environment')
      addNamed(value, (name) => secretVariable.test(name.toUpperCase()), found);
    else if (key === 'headers') addNamed(value, (name) => !openHeader.test(name), found);
    addCarried(value, found);
  }
}

function addNamed(list: unknown, isSecret: (name: string) => boolean, found: Map<string, SecretKind>): void {
  const pairs = Array.isArray(list)
    ? list.map((item): [unknown, unknown] => (isDictionary(item) ? [item.name, item.value] : [null, null]))
    : isDictionary(list)
      ? Object.entries(list)
      : [];
  for (const [name, value] of pairs) {
    if (typeof name !== 'string' || typeof value !== 'string' || !isSecret(name)) continue;
    const bare = value.replace(/^(?:Bearer|Basic)\s+/iu, '');
    // A path is a place, and stands in other frames as well.
    if (bare.length >= shortest.value && !bare.startsWith('/') && !found.has(bare)) found.set(bare, 'key');
  }
}

/** The ways in which a secret may be written: as it is, in JSON, in JSON inside JSON, in an address, in base64. */
export function formsOf(secret: string): readonly string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const forms = [secret, escaped, JSON.stringify(escaped).slice(1, -1), encodeURIComponent(secret)];
  const bytes = Buffer.from(secret, 'utf8');
  // Too short a secret has base64 that occurs by chance.
  if (bytes.length >= 9) {
    for (const before of [0, 1, 2]) {
      const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
      const sure = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
      forms.push(sure, sure.replaceAll('+', '-').replaceAll('/', '_'));
    }
  }
  return [...new Set(forms)];
}
