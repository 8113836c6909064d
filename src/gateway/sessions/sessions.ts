// Opens, finds, announces and closes the sessions of a gateway.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { getHeapStatistics } from 'node:v8';
import type { Config } from '../../config/config.ts';
import type { Broadcast } from '../../core/contract/broadcast.ts';
import type { Deliver } from '../../core/contract/delivery.ts';
import type { ObstacleSource } from '../../core/contract/gateway/obstacles.ts';
import type { LimitRule } from '../../core/contract/limits/limit-rule.ts';
import { owner, type Principal } from '../../core/contract/principal.ts';
import type { FollowableStore } from '../../core/contract/store/followed-log.ts';
import type { SessionStore } from '../../core/contract/store/session-store.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { SessionState } from '../../core/model/outcome-data.ts';
import type { Hub, HubEntry } from '../../core/session/hub.ts';
import type { FollowedPorts } from '../../core/session/kept/follow-session.ts';
import type { DialectOf } from '../../core/session/kept/restoration.ts';
import { createSession } from '../../core/session/open-session.ts';
import type { Session } from '../../core/session/session.ts';
import { defaultSessionLimits } from '../../core/session/session-ports.ts';
import { createTranscriptBudget, type TranscriptBudget } from '../../core/session/transcript/transcript-budget.ts';
import { Quotas } from '../quotas.ts';
import { FollowedSessions } from '../stored/followed-sessions.ts';
import { KeptSessions, type Returning } from '../stored/kept-sessions.ts';
import { headOf, requestIn, type SessionHead } from '../stored/session-head.ts';
import { OwnSessionPorts, type SessionSurroundings, type SharedBySessions } from './own-session-ports.ts';
import { type AgentLost, type CheckedRequest, checkRequest, type SessionRequest } from './session-request.ts';
import { summaryOf } from './session-summary.ts';

/** The dependencies of the sessions of a gateway. */
export interface SessionsPorts extends SessionSurroundings {
  readonly config: Config;
  readonly hub: Hub;
  /** Ms since 1970 when the clock was 0. */
  readonly timeOrigin: number;
  /** Where sessions are kept; absent: nowhere. */
  readonly store: SessionStore | undefined;
  /** The store as several gateways share it; absent: they do not. */
  readonly shared: FollowableStore | undefined;
  /** Brings commands to the gateways that have their sessions. */
  readonly deliver: Deliver | undefined;
  /** Takes what is thrown behind the back of everybody. */
  failed(thrown: unknown): void;
  /** Ids of new sessions begin with this name and a hyphen. */
  readonly node: string | undefined;
  /** Finds the dialects of streams that are made again. */
  readonly dialectOf: DialectOf;
  /** Tells all clients that a session was opened or closed. */
  broadcast(broadcast: Extract<Broadcast, { kind: 'session-opened' | 'session-closed' }>, about: HubEntry): void;
  /** Called when a session has ended, announced or not. `staysKept`: it can be opened again. */
  ended(session: string, staysKept: boolean): void;
}

/** Who opens a session. */
export interface SessionOwner {
  readonly principal: Principal;
  /** The client owns this process. */
  readonly isOurs: boolean;
}

const shuttingDown = 'the gateway is shutting down';

/** All sessions of a gateway. */
export class Sessions implements ObstacleSource {
  readonly #ports: SessionsPorts;
  /** Announced sessions, by id. */
  readonly #announced = new Map<string, HubEntry>();
  readonly #quotas: Quotas;
  readonly #budget: TranscriptBudget;
  readonly #shared: SharedBySessions;
  /** Null: sessions are kept nowhere. */
  readonly #kept: KeptSessions | null;
  /** Null: there are no other gateways. */
  readonly #followed: FollowedSessions | null;
  #isShut = false;

  constructor(ports: SessionsPorts) {
    this.#ports = ports;
    const { store, shared, log, hub, clock, dialectOf, deliver, failed } = ports;
    this.#followed =
      shared === undefined
        ? null
        : new FollowedSessions({
            store: shared,
            clock,
            dialectOf,
            deliver,
            failed,
            portsOf: (head) => this.#followedPortsOf(head),
            show: (head, session) => this.#show(head, session),
          });
    this.#kept =
      store === undefined
        ? null
        : new KeptSessions({
            store,
            log,
            followed: this.#followed,
            isOpen: (id) => hub.has(id),
            restore: (returning) => this.#restore(returning),
            lost: (id, reason, isMoved) => hub.leave(id, reason, isMoved),
            unkept: (id) => this.warn(id, 'This session is not kept at the moment: it would be lost with the gateway.'),
          });
    const { allTranscriptBytes } = ports.config.limits;
    const mostBytes = allTranscriptBytes ?? getHeapStatistics().heap_size_limit / 4;
    this.#budget = createTranscriptBudget(mostBytes, ports.meter.limited);
    this.#quotas = new Quotas(ports.hub, ports.config.limits.perToken);
    this.#shared = {
      around: ports,
      quotas: this.#quotas,
      budget: this.#budget,
      counted: (rule, act) => this.#counted(rule, act),
      logged: (id, event) => this.#kept?.logged(id, event),
      ended: (id, staysKept) => this.#ended(id, staysKept),
    };
  }

  /**
   * Opens a session for `opener`. `isOurs`: the client owns this process and may name any folder; other clients may
   * name the configured ones. `lost`: default, the log. Throws `not-found`, `invalid`, `conflict`, `limit` or `shutting-down`.
   */
  open(request: SessionRequest, { principal: opener, isOurs }: SessionOwner, lost?: AgentLost): HubEntry {
    if (this.#isShut) throw new GatewayError('shutting-down', shuttingDown);
    const checked = checkRequest(request, { principal: opener, isOurs }, this.#ports);
    const { id, agentName, createdAt, problems } = checked;
    if (!isOurs) this.#counted('sessions', () => this.#quotas.checkSessions(opener));
    const create = () => ({
      session: this.#create(checked, opener, lost),
      agent: agentName,
      createdAt,
      principal: opener.name,
      problems,
    });
    const entry = this.#counted('sessions', () => this.#ports.hub.add(id, create));
    if (request.isQuiet !== true) this.announce(entry);
    return entry;
  }

  /** The session with this id or name, if the principal reaches it. Throws `not-found`. */
  find(id: string, principal: Principal): HubEntry {
    return this.#ports.hub.get(id, principal);
  }

  /** The name of the session's agent; undefined for a session that the principal does not reach. */
  agentOf(id: string, principal: Principal): string | undefined {
    try {
      return this.find(id, principal).agent;
    } catch {
      return undefined;
    }
  }

  /** Undefined for a session that is not open here. */
  ifOpen(id: string): Session | undefined {
    return this.#ports.hub.has(id) ? this.find(id, owner).session : undefined;
  }

  /** A client's own name for the session; see {@link Hub.name}. */
  name(id: string, name: string): void {
    const names = this.#ports.hub.name(id, name);
    if (names !== null) this.#kept?.named(id, names);
  }

  /** Tells the clients of the session. Unknown ids are ignored. */
  warn(id: string, text: string): void {
    for (const { session } of this.#ports.hub.list()) if (session.id === id) session.warn(text);
  }

  /** Closes the session. Unknown ids are ignored. */
  remove(id: string, reason: string): void {
    this.#ports.hub.remove(id, reason);
  }

  /** Tells all clients that the session was opened. */
  announce(entry: HubEntry, state?: SessionState): void {
    // The session may have ended already.
    if (entry.session.state === 'closed') return;
    this.#announced.set(entry.session.id, entry);
    const session = summaryOf(entry);
    this.#ports.broadcast({ kind: 'session-opened', session, ...(state === undefined ? {} : { state }) }, entry);
  }

  /** Opens no more sessions. */
  shut(): void {
    this.#isShut = true;
  }

  get isShut(): boolean {
    return this.#isShut;
  }

  obstacles(): readonly string[] {
    return this.#isShut ? [shuttingDown] : [];
  }

  /** Counts a refusal for want of room. */
  #counted<Result>(rule: LimitRule, act: () => Result): Result {
    try {
      return act();
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.code === 'limit') this.#ports.meter.limited(rule);
      throw thrown;
    }
  }

  /** Brings a stored session back if it is not open. Null: nothing is to be done. */
  wake(id: string, cursor: string | null = null): Promise<void> | null {
    if (this.#isShut) return null;
    return this.#kept?.wake(id, cursor) ?? null;
  }

  /** Whether the session belongs to another gateway, and is shown here. */
  isFollowed(id: string): boolean {
    return this.#followed?.has(id) === true;
  }

  /** Whether sessions of other gateways can be shown. */
  get follows(): boolean {
    return this.#followed !== null;
  }

  #create(checked: CheckedRequest, opener: Principal, lost: AgentLost | undefined): Session {
    const { timeOrigin } = this.#ports;
    const epoch = randomBytes(6).toString('hex');
    const keeping = this.#kept?.keep(headOf(checked, opener, { epoch, timeOrigin }));
    const ports = new OwnSessionPorts(this.#shared, {
      checked,
      opener,
      lost,
      epoch,
      timeOrigin,
      limits: this.#limitsFor(checked.request),
      kept: keeping && { ...keeping.kept, place: 0 },
      ending: keeping?.ending,
    });
    const session = createSession(ports);
    keeping?.belongsTo(session);
    this.#kept?.begun(session);
    ports.belongTo(session);
    return session;
  }

  /** Opens a session of the store. */
  async #restore({ head, past, kept, belongsTo, ending }: Returning): Promise<void> {
    const { agents, timeOrigin: clockOrigin, dialectOf } = this.#ports;
    const [, agent] = agents.named(head.agent, owner);
    const checked = requestIn(head, agent);
    const ports = new OwnSessionPorts(this.#shared, {
      checked,
      opener: { ...owner, name: head.principal },
      lost: undefined,
      epoch: head.epoch,
      timeOrigin: head.timeOrigin,
      limits: this.#limitsFor(checked.request),
      kept: undefined,
      ending,
    });
    // Loaded on demand: a gateway without stored sessions needs none of the schemas.
    const { restoreSession } = await import('../../core/session/kept/restore-session.ts');
    const begun = (session: Session) => {
      belongsTo(session);
      ports.belongTo(session);
    };
    const session = await restoreSession({ ports, clockOrigin, kept, past, dialectOf, begun });
    this.#kept?.begun(session);
    try {
      this.#show(head, session);
    } catch (thrown) {
      session.leave('there is no room for it');
      throw thrown;
    }
  }

  /** Gives a session of the store its place. */
  #show({ session: id, agent, createdAt, principal, names = [] }: SessionHead, session: Session): void {
    const { hub } = this.#ports;
    if (this.#isShut) throw new GatewayError('shutting-down', shuttingDown);
    this.#counted('sessions', () => hub.add(id, () => ({ session, agent, createdAt, principal })));
    this.#announced.set(id, hub.get(id, owner));
    for (const name of names) hub.name(id, name);
  }

  /** What a session of another gateway needs: it has no agent and writes no file. */
  #followedPortsOf(head: SessionHead): FollowedPorts {
    const { agents, clock, work, meter, notes } = this.#ports;
    const { session: id, epoch, timeOrigin } = head;
    const [, agent] = agents.named(head.agent, owner);
    return {
      id,
      epoch,
      timeOrigin,
      place: path.resolve(head.place),
      clock,
      work: work.queue(),
      limits: this.#limitsFor(requestIn(head, agent).request),
      budget: this.#budget,
      agent: agents.kindOf(head.agent),
      takesInstructions: agents.takesInstructions(agent),
      note: (level, text) => notes.add(id, level, text),
      limited: meter.limited,
      ended: (staysKept) => {
        this.#followed?.end(id, 'the session is not open any more');
        this.#ended(id, staysKept);
      },
    };
  }

  #limitsFor({ questionMs }: SessionRequest) {
    const { limits } = this.#ports.config;
    return {
      ...defaultSessionLimits,
      questionMs: questionMs ?? limits.questionMs,
      abortMs: limits.abortMs,
      silenceMs: limits.silenceMs,
      transcriptBytes: limits.transcriptBytes,
    };
  }

  #ended(id: string, staysKept: boolean): void {
    const announced = this.#announced.get(id);
    this.#announced.delete(id);
    // A kept session is there for whoever names it.
    if (announced !== undefined && !staysKept)
      this.#ports.broadcast({ kind: 'session-closed', session: id }, announced);
    this.#ports.ended(id, staysKept);
  }
}
