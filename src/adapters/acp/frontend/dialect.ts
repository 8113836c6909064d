// What a client has declared, as far as its updates depend on that (docs/protocols/acp.md 2.11, 9.64). Clients of equal
// dialects share a projection.
import type { InitializeParams } from '../wire/client.ts';

/** What the updates for a client may hold. */
export interface Dialect {
  /** `session.notices`. */
  readonly notices: boolean;
  /** `session.compaction`. */
  readonly compaction: boolean;
  /** `session.configOptions.boolean`. */
  readonly switches: boolean;
  /** `elicitation.form`. */
  readonly forms: boolean;
  /** The client is told what was said before it came (docs/protocols/acp.md 3.16, 3.17). */
  readonly past: boolean;
}

const letters = { notices: 'n', compaction: 'c', switches: 's', forms: 'f', past: 'p' } as const;

/** The dialect of a client that has declared nothing. */
export const plainDialect: Dialect = {
  notices: false,
  compaction: false,
  switches: false,
  forms: false,
  past: true,
};

/** Reads what a client declares in `initialize`. */
export function declaredDialect({ clientCapabilities }: InitializeParams): Dialect {
  const { session, elicitation } = clientCapabilities ?? {};
  const isThere = (ability: unknown) => ability !== undefined && ability !== null;
  return {
    notices: isThere(session?.notices),
    compaction: isThere(session?.compaction),
    switches: isThere(session?.configOptions?.boolean),
    forms: isThere(elicitation?.form),
    past: true,
  };
}

/** The dialect as the name that subscriptions carry. */
export function dialectName(dialect: Dialect): string {
  const { notices, compaction, switches, forms, past } = letters;
  return [
    dialect.notices ? notices : '',
    dialect.compaction ? compaction : '',
    dialect.switches ? switches : '',
    dialect.forms ? forms : '',
    dialect.past ? past : '',
  ].join('');
}

/** The dialect of that name; without a name, of a client without a connection of its own. */
export function dialectOf(name: string | undefined): Dialect {
  if (name === undefined) return plainDialect;
  const has = (letter: string) => name.includes(letter);
  return {
    notices: has(letters.notices),
    compaction: has(letters.compaction),
    switches: has(letters.switches),
    forms: has(letters.forms),
    past: has(letters.past),
  };
}
