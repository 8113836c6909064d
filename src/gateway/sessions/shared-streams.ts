// Streams for clients of server-sent events: readers share one stream per session and dialect, and one link takes the
// posts to it.
import { z } from 'zod';
import type { FrontendSide } from '../../core/contract/adapter/frontend.ts';
import type { Clock } from '../../core/contract/clock.ts';
import { owner } from '../../core/contract/principal.ts';
import type { Reader } from '../../core/contract/reader.ts';
import { linkPosts, type PostLink } from '../../core/link/post-link.ts';
import type { DialectOf } from '../../core/session/kept/restoration.ts';
import type { Session } from '../../core/session/session.ts';
import type { Stream } from '../../core/stream/stream.ts';
import type { ClientSinks, SessionCaller } from '../clients/client-sinks.ts';
import { greetedReader } from '../clients/greeted-reader.ts';
import type { Frontends } from '../frontends.ts';
import type { Meter } from '../metering/meter.ts';
import { meteredReader } from '../metering/metered-reader.ts';
import type { Sessions } from './sessions.ts';

/** The dependencies of the streams. */
export interface SharedStreamsPorts {
  readonly sessions: Pick<Sessions, 'find'>;
  readonly frontends: Pick<Frontends, 'sideOf'>;
  readonly sinks: ClientSinks;
  readonly clock: Clock;
  readonly meter: Meter;
}

interface SharedStream {
  readonly key: string;
  readonly session: Session;
  readonly side: FrontendSide;
  readonly stream: Stream;
}

/** The words by which the dialect of a kept stream is found again. */
const StreamSource = z.object({ frontend: z.string(), options: z.record(z.string(), z.unknown()) });
type StreamSource = z.infer<typeof StreamSource>;

/** Finds the dialects of kept streams. A dialect that is configured in another way now is not found. */
export function dialectsOf(frontends: Pick<Frontends, 'sideOf'>): DialectOf {
  return (key, source) => {
    try {
      const { frontend, options } = StreamSource.parse(source);
      const side = frontends.sideOf(frontend, options);
      return key.startsWith(`${frontend} ${side.key} sse`) ? side.projection : null;
    } catch {
      return null;
    }
  };
}

/** The shared streams of all sessions. */
export class SharedStreams {
  readonly #ports: SharedStreamsPorts;
  /** By session and key of the stream: a link outlives the streams that nobody reads, and knows what was posted. */
  readonly #links = new WeakMap<Session, Map<string, PostLink>>();
  /** Clean-up of post links, by session. */
  readonly #cleanups = new Map<string, readonly (() => void)[]>();

  constructor(ports: SharedStreamsPorts) {
    this.#ports = ports;
  }

  /** The frames for one reader, from the cursor on. */
  read(caller: SessionCaller, cursor: string | null): Reader {
    const { meter } = this.#ports;
    const { key, session, side, stream } = this.#streamFor(caller);
    this.#linkOf(session, key)?.moveTo(stream);
    // A protocol with tickets broadcasts to its clients. Broadcasts reach the stream through its post link.
    const link = side.limits === undefined ? undefined : this.postLink(caller);
    const traffic = meter.ofClients(caller.frontend, side.key);
    const reader = meteredReader(stream.attach(cursor), traffic, meter.limited, cursor !== null);
    const greeting = cursor === null ? side.greeting?.() : undefined;
    if (link === undefined && greeting === undefined) return reader;
    return greetedReader(reader, greeting, () => link?.left());
  }

  /** The link that takes all posts to the caller's stream. */
  postLink(caller: SessionCaller): PostLink {
    const { key, session, side, stream } = this.#streamFor(caller);
    const known = this.#linkOf(session, key);
    if (known !== undefined) {
      known.moveTo(stream);
      return known;
    }
    const { sinks, clock } = this.#ports;
    const intake = sinks.intakeOf(caller, side);
    const { sink, end } = sinks.boundTo(session, caller, side, intake, false);
    const link = linkPosts(side.connection(session), stream, clock, sink, session.postedIds(key));
    const links = this.#links.get(session) ?? new Map<string, PostLink>();
    this.#links.set(session, links.set(key, link));
    if (intake !== undefined) {
      const leave = intake.subscribe(link);
      this.#cleanups.set(session.id, [...(this.#cleanups.get(session.id) ?? []), leave, end]);
    }
    return link;
  }

  /** Drops the post links of a closed session. */
  forget(session: string): void {
    for (const cleanUp of this.#cleanups.get(session) ?? []) cleanUp();
    this.#cleanups.delete(session);
  }

  #linkOf(session: Session, key: string): PostLink | undefined {
    const link = this.#links.get(session)?.get(key);
    return link?.hasFailed === true ? undefined : link;
  }

  #streamFor({ frontend, options, principal, session: id }: SessionCaller): SharedStream {
    const { session } = this.#ports.sessions.find(id, principal);
    const side = this.#ports.frontends.sideOf(frontend, options);
    // The posts to a stream carry the rights of its principal, so principals share no stream (docs/threats.md T21).
    const key = `${frontend} ${side.key} sse${principal === owner ? '' : ` ${principal.name}`}`;
    const source = { frontend, options } satisfies StreamSource;
    const stream = session.stream(key, side.projection, { source, dialect: frontend });
    return { key, session, side, stream };
  }
}
