// The sessions of a gateway: how one is opened, found and closed, and what clients may ask of it. Part of the composition root.
import { randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import { type Agents, passable } from './agents.ts';
import { type Config, insideRoots } from '../config/config.ts';
import type { NoteLevel } from '../core/contract/adapter.ts';
import type { Clock } from '../core/contract/clock.ts';
import type { Command } from '../core/model/command.ts';
import type { Message } from '../core/model/content.ts';
import { GatewayError, messageOf, type Outcome, refused } from '../core/model/errors.ts';
import type { CommandSink } from '../core/link/frontend-driver.ts';
import { createHub, type Hub, type HubEntry } from '../core/session/hub.ts';
import { firstWordsIn, messagesOf } from '../core/log/messages.ts';
import type { Broadcast } from '../core/contract/broadcast.ts';
import type { SessionState, SessionSummary } from '../core/model/outcome-data.ts';
import { createSession, type Session } from '../core/session/session.ts';
import { defaultSessionLimits } from '../core/session/session-ports.ts';
import { withRememberablePermissions } from '../core/session/rememberable-permissions.ts';
import type { Log } from './log.ts';
import type { FoundSession } from './session-files.ts';
import { createStoredSessions, type StoredSessions } from './stored-sessions.ts';
import { createExportPlaces } from '../stores/export.ts';
import { faultInWords, isDirectory } from '../stores/paths.ts';
import { withPathsInside } from '../stores/stored-sessions.ts';
import { createWorkspace } from '../workspace/workspace.ts';

/** Which session is wanted. */
export interface SessionRequest {
  readonly agent?: string | undefined;
  readonly id?: string | undefined;
  readonly cwd?: string | undefined;
  /** Where its user works; the first is the working directory, unless `cwd` is set. */
  readonly folders?: readonly string[] | undefined;
  /** How long its questions stay open, ms; default as configured. */
  readonly questionMs?: number | undefined;
  /** It is kept as a file, where its agent keeps none. */
  readonly keep?: boolean | undefined;
  /** The stored session that it goes on with. */
  readonly found?: FoundSession | undefined;
  /** What was said before, where no file tells it. */
  readonly history?: readonly Message[] | undefined;
  /** Why its agent is gone, whenever that is. */
  ending?(sentence: string): void;
  /** Who opens it tells of it, by {@link Sessions.announce}. */
  readonly isQuiet?: boolean | undefined;
}

/** All sessions. */
export interface Sessions {
  readonly hub: Hub;
  /**
   * Opens one. `isOurs`: its client owns this process, and may name any folder; others name those that the configuration
   * allows. Throws `not-found`, `invalid`, `conflict`, `limit` or `shutting-down`.
   */
  open(request: SessionRequest, isOurs: boolean, lost?: (sentence: string, wasSilent: boolean) => void): HubEntry;
  find(id: string): HubEntry;
  /** Tells clients that it is there. */
  announce(entry: HubEntry, state?: SessionState): void;
  summary(entry: HubEntry): SessionSummary;
  /** Newest first; open ones under their ids. */
  listStored(): SessionSummary[];
  /** See Stored. */
  findStored: StoredSessions['find'];
  /** See Stored. */
  copyStored: StoredSessions['copy'];
  /** See Agents. */
  isForgetful: Agents['isForgetful'];
  /** Not idle, though nobody hears it: its client is there, and still to come to it. Until `release`. */
  reserve(session: Session): void;
  release(session: Session): void;
  /** Where the commands of a client go. One that owns the process could do anything itself. */
  sinkOf(session: Session, isOurs: boolean): Pick<CommandSink, 'submit' | 'note'>;
  note(session: string, level: NoteLevel, text: string): void;
  readonly notes: ReadonlyMap<NoteLevel, number>;
  /** No session is opened any more. */
  shut(): void;
  readonly isShut: boolean;
}

/** What the sessions of a gateway need. */
export interface SessionsPorts {
  readonly clock: Clock;
  readonly log: Log;
  /** Ms since 1970 when the clock was 0. */
  readonly timeOrigin: number;
  /** Sessions come and go. */
  tell(broadcast: Extract<Broadcast, { kind: 'session-opened' | 'session-closed' }>): void;
  /** That session is over, whether clients have heard of it or not. */
  ended(session: string): void;
}

/** Folders of one session that are looked at. */
const mostFolders = 64;

/** Only one principal exists: whoever holds the token, or owns the process on stdio. */
const owner = 'owner';

/** No session yet. */
export function createSessions(config: Config, agents: Agents, ports: SessionsPorts): Sessions {
  const { clock, log, timeOrigin } = ports;
  const hub = createHub({ sessions: config.limits.sessions });
  const notes = new Map<NoteLevel, number>();
  const stored = createStoredSessions(config, agents, log);
  const exportsOf = createExportPlaces(config.exportDirectory);
  const idleSince = new WeakMap<Session, number>();
  const reserved = new WeakSet<Session>();
  /** Ids of sessions that clients have heard of. */
  const announced = new Set<string>();
  const sweeper = setInterval(sweep, Math.min(60_000, config.limits.idleSessionMs));
  sweeper.unref();
  let isShut = false;

  function note(session: string, level: NoteLevel, text: string): void {
    notes.set(level, (notes.get(level) ?? 0) + 1);
    log(level === 'violation' ? 'warn' : 'debug', text, { session, level });
  }

  /** Throws `invalid`, without saying what is where (docs/threats.md T8, T9). */
  function folderAt(wish: string, isOurs: boolean): string {
    if (isOurs ? isFolder(wish) : path.isAbsolute(wish) && faultInWords(wish) === null) {
      return isOurs ? wish : insideRoots(wish, config.roots);
    }
    throw new GatewayError('invalid', 'cwd must be the absolute path of an existing directory');
  }

  /** A folder that is named but not there, or not allowed, is left out: editors name what they have open. */
  function foldersOf({ folders: wishes = [] }: SessionRequest, isOurs: boolean) {
    const folders = new Set<string>();
    const problems: string[] = [];
    for (const [place, wish] of wishes.entries()) {
      try {
        if (place >= mostFolders) throw new GatewayError('limit', `more than ${mostFolders} folders`);
        folders.add(folderAt(wish, isOurs));
      } catch {
        const why = isOurs ? 'it is not there' : 'it is not among those that may be used';
        if (place <= mostFolders) problems.push(`The folder ${JSON.stringify(wish)} was left out: ${why}.`);
      }
    }
    if (problems.length > 0) log('warn', 'folders of the client are left out', { left: wishes.length - folders.size });
    return { folders: [...folders], problems };
  }

  function open(request: SessionRequest, isOurs: boolean, lost?: Parameters<Sessions['open']>[2]): HubEntry {
    if (isShut) throw new GatewayError('shutting-down', 'the gateway is shutting down');
    const [name, agent] = agents.named(request.agent);
    const { folders: named, problems } = foldersOf(request, isOurs);
    const cwd = request.cwd === undefined ? named[0] : folderAt(request.cwd, isOurs);
    const place = cwd ?? agent.cwd ?? process.cwd();
    // Where the agent works by its configuration is not for clients on the network to read.
    const folders = named.length > 0 ? named : isOurs ? [place] : cwd === undefined ? [] : [cwd];
    const id = request.id ?? randomUUID();
    const { keep, found } = request;
    const createdAt = new Date().toISOString();
    const entry = hub.add(id, () => {
      // A client on the network does not learn where we are (docs/threats.md T8).
      const life = stored.live({ id, agent: name, cwd: isOurs ? place : cwd, place, createdAt, keep, found });
      const session: Session = createSession({
        id,
        epoch: randomBytes(6).toString('hex'),
        timeOrigin,
        // Agents of some protocols tell it themselves, so its clients may know it.
        place: path.resolve(place),
        clock,
        limits: {
          ...defaultSessionLimits,
          questionMs: request.questionMs ?? config.limits.questionMs,
          abortMs: config.limits.abortMs,
          silenceMs: config.limits.silenceMs,
        },
        connect: (instructions) =>
          agents.connect(name, agent, { cwd, folders: folders.length > 0 ? folders : [place], instructions }),
        agent: agents.kindOf(name),
        takesInstructions: agents.takesInstructions(agent),
        workspace: createWorkspace(folders),
        isConfined: !isOurs,
        exports: exportsOf({ session: id, cwd: place, isOurs }),
        info: life.info,
        history: request.history ?? life.history,
        sessionFiles: life.files,
        readStored: life.read,
        note: (level, text) => note(id, level, text),
        logged: (event) => life.logged(event, session),
        ended() {
          life.end(session);
          if (announced.delete(id)) ports.tell({ kind: 'session-closed', session: id });
          ports.ended(id);
        },
        lost(sentence, wasSilent) {
          request.ending?.(sentence);
          if (lost !== undefined) lost(sentence, wasSilent);
          else log('error', 'the agent is gone', { session: id, agent: name, reason: sentence });
        },
      });
      return { session, agent: name, createdAt, principal: owner, problems };
    });
    if (request.isQuiet !== true) announce(entry);
    return entry;
  }

  function announce(entry: HubEntry, state?: SessionState): void {
    // It may have ended before it could be told of.
    if (entry.session.state === 'closed') return;
    announced.add(entry.session.id);
    ports.tell({ kind: 'session-opened', session: summary(entry), ...(state === undefined ? {} : { state }) });
  }

  function summary({ session, createdAt }: HubEntry): SessionSummary {
    const { transcript } = session;
    const { name, file, model, thinkingLevel } = transcript.info;
    const messages = messagesOf(transcript);
    return {
      id: session.id,
      name,
      file,
      model,
      thinkingLevel,
      createdAt,
      modifiedAt: new Date(Math.round(timeOrigin + transcript.lastAt)).toISOString(),
      firstWords: firstWordsIn(messages),
      messageCount: messages.length,
      running: session.state === 'running',
    };
  }

  function sinkOf(session: Session, isOurs: boolean) {
    const dropped = () => note(session.id, 'loss', 'answer-approval: a permission that was not suggested is not kept');
    const admit = (command: Command) => {
      // It names folders, and no agent is to look whether they may be used.
      if (command.type === 'create-session') throw new GatewayError('unsupported', 'this connection has its session');
      const suggested = withRememberablePermissions(passable(command), session.transcript, dropped);
      const file = suggested.type === 'switch-session' ? stored.fileAt(suggested.path) : null;
      // What may be loaded may be switched to: it is the same to the agent.
      if (suggested.type === 'switch-session' && file !== null) return { ...suggested, path: file };
      return withPathsInside(suggested, config.roots);
    };
    return {
      submit(command: Command, settle: (outcome: Outcome) => void) {
        let admitted: Command;
        try {
          admitted = isOurs ? command : admit(command);
        } catch (thrown) {
          return settle(refusalOf(thrown));
        }
        session.submit(admitted, settle);
      },
      note: (level: NoteLevel, text: string) => note(session.id, level, text),
    };
  }

  function sweep(): void {
    const now = clock.now();
    for (const { session } of hub.list()) {
      if (session.readers > 0 || session.state === 'running' || reserved.has(session)) {
        idleSince.delete(session);
        continue;
      }
      const since = idleSince.get(session) ?? now;
      idleSince.set(session, since);
      if (now - since >= config.limits.idleSessionMs) hub.remove(session.id, 'the session was idle for too long');
    }
  }

  return {
    hub,
    open,
    find: (id) => hub.get(id, owner),
    announce,
    summary,
    listStored() {
      const open = hub.list().flatMap(({ session: { id, transcript } }): [string, string][] => {
        const { file } = transcript.info;
        return file === undefined ? [] : [[file, id]];
      });
      return stored.list(new Map(open));
    },
    findStored: stored.find,
    copyStored: stored.copy,
    isForgetful: agents.isForgetful,
    reserve: (session) => void reserved.add(session),
    release: (session) => void reserved.delete(session),
    sinkOf,
    note,
    notes,
    shut() {
      isShut = true;
      clearInterval(sweeper);
    },
    get isShut() {
      return isShut;
    },
  };
}

/** Never throws: a path from a client may be anything. */
function isFolder(wish: string): boolean {
  try {
    return path.isAbsolute(wish) && isDirectory(wish);
  } catch {
    return false;
  }
}

/** What was thrown, as the outcome of a command. */
export function refusalOf(thrown: unknown): Outcome {
  return refused(thrown instanceof GatewayError ? thrown.code : 'internal', messageOf(thrown));
}
