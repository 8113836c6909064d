// Opens sessions for one connection: new ones, stored ones, and copies of open ones. Removes a session whose opening
// fails.
import { z } from 'zod';
import type { Clock } from '../../core/contract/clock.ts';
import type { Principal } from '../../core/contract/principal.ts';
import type { Command, CommandOf } from '../../core/model/command.ts';
import { GatewayError, refused } from '../../core/model/errors.ts';
import { messagesBefore } from '../../core/session/forks.ts';
import type { HubEntry } from '../../core/session/hub.ts';
import type { Agents } from '../agents.ts';
import type { ConnectionSessions } from '../clients/connection-sessions.ts';
import type { SettleWithAfter } from '../commands/after-answer.ts';
import { answerWithState, type OpenedSession, settleKept } from '../commands/answer-with-state.ts';
import type { Conversations } from '../stored/conversations.ts';
import { storedSessionNamed } from '../stored/session-names.ts';
import type { FoundSession, StoredSessions } from '../stored/stored-sessions.ts';
import type { AgentLost, SessionRequest } from './session-request.ts';
import { refusalOf } from './session-sinks.ts';
import { openedData } from './session-summary.ts';
import type { Sessions } from './sessions.ts';

/** The dependencies of an opener. */
export interface SessionOpenerPorts {
  readonly sessions: Pick<Sessions, 'open' | 'find' | 'remove'> & Partial<Pick<Sessions, 'wake'>>;
  readonly stored: Pick<StoredSessions, 'find' | 'named' | 'copy'>;
  /** Absent: none are noted. */
  readonly conversations?: Pick<Conversations, 'find'> | undefined;
  readonly agents: Pick<Agents, 'acceptsHistory' | 'named' | 'resumptionFault'>;
  readonly clock: Clock;
  readonly own: Pick<ConnectionSessions, 'add'>;
  /** The agent of sessions that name none. */
  readonly agent: string | undefined;
  readonly principal: Principal;
  /** The client owns this process. */
  readonly isOurs: boolean;
  /** See SessionRequest. */
  readonly questionMs: number | undefined;
  readonly lost: AgentLost | undefined;
}

/** A stored session to open by its own name, and how. */
interface ResumeRequest {
  readonly resume: string;
  readonly agent?: string | undefined;
  readonly id?: string | undefined;
  readonly cwd?: string | undefined;
}

/** How a session is opened from a file. */
interface LoadRequest extends Pick<SessionRequest, 'id' | 'keep' | 'cwd' | 'toolServers'> {
  readonly describe?: boolean | undefined;
}

/**
 * Allowed session ids. An id may become part of a path, a URL or a log line (docs/threats.md T9). Longer than the ids
 * of the REST routes, because clients choose these ids.
 */
const sessionId = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,255}$/u;

/** The answer of an agent to a switch of its conversation. `cancelled`: the agent has not switched. */
const Cancelled = z.looseObject({ cancelled: z.boolean() });

/** Opens sessions. Throws what Sessions.open throws; may settle later. */
export class SessionOpener {
  readonly #ports: SessionOpenerPorts;

  constructor(ports: SessionOpenerPorts) {
    this.#ports = ports;
  }

  create(command: CommandOf<'create-session'>, settle: SettleWithAfter): void {
    const { describe = false, past, ...request } = command;
    if (past !== undefined) return this.#copy(past, request, settle);
    const opened = this.#open({ agent: this.#ports.agent, ...request, isQuiet: describe });
    if (describe) return answerWithState(opened, settle, this.#ports);
    settleKept(opened.entry, { outcome: { ok: true, data: openedData(opened.entry) } }, settle);
  }

  load({ path, describe, ...request }: CommandOf<'load-session'>, settle: SettleWithAfter): void {
    const noted = this.#ports.conversations?.find(path);
    if (noted) {
      // The agent finds the conversation by its own name for it.
      const { id, agent, cwd, file: resume } = noted;
      return this.#resumeBy({ id, cwd, ...request, agent, resume }, settle);
    }
    this.#load(this.#ports.stored.find(path, this.#ports.agent), { ...request, describe }, settle);
  }

  /**
   * Opens a stored session by its own name: its id, the path of its file, or what its agent calls it. Throws `not-found`
   * and `invalid` too.
   */
  resume({ resume, ...request }: ResumeRequest, settle: SettleWithAfter): void {
    const named = storedSessionNamed(resume, request.agent, this.#ports);
    if ('found' in named) return this.#load(named.found, request, settle);
    this.#resumeBy({ ...request, agent: named.agent, resume }, settle);
  }

  #resumeBy(request: SessionRequest & ResumeRequest, settle: SettleWithAfter): void {
    const opened = this.#open({ ...request, isQuiet: true });
    answerWithState({ ...opened, mustDescribe: true }, settle, this.#ports);
  }

  /** A session that a store keeps is opened itself: its file is a copy of what its log says. */
  #load(found: FoundSession, request: LoadRequest, settle: SettleWithAfter): void {
    const id = found.stored?.head.id ?? '';
    const isItself = id !== '' && (request.id ?? id) === id;
    const waking = isItself ? (this.#ports.sessions.wake?.(id) ?? null) : null;
    if (waking === null) return this.#loadFile(found, request, settle);
    const woken = () => {
      const entry = this.#withFile(found.file, id);
      if (entry === null) return this.#loadFile(found, request, settle);
      this.#ports.own.add(entry.session);
      const { describe = false } = request;
      if (!describe) return settleAnnounced(entry, settle);
      // What is kept stays, also if its agent cannot be started now.
      const { clock } = this.#ports;
      answerWithState({ entry, agentEnd: () => null }, settle, { clock, sessions: { remove: () => {} } });
    };
    void waking.then(woken).catch((thrown: unknown) => settle({ outcome: refusalOf(thrown) }));
  }

  /** The open session with that id, if it writes into that file. */
  #withFile(file: string, id: string): HubEntry | null {
    try {
      const entry = this.#ports.sessions.find(id, this.#ports.principal);
      return entry.session.transcript.info.file === file ? entry : null;
    } catch {
      return null;
    }
  }

  #loadFile(
    found: FoundSession,
    { describe = false, id, keep, cwd, toolServers }: LoadRequest,
    settle: SettleWithAfter,
  ): void {
    const { agent, file } = found;
    const folders = found.cwd === undefined ? [] : [found.cwd];
    const opened = this.#open({ agent, id, cwd, folders, keep, found, toolServers, isQuiet: true });
    const { entry } = opened;
    if (found.stored !== null) {
      return describe ? answerWithState(opened, settle, this.#ports) : settleAnnounced(entry, settle);
    }
    this.#runSteps(entry, [{ type: 'switch-session', path: file }], settle, () => {
      if (!describe) return settleWhenSynced(entry, settle);
      entry.session.submit({ type: 'query', subject: 'state' }, () => answerWithState(opened, settle, this.#ports));
    });
  }

  /**
   * Opens a session with the history of another one: restored by the gateway, or read by the agent from its own file.
   */
  #copy(
    { session, before }: NonNullable<CommandOf<'create-session'>['past']>,
    request: SessionRequest,
    settle: SettleWithAfter,
  ): void {
    const { sessions, stored, agents } = this.#ports;
    const source = sessions.find(session, this.#ports.principal);
    const { agent } = source;
    const refuse = (...refusal: Parameters<typeof refused>) => settle({ outcome: refused(...refusal) });
    if (source.session.state === 'running') return refuse('busy', 'the agent is at work');
    if (agents.acceptsHistory(agent)) {
      const history = messagesBefore(source.session, before);
      if (history === null) return refuse('not-found', `there is no message ${before}`);
      const { entry } = this.#open({ ...request, agent, history });
      return settleKept(entry, { outcome: { ok: true, data: openedData(entry) } }, settle);
    }
    const { file } = source.session.transcript.info;
    if (file === undefined) return refuse('unsupported', 'its agent has no file of it');
    // Two agents must not write into one file. An agent that forks writes into another file by itself.
    const path = before === undefined ? stored.copy(file, agent) : file;
    if (path === null) return refuse('unsupported', 'its agent cannot go on with it twice');
    const { entry } = this.#open({ ...request, agent, isQuiet: true });
    const steps: Command[] = [{ type: 'switch-session', path }];
    if (before !== undefined) steps.push({ type: 'fork', entry: before });
    this.#runSteps(entry, steps, settle, () => settleWhenSynced(entry, settle));
  }

  /** Runs the steps in order, then `done`. Removes the session if a step is refused or cancelled. */
  #runSteps(entry: HubEntry, steps: readonly Command[], settle: SettleWithAfter, done: () => void): void {
    const [step, ...rest] = steps;
    if (step === undefined) return done();
    entry.session.submit(step, (outcome) => {
      const isCancelled = outcome.ok && Cancelled.safeParse(outcome.data).data?.cancelled === true;
      if (outcome.ok && !isCancelled) return this.#runSteps(entry, rest, settle, done);
      this.#ports.sessions.remove(entry.session.id, 'it could not be loaded');
      settle({ outcome: isCancelled ? refused('agent-refused', 'the agent did not open the session') : outcome });
    });
  }

  #open(request: SessionRequest): OpenedSession {
    const { sessions, own, questionMs, principal, isOurs, lost } = this.#ports;
    const { id } = request;
    if (id !== undefined && !sessionId.test(id)) {
      throw new GatewayError('invalid', `a session id must match ${sessionId.source}`);
    }
    let end: string | null = null;
    const ending = (sentence: string) => {
      end = sentence;
    };
    const entry = sessions.open({ ...request, questionMs, ending }, { principal, isOurs }, lost);
    own.add(entry.session);
    return { entry, agentEnd: () => end };
  }
}

/**
 * Settles after the answer to a second query. An agent may load the history only after the first query, and the second
 * answer comes after the history.
 */
function settleWhenSynced(entry: HubEntry, settle: SettleWithAfter): void {
  const query = { type: 'query', subject: 'state' } as const;
  entry.session.submit(query, () => entry.session.submit(query, () => settleAnnounced(entry, settle)));
}

function settleAnnounced(entry: HubEntry, settle: SettleWithAfter): void {
  settleKept(entry, { outcome: { ok: true, data: openedData(entry) }, after: { do: 'announce', entry } }, settle);
}
