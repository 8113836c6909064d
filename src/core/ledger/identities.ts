// Recognises commands that were sent before: by id, or by idempotency key for a while, and only with an equal payload
// (docs/protocols/common.md 2).

import type { Receipt, Ticket } from '../contract/ticket.ts';
import type { Outcome } from '../model/errors.ts';
import { estimateBytes } from '../model/memory-estimate.ts';
import { type AdmittedCommand, type Ending, type Identity, laneOf } from './admitted-command.ts';
import { canonicalJson } from './fingerprint.ts';
import type { CommandRecord } from './ledger-records.ts';
import { createOutcomeStore, type KeptOutcome } from './outcomes.ts';
import type { LedgerPorts } from './ports.ts';

/** How a new command relates to an earlier one. */
export type IdentityMatch =
  | { readonly is: 'kept'; readonly kept: KeptOutcome }
  | { readonly is: 'under-way'; readonly work: AdmittedCommand }
  /** The id or key belongs to a different command. `message`: for the client. */
  | { readonly is: 'conflict'; readonly message: string };

/** Recognises repeated commands. */
export interface Identities {
  identify(ticket: Ticket): Identity;
  /** Null if the command is new. */
  recognise(ticket: Ticket, identity: Identity): IdentityMatch | null;
  admit(work: AdmittedCommand): void;
  finish(work: AdmittedCommand, ending: Ending): void;
  /** The command in flight with this id. */
  find(id: string): AdmittedCommand | undefined;
  /** The kept outcome of the command with this id. */
  kept(id: string): KeptOutcome | undefined;
  /** A record of the command, for the time after this process. Null: the command has no name. */
  recordOf(work: AdmittedCommand): Omit<CommandRecord, 'kind' | 'at'> | null;
  /** Takes a record of an earlier process. A command that did not end has this outcome. */
  restore(record: CommandRecord, lost: Outcome, age: number): void;
  /** Everything that is kept and under way, as records. */
  records(wallClockAt: (at: number) => number): CommandRecord[];
  /** Forgets the keys of a closed session: a later session of the same name must not match them. */
  forget(session: string): void;
  readonly outcomes: number;
  readonly keys: number;
}

/**
 * Most bytes of kept outcomes, half by id and half by key. The messages of a long session can be megabytes, and 2000
 * such outcomes would exhaust the memory. An outcome that is kept by both counts twice.
 */
const maxBytes = 64 * 1024 * 1024;

/**
 * The session whose end makes the command's key invalid. The key of the command that closes the session stays valid, so
 * that a client that missed the answer can ask again.
 */
function sessionOfKey({ lane, session, effect }: Ticket): string | undefined {
  return lane === 'session' && effect !== 'closes' ? session : undefined;
}

/** The receipt of a command whose end nobody knows. */
const untold: Receipt = { replayed: false, timedOut: false };

/** Creates an empty store of identities. */
export function createIdentities({
  clock,
  limits,
  digest,
}: Pick<LedgerPorts, 'clock' | 'limits' | 'digest'>): Identities {
  const now = () => clock.now();
  const bounds = { count: limits.maxOutcomes, bytes: maxBytes / 2 };
  const kept = createOutcomeStore(bounds, now);
  const keptKeys = createOutcomeStore({ ...bounds, ttlMs: limits.idempotencyTtlMs }, now);
  const underWay = new Map<string, AdmittedCommand>();
  const keysUnderWay = new Map<string, AdmittedCommand>();

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
        weight: estimateBytes([outcome, ticket.id, key], maxBytes),
        at: now(),
      };
      if (ticket.id !== undefined) {
        underWay.delete(ticket.id);
        kept.put(ticket.id, entry);
      }
      // After the end of its session, the key may already belong to another command.
      if (key !== undefined && keysUnderWay.get(key) === work) {
        keysUnderWay.delete(key);
        keptKeys.put(key, entry);
      }
    },
    recordOf,
    restore(record, lost, age) {
      const { id, key, type, fingerprint, session } = record;
      const { outcome, receipt } = record.kind === 'outcome' ? record : { outcome: lost, receipt: untold };
      const weight = estimateBytes([outcome, id, key], maxBytes);
      const entry = { type, fingerprint, session, outcome, receipt, weight, at: now() - age };
      // A session may be made again while its command is under way.
      if (id !== undefined && !underWay.has(id)) kept.put(id, entry);
      if (key !== undefined && !keysUnderWay.has(key)) keptKeys.put(key, entry, age);
    },
    records(wallClockAt) {
      const ended = ({ type, fingerprint, session, outcome, receipt, at }: KeptOutcome) =>
        ({ kind: 'outcome', type, fingerprint, session, outcome, receipt, at: wallClockAt(at) }) as const;
      const open = new Set([...underWay.values(), ...keysUnderWay.values()]);
      return [
        ...[...kept.entries()].map(([id, outcome]) => ({ ...ended(outcome), id })),
        ...[...keptKeys.entries()].map(([key, outcome]) => ({ ...ended(outcome), key })),
        ...[...open].flatMap((work) => {
          const record = recordOf(work);
          if (record === null) return [];
          const named = { ...record, at: wallClockAt(now()) };
          const { stage } = work;
          return [
            stage.is === 'over'
              ? { kind: 'outcome' as const, ...named, ...stage.ending }
              : { kind: 'admitted' as const, ...named },
          ];
        }),
      ];
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

function recordOf({ ticket, fingerprint, key }: AdmittedCommand): Omit<CommandRecord, 'kind' | 'at'> | null {
  const { id, type } = ticket;
  return id === undefined && key === undefined ? null : { id, key, type, fingerprint, session: sessionOfKey(ticket) };
}

/** An id or key of a command, with the store to look it up in. */
interface KnownName {
  /** The field name for messages: `id` or `idempotencyKey`. */
  readonly what: string;
  readonly name: string;
  readonly underWay: AdmittedCommand | undefined;
  readonly kept: KeptOutcome | undefined;
}

/** Compares a command with what is known by its name. Null if nothing is known. */
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
