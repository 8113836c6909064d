// The state of an open session, its streams and its end. conversation.ts has the conversation with the agent.
import type { NoteLevel } from '../contract/adapter/action.ts';
import type { AgentKind, Projection, SessionView } from '../contract/adapter/projection.ts';
import type { Clock } from '../contract/clock.ts';
import type { StreamEnd } from '../contract/reader.ts';
import type { StoredSnapshot } from '../contract/store/session-store.ts';
import type { PostedIds } from '../link/posted-ids.ts';
import { emptyTranscript, fold } from '../log/fold.ts';
import type { SessionRecord, SessionState } from '../log/stored-records.ts';
import { writeTranscript } from '../log/stored-state.ts';
import { sizeOfInfo } from '../log/transcript-size.ts';
import type { Command, CommandOf } from '../model/command.ts';
import type { Outcome } from '../model/errors.ts';
import type { Transcript } from '../model/transcript.ts';
import type { Stream, StreamMeasure } from '../stream/stream.ts';
import { type Conversation, startConversation } from './conversation.ts';
import { type Deleted, Deletions, deleted } from './deletions.ts';
import { replayedMessages } from './forks.ts';
import { type DialectOf, Restoration } from './kept/restoration.ts';
import { SessionPosts } from './kept/session-posts.ts';
import { type KeptSession, SessionRecorder } from './kept/session-recorder.ts';
import { SessionTickets } from './kept/session-tickets.ts';
import { SessionVersion } from './kept/session-version.ts';
import { OpenPrompts } from './prompts/open-prompts.ts';
import type { Session } from './session.ts';
import type { RestoredState, SessionPorts } from './session-ports.ts';
import { SessionStreams, type StreamUse } from './session-streams.ts';
import { type ContextFigures, unknownContext } from './transcript/context-usage.ts';
import type { BudgetMember } from './transcript/transcript-budget.ts';

/**
 * A class with a lazily created conversation, because a gateway may keep thousands of sessions without any message
 * (docs/limits.md P11).
 */
class OpenSession implements Session, BudgetMember {
  readonly id: string;
  readonly epoch: string;
  readonly timeOrigin: number;
  readonly place: string | undefined;
  readonly transcript: Transcript;
  readonly agent: AgentKind | undefined;
  readonly #ports: SessionPorts;
  readonly #clock: Clock;
  readonly #streams: SessionStreams;
  /** Absent: the session is new. */
  readonly #past: RestoredState['past'];
  /** Created with the first command. */
  #conversation: Conversation | null = null;
  /** Keys of streams with a reader that cannot keep up. */
  #pressing: Set<string> | null = null;
  #retired: string | null = null;
  #isAttended = true;
  /** Null: the session is not kept, or is being made again. */
  #recorder: SessionRecorder | null = null;
  /** Null: nobody has posted to the session. */
  #posts: SessionPosts | null = null;
  /** Null: no command of the session had a ticket. */
  #tickets: SessionTickets | null = null;
  /** Null: nobody has changed the session or asked for its version. */
  #version: SessionVersion | null = null;
  /** The figures before this opening of the session. */
  #context: ContextFigures;
  /** While the session is made again. */
  #restoration: Restoration | null = null;
  /** The session was made from records, which stay whatever became of it. */
  #isRestored = false;
  /** Records come as another gateway writes them. */
  #isFollowing = false;
  /** Null: nobody has asked for a deletion. */
  #deletions: Deletions | null = null;
  /** Why the session is closed; null while open. */
  #closed: string | null = null;

  constructor(ports: SessionPorts, { clock = ports.clock, past }: RestoredState = {}) {
    this.id = ports.id;
    this.epoch = ports.epoch;
    this.timeOrigin = ports.timeOrigin ?? 0;
    this.place = ports.place;
    this.agent = ports.agent;
    this.transcript = past?.transcript ?? emptyTranscript();
    this.#context = past?.context ?? unknownContext;
    if (ports.info !== undefined) {
      this.transcript.info = ports.info;
      this.transcript.bytes = sizeOfInfo(ports.info);
    }
    this.#ports = ports;
    this.#clock = clock;
    this.#past = past;
    const { limits, work, limited } = ports;
    const pressure = (key: string, isPressed: boolean) => this.#press(key, isPressed);
    const isRestoring = () => this.#restoration !== null && !this.#isFollowing;
    const recorder = () => this.#recorder;
    const note: SessionPorts['note'] = (...noted) => void (isRestoring() || ports.note(...noted));
    const opened = ports.forwardPosts && ((key: string, source: unknown) => ports.forwardPosts?.stream(key, source));
    const own = { pressure, recorder, isRestoring, opened, isFollowed: ports.forward !== undefined };
    this.#streams = new SessionStreams(this, { limits, note, clock, work, limited, ...own });
    const at = clock.now();
    for (const event of replayedMessages(ports.history ?? []))
      fold(this.transcript, { seq: this.transcript.lastSeq + 1, at, event });
    if (this.transcript.bytes > 0) ports.budget?.report(this, this.transcript.bytes);
    if (ports.kept === undefined) return;
    this.#recorder = new SessionRecorder(ports.kept);
    if (this.transcript.bytes > 0) this.#recorder.state(this.#state());
  }

  get dialects(): readonly string[] {
    return this.#streams.dialects;
  }

  postedIds(key: string): PostedIds {
    return this.#postsMade().of(key);
  }

  #postsMade(): SessionPosts {
    this.#posts ??= new SessionPosts((posted) => {
      this.#recorder?.posted(posted);
      this.#ports.forwardPosts?.posted(posted);
    });
    return this.#posts;
  }

  get tickets(): SessionTickets {
    this.#tickets ??= new SessionTickets(() => this.#recorder);
    return this.#tickets;
  }

  get version(): SessionVersion {
    this.#version ??= new SessionVersion({
      recorder: () => this.#recorder,
      isFollowed: this.#ports.forward !== undefined,
    });
    return this.#version;
  }

  whenKept(then: (isThere: boolean) => void): void {
    if (this.#recorder !== null)
      this.#recorder.sync((durability) => then(durability === 'kept' || this.#closed === null));
    else if (this.#ports.forwardPosts !== undefined) this.#ports.forwardPosts.sync(then);
    else then(true);
  }

  snapshot(): StoredSnapshot {
    return { place: this.#recorder?.place ?? 0, state: this.#state() };
  }

  #state(): SessionState {
    const context = this.#conversation?.context() ?? this.#context;
    return {
      transcript: writeTranscript(this.transcript),
      context,
      posted: this.#posts?.all() ?? [],
      prompts: [...(this.#recorder?.prompts ?? [])],
      tickets: this.#tickets?.all() ?? [],
      version: this.#version?.version ?? 0,
    };
  }

  /** Makes the session again. Nothing is recorded until it goes on. */
  restore(dialectOf: DialectOf): RestoringSession {
    this.#isRestored = true;
    const { transcript } = this;
    const streams = this.#streams;
    const posts = () => this.#postsMade();
    const tickets = () => this.tickets;
    const version = () => this.version;
    const { posted, prompts: open = [], tickets: kept, version: counted = 0, versions = {} } = this.#past ?? {};
    for (const one of posted ?? []) posts().restore(one);
    for (const one of kept ?? []) tickets().restore(one);
    for (const one of [counted, ...Object.values(versions)]) if (one > 0) version().learn(one);
    const prompts = new OpenPrompts(open, transcript.run !== null);
    const context = this.#context;
    const restoration = new Restoration({ transcript, streams, context, dialectOf, posts, tickets, version, prompts });
    this.#restoration = restoration;
    const over = () => {
      this.#context = restoration.context;
      this.#restoration = null;
      this.#ports.budget?.report(this, transcript.bytes);
    };
    return {
      session: this,
      take: (record) => restoration.take(record),
      goOn: (kept) => {
        this.#recorder = new SessionRecorder(kept);
        restoration.goOn(this.#recorder, this.#clock);
        over();
      },
      follow: () => {
        this.#isFollowing = true;
        this.#ports.budget?.report(this, transcript.bytes);
      },
      removed: (reason) => this.#deletionsMade().end(reason),
      showOnly: (reason) => {
        this.retire(reason);
        over();
      },
    };
  }

  get state(): Session['state'] {
    if (this.#closed !== null) return 'closed';
    if (this.#conversation?.isIdle() === false || (this.#isFollowing && this.transcript.run !== null)) return 'running';
    return this.transcript.agent === 'down' ? 'down' : 'idle';
  }

  get hasAgent(): boolean {
    return this.#conversation?.hasAgent() === true;
  }

  get readers(): number {
    return this.#streams.readers;
  }

  measure(): StreamMeasure {
    return this.#streams.measure();
  }

  start(): void {
    if (this.#ports.forward === undefined) this.#talk().start();
  }

  submit(command: Command, settle: (outcome: Outcome) => void): void {
    if (command.type === 'delete-session') {
      return this.delete(command, (outcome, close) => {
        settle(outcome);
        close();
      });
    }
    if (this.#ports.forward !== undefined) return this.#ports.forward(command, settle);
    const conversation = this.#talk();
    if (!this.#isAttended) conversation.setUnattended();
    conversation.submit(command, settle);
  }

  delete(command: CommandOf<'delete-session'>, told: Deleted): void {
    this.#deletionsMade().delete(command, told);
  }

  #deletionsMade(): Deletions {
    this.#deletions ??= new Deletions({
      session: this.#ports,
      submit: (command, settle) => this.#talk().submit(command, settle),
      began: (reason) => {
        this.#conversation?.end(reason);
        // The outcomes of tickets are kept elsewhere from now on.
        this.#recorder = null;
        this.#isRestored = false;
      },
      failed: () => {
        this.#isRestored = true;
      },
      // A session that the store did not forget can be opened again.
      close: (reason) => (this.#ports.forward === undefined ? this.leave(reason) : this.close(reason)),
    });
    return this.#deletions;
  }

  get #isDeleted(): boolean {
    return this.#deletions?.hasBegun === true;
  }

  #talk(): Conversation {
    this.#conversation ??= startConversation({
      session: this.#ports,
      clock: this.#clock,
      note: (level, text) => this.#note(level, text),
      view: this,
      streams: this.#streams.open,
      recorder: this.#recorder,
      context: this.#context,
      readers: () => this.readers,
      retired: () => this.#retired,
      closed: () => this.#closed ?? (this.#isDeleted ? deleted : null),
      measured: (bytes) => this.#ports.budget?.report(this, bytes),
    });
    return this.#conversation;
  }

  whenIdle(callback: () => void): void {
    if (this.#conversation === null) callback();
    else this.#conversation.whenIdle(callback);
  }

  stream(key: string, make: (view: SessionView) => Projection, use: StreamUse = {}): Stream {
    return this.#streams.stream(key, make, use);
  }

  readElsewhere(key: string, source: unknown): void {
    this.#streams.readElsewhere(key, source);
  }

  setUnattended(): void {
    this.#isAttended = false;
    this.#conversation?.setUnattended();
  }

  warn(text: string): void {
    this.#clock.after(0, () => {
      if (this.#closed === null && !this.#isDeleted && this.#ports.forward === undefined) this.#talk().warn(text);
    });
  }

  retire(reason: string): void {
    this.#retired ??= reason;
    this.#conversation?.drop(reason);
  }

  close(reason: string): void {
    this.#end({ kind: 'closed', reason }, false);
  }

  leave(reason: string, isMoved = false): void {
    this.#end(this.#isKept ? { kind: 'away', reason, isMoved } : { kind: 'closed', reason }, this.#isKept);
  }

  /** Also a session whose records cannot be read to their end, and that is only shown. */
  get #isKept(): boolean {
    return this.#recorder !== null || this.#isRestored;
  }

  #end(end: StreamEnd, staysKept: boolean): void {
    if (this.#closed !== null) return;
    this.#closed = end.reason;
    this.#ports.budget?.forget(this);
    this.#conversation?.end(end.reason);
    this.#streams.close(end);
    this.#ports.ended?.(staysKept);
  }

  /** In a tick of its own: the caller may be another session in the middle of an event. */
  evict(reason: string): void {
    this.#clock.after(0, () => {
      this.#conversation?.abandon(reason);
      // Clients that came back at once would fill the memory again.
      this.#end({ kind: 'closed', reason }, this.#isKept);
    });
  }

  /** A loss towards the agent is told in the agent's name. */
  #note(level: NoteLevel, text: string): void {
    this.#ports.note(level, text);
    if (level === 'loss') this.#streams.loss({ dialect: this.agent?.protocol ?? '', text });
  }

  /** One reader that cannot keep up slows the agent down, so that memory does not fill up (docs/faults.md F20). */
  #press(key: string, pressure: boolean): void {
    this.#pressing ??= new Set();
    if (pressure) this.#pressing.add(key);
    else this.#pressing.delete(key);
    this.#conversation?.setPaused(this.#pressing.size > 0);
    this.#ports.paused?.(this.#pressing.size > 0);
  }
}

/** A session on its way back, from its records. */
export interface RestoringSession {
  readonly session: Session;
  take(record: Exclude<SessionRecord, { kind: 'state' }>): void;
  /** All records are taken: closes what is open as interrupted. New records go to that log. */
  goOn(kept: KeptSession): void;
  /** All records are taken that were there. Later ones are taken as another gateway writes them. */
  follow(): void;
  /** Its gateway has ended a session that is followed. Closes behind the answers of clients that have asked for it here. */
  removed(reason: string): void;
  /** The records end here, but the session did not: it takes no work, and nothing of it is recorded. */
  showOnly(reason: string): void;
}

/** Opens a session that was kept. */
export function beginRestoring(
  ports: Omit<SessionPorts, 'kept'>,
  restored: RestoredState,
  dialectOf: DialectOf,
): RestoringSession {
  return new OpenSession(ports, restored).restore(dialectOf);
}

/** Opens a session. The agent starts with the first command that needs it. */
export function createSession(ports: SessionPorts): Session {
  return new OpenSession(ports);
}
