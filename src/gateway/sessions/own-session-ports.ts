// What one session of this gateway needs of the gateway: its agent, its folders and files, and who learns of it.
import path from 'node:path';
import type { NoteLevel } from '../../core/contract/adapter/action.ts';
import type { Instructions } from '../../core/contract/adapter/instructions.ts';
import type { AgentKind } from '../../core/contract/adapter/projection.ts';
import type { Resumption } from '../../core/contract/adapter/stored-conversations.ts';
import type { Clock } from '../../core/contract/clock.ts';
import { faultText } from '../../core/contract/guarded.ts';
import type { Limited, LimitRule } from '../../core/contract/limits/limit-rule.ts';
import type { PacedWork, WorkQueue } from '../../core/contract/paced-work.ts';
import type { Principal } from '../../core/contract/principal.ts';
import type { Tap } from '../../core/contract/tap.ts';
import type { WorkspacePort } from '../../core/contract/workspace.ts';
import type { ExportPort } from '../../core/export/export.ts';
import type { AgentConnection } from '../../core/link/agent-link.ts';
import type { Message } from '../../core/model/content.ts';
import { GatewayError, type Problem } from '../../core/model/errors.ts';
import type { Event } from '../../core/model/event.ts';
import type { SessionFile } from '../../core/model/outcome-data.ts';
import type { SessionInfo } from '../../core/model/session-info.ts';
import type { KeptSession } from '../../core/session/kept/session-recorder.ts';
import type { Session } from '../../core/session/session.ts';
import type { SessionLimits, SessionPorts } from '../../core/session/session-ports.ts';
import type { TranscriptBudget } from '../../core/session/transcript/transcript-budget.ts';
import type { createExportPlaces } from '../../stores/export.ts';
import { createWorkspace } from '../../workspace/workspace.ts';
import type { Agents } from '../agents.ts';
import type { Taps } from '../inspector/taps.ts';
import type { Log } from '../log.ts';
import type { Meter } from '../metering/meter.ts';
import type { SessionTally } from '../metering/session-tally.ts';
import type { Notes } from '../notes.ts';
import type { Quotas } from '../quotas.ts';
import type { Conversations } from '../stored/conversations.ts';
import type { KeptEnding } from '../stored/kept-sessions.ts';
import type { SessionOrigin } from '../stored/session-files.ts';
import type { SessionPersistence } from '../stored/session-persistence.ts';
import { type SessionTitle, titleAfter } from '../stored/session-title.ts';
import { createRunSpans, type RunSpans } from '../tracing/run-spans.ts';
import type { Tracer } from '../tracing/tracer.ts';
import type { AgentLost, CheckedRequest } from './session-request.ts';

/** The parts of the gateway that its sessions use. */
export interface SessionSurroundings {
  readonly agents: Agents;
  persistenceOf(origin: SessionOrigin): SessionPersistence;
  readonly exportsOf: ReturnType<typeof createExportPlaces>;
  /** Notes conversations that only their agents keep; absent: nobody does. */
  readonly conversations: Pick<Conversations, 'save' | 'find'> | undefined;
  readonly notes: Notes;
  readonly meter: Meter;
  readonly tally: SessionTally;
  readonly tracer: Tracer | undefined;
  /** Looks at all sessions; null: no inspector. */
  readonly taps: Taps | null;
  readonly log: Log;
  readonly clock: Clock;
  readonly work: Pick<PacedWork, 'queue'>;
}

/** What all sessions of a gateway share. */
export interface SharedBySessions {
  readonly around: SessionSurroundings;
  readonly quotas: Quotas;
  readonly budget: TranscriptBudget;
  /** Counts a refusal for want of room. */
  counted<Result>(rule: LimitRule, act: () => Result): Result;
  /** Takes each event of a session but deltas. */
  logged(session: string, event: Event): void;
  /** The session has ended. */
  ended(session: string, staysKept: boolean): void;
}

/** How a session begins. */
export interface SessionBeginning extends Pick<Session, 'epoch' | 'timeOrigin'> {
  readonly checked: CheckedRequest;
  readonly opener: Principal;
  readonly limits: SessionLimits;
  /** Default: the log. */
  readonly lost: AgentLost | undefined;
  /** Absent: the session is kept nowhere, or is made again. */
  readonly kept: KeptSession | undefined;
  /** Absent: the session is kept nowhere. */
  readonly ending: KeptEnding | undefined;
}

const recordsStay: Problem = { code: 'internal', message: 'what is kept of the session could not be deleted' };

/** A class: each session has one. As closures and an object literal it would weigh three times as much. */
export class OwnSessionPorts implements SessionPorts {
  readonly id: string;
  readonly epoch: string;
  readonly timeOrigin: number;
  /** Agents of some protocols report their directory, so clients may know it. */
  readonly place: string;
  readonly clock: Clock;
  readonly work: WorkQueue;
  readonly limits: SessionLimits;
  readonly budget: TranscriptBudget;
  readonly agent: AgentKind;
  readonly resume?: string;
  readonly tap: Tap | undefined;
  readonly takesInstructions: boolean;
  readonly workspace: WorkspacePort;
  readonly isConfined: boolean;
  readonly exports: ExportPort;
  readonly limited: Limited;
  readonly info?: SessionInfo;
  readonly history?: readonly Message[];
  readonly kept?: KeptSession;
  readonly #shared: SharedBySessions;
  readonly #checked: CheckedRequest;
  readonly #opener: Principal;
  readonly #lost: AgentLost | undefined;
  readonly #ending: KeptEnding | undefined;
  readonly #persistence: SessionPersistence;
  readonly #spans: RunSpans | undefined;
  /** Set by {@link belongTo}, before the first event. */
  #session!: Session;
  #starts = 0;
  /** The agent's own name of the conversation. */
  #conversation: string | undefined;
  /** The title of the conversation so far. */
  #title: SessionTitle | undefined;
  /** The name and title in the newest note of the conversation. */
  #noted: { readonly file: string; readonly title: SessionTitle } | undefined;
  #isUsed = false;

  constructor(shared: SharedBySessions, beginning: SessionBeginning) {
    const { agents, clock, work, exportsOf, meter, tracer, taps } = shared.around;
    const { checked, opener, lost, ending, epoch, timeOrigin, limits, kept } = beginning;
    const { request, id, agentName, agent, cwd, place, folders, createdAt, isOurs, toolServers } = checked;
    const { keep, found, isBack, resume } = request;
    this.id = id;
    this.epoch = epoch;
    this.timeOrigin = timeOrigin;
    this.place = path.resolve(place);
    this.clock = clock;
    this.work = work.queue();
    this.limits = limits;
    this.budget = shared.budget;
    this.agent = agents.kindOf(agentName);
    this.resume = resume;
    this.tap = taps?.made(id, toolServers);
    this.takesInstructions = agents.takesInstructions(agent);
    this.workspace = createWorkspace(folders);
    this.isConfined = !isOurs;
    this.exports = exportsOf({ session: id, cwd: place, isOurs });
    this.limited = meter.limited;
    this.#shared = shared;
    this.#checked = checked;
    this.#opener = opener;
    this.#lost = lost;
    this.#ending = ending;
    // Clients on the network do not learn where the gateway runs (docs/threats.md T8).
    const known = isOurs ? place : cwd;
    const whenKept = (callback: () => void) => this.#session.whenKept((isThere) => void (isThere && callback()));
    const origin = { id, agent: agentName, cwd: known, place, createdAt, keep, found, isBack, whenKept };
    this.#persistence = shared.around.persistenceOf(origin);
    // A session that is made again has both in its records.
    if (isBack !== true) {
      this.info = this.#persistence.info;
      this.history = request.history ?? this.#persistence.history;
    }
    this.kept = kept;
    const traced = { session: id, agent: agentName, protocol: agent.protocol };
    this.#spans = tracer && createRunSpans(tracer, traced, (thrown) => this.note('internal', faultText(thrown)));
  }

  /** To be called with the session. */
  belongTo(session: Session): void {
    this.#session = session;
    this.#shared.around.tally.add(session, this.#checked.agent.protocol);
  }

  connect(instructions?: Instructions, resume?: Resumption): AgentConnection {
    const { around, quotas, counted } = this.#shared;
    const { agentName, agent, cwd, folders, place, toolServers } = this.#checked;
    counted('agents', () => quotas.checkAgents(this.#opener));
    around.meter.starts.add(agent.protocol);
    if (this.#starts > 0) around.meter.restarts.add(agent.protocol);
    this.#starts += 1;
    return around.agents.connect(agentName, agent, {
      cwd,
      folders: folders.length > 0 ? folders : [place],
      instructions,
      resume,
      toolServers,
    });
  }

  refuseQuestion(): string | null {
    return this.#shared.quotas.refuseQuestion(this.#opener);
  }

  sessionFiles(): readonly SessionFile[] {
    return this.#persistence.siblings();
  }

  readStored(wanted: string): readonly Message[] {
    return this.#persistence.read(wanted);
  }

  note(level: NoteLevel, text: string): void {
    const { taps, notes } = this.#shared.around;
    taps?.note(this.id, level, text);
    notes.add(this.id, level, text);
  }

  logged(event: Event): SessionInfo | undefined {
    this.#spans?.logged(event);
    this.#shared.logged(this.id, event);
    this.#noteConversation(event);
    return this.#persistence.logged(event, this.#session);
  }

  /** A conversation in which nobody has asked anything is not looked for, and many agents keep none. */
  #noteConversation(event: Event): void {
    const { conversations, log } = this.#shared.around;
    if (conversations === undefined) return;
    if (event.type === 'run-start') this.#isUsed = true;
    if (event.type === 'session-changed') this.#conversation = event.changes.resume ?? this.#conversation;
    // An agent may go on with a conversation without telling its past.
    this.#title ??= conversations.find(this.id) ?? {};
    const title = titleAfter(this.#title, event);
    this.#title = title;
    const file = this.#conversation;
    if (!this.#isUsed || file === undefined || (this.#noted?.file === file && this.#noted.title === title)) return;
    this.#noted = { file, title };
    const { agentName: agent, place: cwd } = this.#checked;
    const { name, firstWords } = title;
    try {
      conversations.save({ id: this.id, agent, cwd, file, name, firstWords });
    } catch (thrown) {
      log('error', 'the session cannot be found again', { session: this.id, reason: faultText(thrown) });
    }
  }

  forget(then: (problem: Problem | null) => void): void {
    if (this.#ending === undefined) return then(null);
    this.#ending.forget().then(
      () => then(null),
      (thrown: unknown) =>
        then(thrown instanceof GatewayError ? { code: thrown.code, message: thrown.message } : recordsStay),
    );
  }

  ended(staysKept: boolean): void {
    this.#spans?.end();
    this.#ending?.[staysKept ? 'release' : 'forget']().catch(() => {});
    this.#persistence.end(this.#session);
    this.#shared.around.tally.remove(this.#session);
    this.#shared.ended(this.id, staysKept);
  }

  lost(sentence: string, wasSilent: boolean): void {
    const { request, agentName } = this.#checked;
    request.ending?.(sentence);
    if (this.#lost !== undefined) this.#lost(sentence, wasSilent);
    else
      this.#shared.around.log('error', 'the agent is gone', { session: this.id, agent: agentName, reason: sentence });
  }
}
