// The journal: sessions on the disk of this machine, a folder each, for one gateway (decision 0025).
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../core/contract/clock.ts';
import type { SessionStore, StoredHead, StoredLogOwner, StoredPast } from '../../core/contract/store/session-store.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { createReservations, createWake } from '../owned-log.ts';
import { type Disk, systemDisk } from './disk.ts';
import { JournalLog, type LogPorts } from './journal-log.ts';
import { lockFolder } from './lock.ts';
import { endOrphans, openProcessNotes, type ProcessNotes } from './processes.ts';
import { Segments, type SessionsDisk, withSessions } from './segments.ts';
import { createSessionFolders, type StoredSession } from './session-folders.ts';
import { createTurns } from './turns.ts';

/** How a journal is opened. */
export interface JournalOptions {
  /** The folder of the journal. Created, with its parents, for this user alone. */
  readonly folder: string;
  readonly clock: Clock;
  /** Bytes of records in a segment; default 64 MiB. */
  readonly segmentBytes?: number;
  /** The most characters that wait for the disk: of one session, 32 Mi, and of all, 64 Mi. */
  readonly queue?: LogPorts['queue'];
  /** Takes what the owner of a log throws when it is called. */
  readonly thrown?: (thrown: unknown) => void;
  /** In the place of the disks of this machine. */
  readonly disk?: Disk;
}

/** A store of sessions on disk. */
export interface Journal extends SessionStore {
  /** The processes of agents, for the next start. */
  readonly processes: Pick<ProcessNotes, 'note' | 'forget'>;
  /** Number of processes that a killed gateway had left, and that were ended at the start. */
  readonly orphans: number;
}

const mebi = 1024 * 1024;
/** docs/limits.md 10.1 and 10.2. */
const defaults = { segmentBytes: 64 * mebi, queue: { perSession: 32 * mebi, all: 64 * mebi } };
/** Time until a failed disk is tried again, ms. */
const againMs = 30_000;
/** Pieces of work on the disk at the same time: Node has four threads, and one is left for the rest of the gateway. */
const mostTurns = 3;
/** Files of idle logs that stay open. */
const mostIdleFiles = 64;

/**
 * Opens a journal: takes its lock, ends orphans, and lists its sessions. Rejects with `conflict` while another gateway
 * has it, and with `invalid` if other users may write to the folder.
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { clock, disk = systemDisk } = options;
  const base = ownFolder(options.folder);
  const sessionsFolder = ownFolder(path.join(base, 'sessions'));
  const owned = new Map<string, JournalLog>();
  const state = { isOver: false };
  const lock = lockFolder(base, clock, () => {
    state.isOver = true;
    for (const log of owned.values()) void log.take('fenced');
  });
  try {
    const orphans = await endOrphans(base, clock);
    const folders = await createSessionFolders(disk, sessionsFolder);
    const notes = openProcessNotes(base);
    const retries = createRetries(clock);
    const ports = portsOf(options, retries, async (log, isRemoved) => {
      retries.remove(log);
      try {
        if (isRemoved || !log.isStored) await folders.remove(log.session);
      } finally {
        // Not before: a new session of this id must not be removed with the old one.
        owned.delete(log.session);
      }
    });
    return {
      ...storeOf({ owned, folders, ports, disk: withSessions(disk, sessionsFolder), retries, state }),
      processes: notes,
      orphans,
      async close() {
        state.isOver = true;
        retries.stop();
        await Promise.all([...owned.values()].map((log) => log.take('released')));
        notes.close();
        lock.release();
      },
    };
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

/** Creates a folder for this user alone. Returns its real path. Throws `invalid` if other users may write to it. */
function ownFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const real = realpathSync(folder);
  const { mode, uid } = lstatSync(real);
  const isOurs = process.getuid === undefined || uid === process.getuid();
  if (!isOurs || (process.platform !== 'win32' && (mode & 0o022) !== 0)) {
    throw new GatewayError(
      'invalid',
      'the folder of the journal must belong to this user, and nobody else may write to it',
    );
  }
  return real;
}

/** Logs that are in memory only, and the timer that tries the disk again. */
interface Retries {
  add(log: JournalLog): void;
  remove(log: JournalLog): void;
  /** Sentences for the operator. */
  obstacles(): string[];
  stop(): void;
}

function createRetries(clock: Clock): Retries {
  const failed = new Set<JournalLog>();
  let cancel: (() => void) | null = null;
  let isStopped = false;

  function plan(): void {
    if (isStopped) return;
    cancel ??= clock.after(againMs, () => void again());
  }

  async function again(): Promise<void> {
    for (const log of [...failed]) {
      if (failed.has(log) && (await log.tryAgain())) failed.delete(log);
      // A disk that is full for one session is full for all.
      else if (failed.has(log)) break;
    }
    cancel = null;
    if (failed.size > 0) plan();
  }

  return {
    add(log) {
      failed.add(log);
      plan();
    },
    remove: (log) => failed.delete(log),
    obstacles() {
      const reasons = new Set([...failed].flatMap((log) => log.obstacle ?? []));
      return [...reasons].map(
        (reason) => `the journal cannot be written (${reason}); sessions are kept in memory only`,
      );
    },
    stop() {
      isStopped = true;
      cancel?.();
    },
  };
}

function portsOf(options: JournalOptions, retries: Retries, over: LogPorts['over']): LogPorts {
  const idle = new Set<JournalLog>();
  return {
    segmentBytes: options.segmentBytes ?? defaults.segmentBytes,
    queue: options.queue ?? defaults.queue,
    waiting: { chars: 0 },
    turn: createTurns(mostTurns),
    wake: createWake(),
    idle(log, isIdle) {
      idle.delete(log);
      if (!isIdle) return;
      idle.add(log);
      const [longest] = idle;
      if (idle.size <= mostIdleFiles || longest === undefined) return;
      idle.delete(longest);
      void longest.rest();
    },
    failed: (log) => retries.add(log),
    over,
    thrown: (thrown) => options.thrown?.(thrown),
  };
}

/** What the functions of a store share. */
interface Parts {
  readonly owned: Map<string, JournalLog>;
  readonly folders: Awaited<ReturnType<typeof createSessionFolders>>;
  readonly ports: LogPorts;
  readonly disk: SessionsDisk;
  readonly retries: Retries;
  /** Closed, or taken over by another gateway. */
  readonly state: { readonly isOver: boolean };
}

function storeOf({ owned, folders, ports, disk, retries, state }: Parts): Omit<SessionStore, 'close'> {
  const reserving = createReservations(owned, () => state.isOver);

  async function open(stored: StoredSession, owner: StoredLogOwner): Promise<JournalLog> {
    const { head, fence: before, lastPlace, corrupt, end, isTorn } = stored;
    const fence = before + 1;
    const segments = new Segments(disk, folders.pathOf(head.session), stored.numbers, end);
    const log = new JournalLog(head, fence, lastPlace, segments, owner, ports);
    if (corrupt !== null) {
      log.makeReadOnly();
      return log;
    }
    await log.start(async () => {
      await folders.tidy(head.session);
      if (isTorn) await segments.cut();
      await segments.appendFence(fence);
    });
    return log;
  }

  async function create(head: StoredHead, owner: StoredLogOwner): Promise<JournalLog> {
    const { session } = head;
    if (folders.has(session)) throw new GatewayError('conflict', 'the session is stored already');
    const segments = new Segments(disk, folders.pathOf(session), [], 0);
    const log = new JournalLog(head, 1, 0, segments, owner, ports);
    await log.start(() => segments.begin({ head, fence: 1, snapshot: null, gap: false }, false));
    folders.add(session);
    return log;
  }

  return {
    create: (head, owner) =>
      reserving(head.session, async () => {
        const log = await create(head, owner);
        owned.set(head.session, log);
        return log;
      }),
    claim: (session, owner) =>
      reserving(session, async () => {
        const stored = await folders.read(session);
        const log = await open(stored, owner);
        owned.set(session, log);
        return { log, past: stored.past };
      }),
    async read(session): Promise<StoredPast> {
      await owned.get(session)?.settled();
      return (await folders.read(session)).past;
    },
    async list(after, limit) {
      const heads: StoredHead[] = [];
      // A folder whose first segment was never whole has no head, and a short list would look like the end.
      for (let from = after; heads.length < limit; ) {
        const ids = folders.after(from, limit - heads.length);
        const read = await Promise.all(ids.map((id) => owned.get(id)?.head ?? folders.headOf(id)));
        heads.push(...read.filter((head) => head !== null));
        const last = ids.at(-1);
        if (last === undefined) break;
        from = last;
      }
      return heads;
    },
    obstacles: () => retries.obstacles(),
  };
}
