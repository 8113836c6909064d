// Makes a session again from what was kept of it: the same id, epoch, numbers and times, so that the cursors of its
// clients go on (decision 0026). What was open is closed as interrupted.
import type { StoredPast, StoredRecord } from '../../contract/store/session-store.ts';
import { SessionRecord, SessionState } from '../../log/stored-records.ts';
import { readTranscript } from '../../log/stored-state.ts';
import { beginRestoring, type RestoringSession } from '../open-session.ts';
import type { Session } from '../session.ts';
import type { RestoredState, SessionPorts } from '../session-ports.ts';
import { type DialectOf, SessionClock } from './restoration.ts';
import type { KeptSession } from './session-recorder.ts';

/** The surroundings of a session that is made again. */
export interface RestorePorts {
  readonly ports: Omit<SessionPorts, 'info' | 'history' | 'kept'> & { readonly timeOrigin: number };
  /** Ms since 1970 when the clock of the ports was 0. */
  readonly clockOrigin: number;
  readonly kept: Omit<KeptSession, 'place'>;
  readonly past: Pick<StoredPast, 'snapshot' | 'records' | 'corrupt'>;
  readonly dialectOf: DialectOf;
  /** Takes the session before anything is recorded of it. */
  begun?(session: Session): void;
}

/**
 * The session of the records. Takes no prompts if a record cannot be read: the session is shown up to there. Rejects if
 * the snapshot cannot be read.
 */
export async function restoreSession({
  ports,
  past,
  clockOrigin,
  dialectOf,
  kept,
  begun,
}: RestorePorts): Promise<Session> {
  const clock = new SessionClock(ports.clock, clockOrigin - ports.timeOrigin);
  ports.tap?.timed(() => clock.now());
  const open = (state: SessionState | null) => beginRestoring(ports, { clock, ...pastOf(state) }, dialectOf);
  const { restoring, place, corrupt } = await takePast(past, open);
  const { session } = restoring;
  begun?.(session);
  clock.notBefore(session.transcript.lastAt);
  if (corrupt === null) restoring.goOn({ ...kept, place });
  else restoring.showOnly(unreadable(corrupt));
  return session;
}

/** What is said of a session whose records cannot be read to their end. */
export const unreadable = (corrupt: string): string =>
  `what was kept of the session cannot be read to its end: ${corrupt}`;

/** Takes all records of a past. `corrupt`: why it was not all; null if it was. `open` is called once. */
export async function takePast(
  past: RestorePorts['past'],
  open: (state: SessionState | null) => RestoringSession,
): Promise<{ readonly restoring: RestoringSession; readonly place: number; readonly corrupt: string | null }> {
  let state = past.snapshot === null ? null : SessionState.parse(past.snapshot.state);
  let place = past.snapshot?.place ?? 0;
  let { corrupt } = past;
  let restoring: RestoringSession | null = null;
  for await (const stored of past.records()) {
    const record = readRecord(stored);
    if (record === null) corrupt ??= `record ${stored.place} is none of this version`;
    if (record === null) break;
    place = stored.place;
    if (record.kind === 'state') state = record.state;
    else {
      restoring ??= open(state);
      restoring.take(record);
    }
  }
  return { restoring: restoring ?? open(state), place, corrupt };
}

/** A record as this version knows it; null if it is another. */
export function readRecord(stored: StoredRecord): SessionRecord | null {
  const { success, data } = SessionRecord.safeParse(stored);
  return success ? data : null;
}

/** What a session begins with that is made again from there on. */
export function pastOf(state: SessionState | null): Pick<RestoredState, 'past'> {
  if (state === null) return {};
  return { past: { ...state, transcript: readTranscript(state.transcript) } };
}
