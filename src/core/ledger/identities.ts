// How a command is known again: by its id, or by its key for a while, and only if it asks for the same (docs/protocols/common.md 2).
// Knows no protocol.
import { canonicalJson } from './fingerprint.ts';
import type { LedgerPorts } from './ports.ts';
import { createOutcomeStore, type KeptOutcome } from './outcomes.ts';
import type { Ticket } from '../contract/ticket.ts';
import { weightOf } from './weight.ts';
import { type Ending, type Identity, laneOf, type Work } from './work.ts';

/** What there is of a command that has come before. */
export type IdentityMatch =
  | { readonly is: 'kept'; readonly kept: KeptOutcome }
  | { readonly is: 'under-way'; readonly work: Work }
  /** The name is taken; the sentence for whoever used it again. */
  | { readonly is: 'conflict'; readonly message: string };

/** All commands that can be known again. */
export interface Identities {
  identify(ticket: Ticket): Identity;
  /** Null: it is new. */
  recognise(ticket: Ticket, identity: Identity): IdentityMatch | null;
  admit(work: Work): void;
  finish(work: Work, ending: Ending): void;
  /** The command of that id that is not over. */
  find(id: string): Work | undefined;
  /** What came of the command of that id. */
  kept(id: string): KeptOutcome | undefined;
  /** That session is gone: keys say nothing of one that comes later under the same name. */
  forget(session: string): void;
  readonly outcomes: number;
  readonly keys: number;
}

/**
 * Bytes that outcomes may take, half for those kept by id and half for those kept by key: messages of a long session can
 * be megabytes, and 2000 of them would be the end of the gateway. What is shared by both is counted twice.
 */
const maxBytes = 64 * 1024 * 1024;

/**
 * The session that a command's key is forgotten with. That of the command which closes it stays, for whoever did not hear
 * the answer and asks again.
 */
function endsWith({ lane, session, effect }: Ticket): string | undefined {
  return lane === 'session' && effect !== 'closes' ? session : undefined;
}

/** Nobody is known yet. */
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

  /** `what` and `name`: how the command says that it is that one. */
  function compare(
    ticket: Ticket,
    { fingerprint }: Identity,
    {
      before,
      over,
      what,
      name,
    }: { before: Work | undefined; over: KeptOutcome | undefined; what: string; name: string },
  ): IdentityMatch | null {
    const known = before ?? over;
    if (known === undefined) return null;
    if (known.fingerprint !== fingerprint) {
      const type = before?.ticket.type ?? over?.type ?? '';
      const message = `Conflicting ${what} '${name}': previously used for '${type}', now used for '${ticket.type}'`;
      return { is: 'conflict', message };
    }
    if (over !== undefined) return { is: 'kept', kept: over };
    return before === undefined ? null : { is: 'under-way', work: before };
  }

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
              before: keysUnderWay.get(key),
              over: keptKeys.get(key),
              what: 'idempotencyKey',
              name,
            });
      if (byKey !== null || id === undefined) return byKey;
      return compare(ticket, identity, { before: underWay.get(id), over: kept.get(id), what: 'id', name: id });
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
        session: endsWith(ticket),
        outcome,
        receipt,
        weight: weightOf([outcome, ticket.id, key], maxBytes),
      };
      if (ticket.id !== undefined) {
        underWay.delete(ticket.id);
        kept.put(ticket.id, entry);
      }
      // One whose session has gone meanwhile has no key any more; it may be that of another by now.
      if (key !== undefined && keysUnderWay.get(key) === work) {
        keysUnderWay.delete(key);
        keptKeys.put(key, entry);
      }
    },
    find: (id) => underWay.get(id),
    kept: (id) => kept.get(id),
    forget(session) {
      keptKeys.forget(session);
      for (const [key, { ticket }] of keysUnderWay) if (endsWith(ticket) === session) keysUnderWay.delete(key);
    },
    get outcomes() {
      return kept.size;
    },
    get keys() {
      return keptKeys.size + keysUnderWay.size;
    },
  };
}
