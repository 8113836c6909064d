// The tokens that `patchbay serve` accepts: the single one, and those of the configuration.
import { readFileSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { GatewayError, messageOf } from '../../core/model/errors.ts';
import { type TokenEntry, tokenHash } from '../../transports/http/token.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The options that name the single token. */
export interface TokenOptions {
  readonly token?: string;
  readonly tokenFile?: string;
}

/** The single token, if one is given. An empty variable counts as unset. Throws `invalid` for an unreadable file. */
export function singleToken({ token, tokenFile }: TokenOptions, env: Environment): string | undefined {
  if (token !== undefined && tokenFile !== undefined) {
    throw new GatewayError('invalid', 'give --token or --token-file, not both');
  }
  if (tokenFile === undefined) return token ?? (env.PATCHBAY_TOKEN || undefined);
  const read = textOf(tokenFile).trim();
  // An empty token would let everybody in.
  if (read === '') throw new GatewayError('invalid', `the token file ${tokenFile} is empty`);
  return read;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new GatewayError('invalid', `cannot read the token: ${messageOf(thrown)}`);
  }
}

/** The tokens of the configuration with their rights. Throws `invalid` for one that cannot be compared or told apart. */
export function configuredTokens(
  { tokens, agents }: Pick<Config, 'tokens' | 'agents'>,
  env: Environment,
): TokenEntry[] {
  const names = new Set<string>();
  return tokens.map(({ name, role, sha256, variable, sessions, agents: allowed }) => {
    if (names.has(name)) throw new GatewayError('invalid', `two tokens have the name ${name}`);
    names.add(name);
    const unknown = allowed?.find((agent) => !Object.hasOwn(agents, agent));
    if (unknown !== undefined) throw new GatewayError('invalid', `the token ${name} names an unknown agent ${unknown}`);
    return {
      hash: sha256 === undefined ? hashIn(name, variable ?? '', env) : Buffer.from(sha256, 'hex'),
      principal: {
        name,
        role,
        agents: allowed === undefined ? null : new Set(allowed),
        sessions: sessions ?? (role === 'observer' ? 'all' : 'own'),
      },
    };
  });
}

function hashIn(name: string, variable: string, env: Environment): Buffer {
  const token = env[variable] ?? '';
  if (token === '') throw new GatewayError('invalid', `the token ${name}: the variable ${variable} is not set`);
  // As beyond loopback for the single token: whoever configures several has more than one user.
  if (token.length < 16) throw new GatewayError('invalid', `the token ${name} has fewer than 16 characters`);
  return tokenHash(token);
}
