// Recognises commands that were sent before: by id, or by idempotency key for a while, and only with an equal payload
// (docs/protocols/common.md 2).
import { canonicalJson } from './fingerprint.ts';
import type { LedgerPorts } from './ports.ts';
import { createOutcomeStore, type KeptOutcome } from './outcomes.ts';
import type { Ticket } from '../contract/ticket.ts';
import { weightOf } from './weight.ts';
import { type Ending, type Identity, laneOf, type Work } from './work.ts';

/** What is known of a command that was sent before. */
export type IdentityMatch =
  | { readonly is: 'kept'; readonly kept: KeptOutcome }
  | { readonly is: 'under-way'; readonly work: Work }
  /** The id or key belongs to another command; the sentence for the client. */
  | { readonly is: 'conflict'; readonly message: string };

/** The commands that can be recognised. */
export interface Identities {
  identify(ticket: Ticket): Identity;
  /** Null: the command is new. */
  recognise(ticket: Ticket, identity: Identity): IdentityMatch | null;
  admit(work: Work): void;
  finish(work: Work, ending: Ending): void;
  /** The command of that id, if it is under way. */
  find(id: string): Work | undefined;
  /** The outcome of the command of that id, if it is over. */
  kept(id: string): KeptOutcome | undefined;
  /** The session is gone: its keys do not hold for a later session of the same name. */
  forget(session: string): void;
  readonly outcomes: number;
  readonly keys: number;
}

/**
 * Bytes that outcomes may take, half for those kept by id and half for those kept by key: the messages of a long
 * session can be megabytes, and 2000 such outcomes would exhaust the gateway. An outcome kept by both counts twice.
 */
const maxBytes = 64 * 1024 * 1024;

/**
 * The session with which a command's key is forgotten. The key of the command that closes the session stays, for a
 * client that misses the answer and asks again.
 */
function sessionOfKey({ lane, session, effect }: Ticket): string | undefined {
  return lane === 'session' && effect !== 'closes' ? session : undefined;
}

/** No command is known yet. */
export function createIdentities({
  clock,
  limits,
  digest,
}: Pick<LedgerPorts, 'clock' | 'limits' | 'digest'>): Identities {
  const now = () => clock.now();
  const bounds = { count: limits.maxOutcomes, bytes: maxBytes / 2 };
  const kept = createOutcomeStore(bounds, now);
  const keptKeys = createOutcomeStore({ ...bounds, ttlMs: limits.idempotencyTtlMs }, now);
  const underWay = new Map<string, Work>();
  const keysUnderWay = new Map<string, Work>();

  return {
    identify(ticket) {
      const isKnown = ticket.id !== undefined || ticket.key !== undefined;
      return {
        fingerprint: isKnown ? digest(canonicalJson(ticket.payload)) : '',
        key: ticket.key === undefined ? undefined : `${laneOf(ticket)}\n${ticket.key}`,
      };
    },
    recognise(ticket, identity) {
      const { key } = identity;
      const { id, key: name } = ticket;
      const byKey =
        key === undefined || name === undefined
          ? null
          : compare(ticket, identity, {
              what: 'idempotencyKey',
              name,
              underWay: keysUnderWay.get(key),
              kept: keptKeys.get(key),
            });
      if (byKey !== null || id === undefined) return byKey;
      const known = { what: 'id', name: id, underWay: underWay.get(id), kept: kept.get(id) };
      return compare(ticket, identity, known);
    },
    admit(work) {
      if (work.ticket.id !== undefined) underWay.set(work.ticket.id, work);
      if (work.key !== undefined) keysUnderWay.set(work.key, work);
    },
    finish(work, { outcome, receipt }) {
      const { ticket, fingerprint, key } = work;
      if (ticket.id === undefined && key === undefined) return;
      const entry = {
        type: ticket.type,
        fingerprint,
        session: sessionOfKey(ticket),
        outcome,
        receipt,
        weight: weightOf([outcome, ticket.id, key], maxBytes),
      };
      if (ticket.id !== undefined) {
        underWay.delete(ticket.id);
        kept.put(ticket.id, entry);
      }
      // A command whose session is gone has lost its key, which may belong to another command by now.
      if (key !== undefined && keysUnderWay.get(key) === work) {
        keysUnderWay.delete(key);
        keptKeys.put(key, entry);
      }
    },
    find: (id) => underWay.get(id),
    kept: (id) => kept.get(id),
    forget(session) {
      keptKeys.forget(session);
      for (const [key, { ticket }] of keysUnderWay) if (sessionOfKey(ticket) === session) keysUnderWay.delete(key);
    },
    get outcomes() {
      return kept.size;
    },
    get keys() {
      return keptKeys.size + keysUnderWay.size;
    },
  };
}

/** A name that a command carries, and what is known by that name. */
interface KnownName {
  /** What the client calls such a name: `id` or `idempotencyKey`. */
  readonly what: string;
  readonly name: string;
  readonly underWay: Work | undefined;
  readonly kept: KeptOutcome | undefined;
}

/** Null: nothing is known by that name. */
function compare(
  { type }: Ticket,
  { fingerprint }: Identity,
  { what, name, underWay, kept }: KnownName,
): IdentityMatch | null {
  const known = underWay ?? kept;
  if (known === undefined) return null;
  if (known.fingerprint !== fingerprint) {
    const usedFor = underWay?.ticket.type ?? kept?.type ?? '';
    const message = `Conflicting ${what} '${name}': previously used for '${usedFor}', now used for '${type}'`;
    return { is: 'conflict', message };
  }
  if (kept !== undefined) return { is: 'kept', kept };
  return underWay === undefined ? null : { is: 'under-way', work: underWay };
}
