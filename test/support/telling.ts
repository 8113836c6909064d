// A session without a gateway: events go through the repair into a log, and a projection tells the log to clients.
import type { NoteLevel } from '../../src/core/contract/adapter/action.ts';
import type { FrontendSide } from '../../src/core/contract/adapter/frontend.ts';
import type { AgentKind, SessionView } from '../../src/core/contract/adapter/projection.ts';
import type { Out } from '../../src/core/contract/channel.ts';
import type { Reader } from '../../src/core/contract/reader.ts';
import { type Cause, closeRun } from '../../src/core/log/close-run.ts';
import { emptyTranscript, fold } from '../../src/core/log/fold.ts';
import { createRepair } from '../../src/core/log/repair.ts';
import type { CommandType } from '../../src/core/model/command.ts';
import type { Event, Logged } from '../../src/core/model/event.ts';
import type { Transcript } from '../../src/core/model/transcript.ts';
import { createStream } from '../../src/core/stream/dialect-stream.ts';
import { bytesOf } from '../../src/transports/framing/frame.ts';

/** The epoch of every session in the tests: ids on the wire derive from it. */
export const epoch = '000000000000';

/** A session's log under construction. */
export interface Log {
  readonly transcript: Transcript;
  readonly logged: readonly Logged[];
  readonly notes: readonly { level: NoteLevel; text: string }[];
  /** Through the repair, as the session does it. */
  admit(event: Event): void;
  /** Ends whatever is open. */
  close(cause?: Cause): void;
}

/** The agent of these logs, where a test names no other. */
const agentOfLogs: AgentKind = {
  protocol: 'scripted',
  commands: new Set<CommandType>(['fork', 'compact', 'new-session']),
};
/** Where the agent of these logs works. */
const place = '/home/user/project';

const lost: Cause = { outcome: 'failed', failure: { kind: 'agent', message: 'the agent went away' } };

/** An empty log whose clock ticks 10 ms an event. `listener` hears each entry once it is folded. */
export function createLog(listener: (logged: Logged) => void = () => {}): Log {
  const transcript = emptyTranscript();
  const logged: Logged[] = [];
  const notes: { level: NoteLevel; text: string }[] = [];
  const admit = createRepair({
    transcript,
    append(event) {
      const entry = { seq: logged.length + 1, at: logged.length * 10, event };
      logged.push(entry);
      fold(transcript, entry);
      listener(entry);
    },
    note: (level, text) => notes.push({ level, text }),
  });
  return {
    transcript,
    logged,
    notes,
    admit,
    close(cause = lost) {
      for (const event of closeRun(transcript, cause)) admit(event);
    },
  };
}

/** One frame of ours as text. */
export function textOf(out: Out): string {
  return bytesOf(out).toString();
}

/** What a client from the first moment on is sent for a log. */
export function tell(
  side: FrontendSide,
  logged: readonly Logged[],
  agent: AgentKind = agentOfLogs,
): { texts: string[]; losses: string[] } {
  const transcript = emptyTranscript();
  const projection = side.projection({ id: 'session', epoch, timeOrigin: 0, agent, place, transcript });
  const texts: string[] = [];
  const losses: string[] = [];
  for (const entry of logged) {
    fold(transcript, entry);
    texts.push(...projection.event(entry).map(textOf));
    for (const note of projection.notes?.() ?? []) if (note.level === 'loss') losses.push(note.text);
  }
  return { texts, losses };
}

/** What late clients are sent: one joins before the first entry, one after each; all hear the log out. */
export function tellLate(side: FrontendSide, logged: readonly Logged[]): { joined: number; texts: string[] }[] {
  const transcript = emptyTranscript();
  const view: SessionView = { id: 'session', epoch, timeOrigin: 0, agent: agentOfLogs, place, transcript };
  const stream = createStream(view, side.projection);
  const readers: Reader[] = [stream.attach(null)];
  for (const entry of logged) {
    stream.beforeFold(entry.event);
    fold(transcript, entry);
    stream.afterFold(entry);
    readers.push(stream.attach(null));
  }
  return readers.map((reader, joined) => ({ joined, texts: readAll(reader) }));
}

function readAll(reader: Reader): string[] {
  const texts: string[] = [];
  for (let entries = reader.read(1 << 20); entries.length > 0; entries = reader.read(1 << 20)) {
    for (const entry of entries) if (entry.kind === 'frame') texts.push(textOf(entry.out));
  }
  return texts;
}
