// A session whose log is kept as JSON text, and the same session made again from the first so many records: what is left
// of it when its process is killed there.
import type { Projection, SessionView } from '../../../src/core/contract/adapter/projection.ts';
import type { Receiver } from '../../../src/core/contract/channel.ts';
import type { StoredRecord, StoredSnapshot } from '../../../src/core/contract/store/session-store.ts';
import type { Burst } from '../../../src/core/model/burst.ts';
import type { Event } from '../../../src/core/model/event.ts';
import {
  type FollowedSession,
  type FollowOptions,
  followSession,
} from '../../../src/core/session/kept/follow-session.ts';
import { restoreSession } from '../../../src/core/session/kept/restore-session.ts';
import type { KeptLog } from '../../../src/core/session/kept/session-recorder.ts';
import { createSession } from '../../../src/core/session/open-session.ts';
import type { Session } from '../../../src/core/session/session.ts';
import { defaultSessionLimits, type SessionPorts } from '../../../src/core/session/session-ports.ts';
import { openChannel } from './open-channel.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** Dialects by name. */
export type Dialects = Readonly<Record<string, (view: SessionView) => Projection>>;

/** What is on the disk of a test. */
export interface Records {
  readonly lines: string[];
  /** How often everything was to be on disk. */
  syncs: number;
  readonly log: KeptLog;
}

/** An empty disk. */
export function createRecords(lines: string[] = []): Records {
  const records: Records = {
    lines,
    syncs: 0,
    log: {
      append: (record) => void lines.push(JSON.stringify(record)),
      sync(done) {
        records.syncs += 1;
        done('kept');
      },
    },
  };
  return records;
}

/** A session whose agent says what the test tells it. */
export interface KeptRig {
  readonly session: Session;
  readonly records: Records;
  readonly clock: VirtualClock;
  /** The agent says each event in a frame of its own. */
  say(...events: Event[]): void;
  burst(burst: Burst): void;
}

function portsOf(clock: VirtualClock, receivers: Receiver[], heard: { events: readonly Event[]; said: Burst | null }) {
  return {
    id: 's',
    epoch: '0123456789ab',
    timeOrigin: 1_700_000_000_000,
    place: '/home/user/project',
    limits: defaultSessionLimits,
    clock,
    connect: () => ({
      backend: {
        decode: () => heard.events.map((message) => ({ do: 'deliver' as const, message })),
        encode: () => [],
        recognise: () => null,
        recogniseBurst: () => (heard.said === null ? null : { next: 1, accept: () => heard.said as Burst }),
        onTimer: () => [],
      },
      channel: openChannel('agent', receivers),
    }),
    note: () => {},
  } satisfies SessionPorts;
}

/** What a test says in the agent's name. */
function voice(session: Session, receivers: Receiver[], heard: { events: readonly Event[]; said: Burst | null }) {
  return {
    say(...events: Event[]) {
      session.start();
      for (const event of events) {
        heard.events = [event];
        receivers.at(-1)?.frame({ bytes: new Uint8Array(), text: '', json: null, from: () => ({}) as never });
      }
    },
    burst(burst: Burst) {
      session.start();
      heard.said = burst;
      receivers
        .at(-1)
        ?.takeBurst?.(
          { header: null, bytes: new Uint8Array(), lineEnd: () => -1, ascii: () => '', utf8: () => '' },
          0,
          1,
          100,
        );
    },
  };
}

/** A new session that is kept. */
export function createKeptRig(ports: Partial<SessionPorts> = {}): KeptRig {
  const [clock, receivers, heard] = [createVirtualClock(), [], { events: [], said: null }];
  const records = createRecords();
  const session = createSession({
    ...portsOf(clock, receivers, heard),
    kept: { log: records.log, place: 0 },
    ...ports,
  });
  return { session, records, clock, ...voice(session, receivers, heard) };
}

/** The stream of a dialect, as a gateway asks for it. */
export function streamOf(session: Session, dialects: Dialects, name: string) {
  const make = dialects[name];
  if (make === undefined) throw new Error(`no dialect ${name}`);
  return session.stream(name, make, { source: { dialect: name } });
}

const dialectIn = (dialects: Dialects) => (key: string, source: unknown) =>
  JSON.stringify(source) === JSON.stringify({ dialect: key }) ? (dialects[key] ?? null) : null;

/** The session as another gateway reads it. */
export async function followKept(
  options: Pick<FollowOptions, 'store' | 'forward'>,
  dialects: Dialects,
  ports: Partial<SessionPorts> = {},
): Promise<FollowedSession> {
  const all = { ...portsOf(createVirtualClock(), [], { events: [], said: null }), ...ports };
  return followSession({ ...options, session: 's', dialectOf: dialectIn(dialects), portsOf: () => all });
}

/** The session made again in a process whose clock shows 0, so many ms after the one before has begun. */
export async function restoreKept(
  lines: readonly string[],
  dialects: Dialects,
  {
    snapshot = null,
    corrupt = null,
    laterMs = 3_600_000,
    log,
  }: { snapshot?: StoredSnapshot | null; corrupt?: string | null; laterMs?: number; log?: KeptLog } = {},
): Promise<KeptRig> {
  const [clock, receivers, heard] = [createVirtualClock(), [], { events: [], said: null }];
  const records = createRecords([...lines]);
  const ports = portsOf(clock, receivers, heard);
  const session = await restoreSession({
    ports,
    clockOrigin: ports.timeOrigin + laterMs,
    kept: { log: log ?? records.log },
    past: {
      snapshot,
      corrupt,
      async *records() {
        for (const line of lines) yield JSON.parse(line) as StoredRecord;
      },
    },
    dialectOf: dialectIn(dialects),
  });
  return { session, records, clock, ...voice(session, receivers, heard) };
}
