// How a client opens sessions: fresh ones, and stored ones again; what could not be opened leaves nothing behind. Part of the
// composition root; knows no protocol.
import type { Clock } from './core/clock.ts';
import type { CommandOf } from './core/command.ts';
import { GatewayError, messageOf, type Outcome, refused } from './core/errors.ts';
import type { HubEntry } from './core/hub.ts';
import { OutcomeData, SessionState } from './core/outcome-data.ts';
import type { Session } from './core/session.ts';
import type { SessionRequest, Sessions } from './sessions.ts';

/** Who opens them, and how. */
export interface OpeningsPorts {
  readonly sessions: Sessions;
  /** Of sessions that name none. */
  readonly agent: string | undefined;
  /** It owns this process. */
  readonly isOurs: boolean;
  /** See SessionRequest. */
  readonly questionMs: number | undefined;
  readonly clock: Clock;
  /** Called for each, before anybody can speak in it. */
  opened(session: Session): void;
  /** The agent of one of them is gone, and nobody sent it away; default: the log tells of it. */
  readonly lost: ((sentence: string, wasSilent: boolean) => void) | undefined;
}

/** Opens sessions. Throws what Sessions.open does; the answer may come later. */
export interface Openings {
  create(command: CommandOf<'create-session'>, settle: Settle): void;
  load(command: CommandOf<'load-session'>, settle: Settle): void;
}

/** `then`: what is told of it when the client has heard its answer. */
export type Settle = (outcome: Outcome, then?: () => void) => void;

/** An id may be part of a path, a URL or a line of a log (threat T9); longer than those of the REST routes, for clients mint them. */
const sessionId = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,255}$/u;

/** How long an agent may take to start and to tell how it is. */
const describeMs = 30_000;

/** Of one client. */
export function createOpenings(ports: OpeningsPorts): Openings {
  const { sessions, isOurs } = ports;

  function create({ describe = false, ...wish }: CommandOf<'create-session'>, settle: Settle): void {
    const { entry, endOf } = open({ agent: ports.agent, ...wish, isQuiet: describe });
    if (describe) return describeOpened(entry, settle, endOf);
    settle({ ok: true, data: { session: sessions.summary(entry), problems: entry.problems } });
  }

  /** A session that could not be loaded leaves nothing behind. */
  function load({ path, id, keep, describe = false }: CommandOf<'load-session'>, settle: Settle): void {
    const found = sessions.findStored(path, ports.agent);
    const { agent, cwd, file } = found;
    const folders = cwd === undefined ? [] : [cwd];
    const { entry, endOf } = open({ agent, id, folders, keep, found, isQuiet: true });
    const loaded = () => {
      if (describe) return describeOpened(entry, settle, endOf);
      settle({ ok: true, data: { session: sessions.summary(entry), problems: entry.problems } }, () =>
        sessions.announce(entry),
      );
    };
    if (found.told !== null) return loaded();
    const fail = (outcome: Outcome) => {
      sessions.hub.remove(entry.session.id, 'it could not be loaded');
      settle(outcome);
    };
    entry.session.submit({ type: 'switch-session', path: file }, (outcome) => {
      if (!outcome.ok) return fail(outcome);
      const answer = OutcomeData['switch-session'].safeParse(outcome.data).data;
      if (answer?.cancelled === true) return fail(refused('agent-refused', 'the agent did not open the session'));
      // It may ask its agent for what was said only now, behind our question; the next one comes behind that.
      const asking = { type: 'query', subject: 'state' } as const;
      entry.session.submit(asking, () => (describe ? loaded() : entry.session.submit(asking, loaded)));
    });
  }

  /** `endOf`: why its agent is gone; null while it is there. */
  function open(wish: SessionRequest): { entry: HubEntry; endOf(): string | null } {
    const { id } = wish;
    if (id !== undefined && !sessionId.test(id)) {
      throw new GatewayError('invalid', `a session id must match ${sessionId.source}`);
    }
    let end: string | null = null;
    const ending = (sentence: string) => {
      end = sentence;
    };
    const entry = sessions.open({ ...wish, questionMs: ports.questionMs, ending }, isOurs, ports.lost);
    ports.opened(entry.session);
    return { entry, endOf: () => end };
  }

  /** The answer comes when the agent has told how it is; one that could not be started leaves no session behind. */
  function describeOpened(entry: HubEntry, settle: Settle, endOf: () => string | null): void {
    const { session, problems } = entry;
    let isOver = false;
    const end = (outcome: Outcome, then?: () => void) => {
      if (isOver) return;
      isOver = true;
      cancelDeadline();
      if (!outcome.ok) sessions.hub.remove(session.id, outcome.error.message);
      settle(outcome, then);
    };
    // Everybody's commands wait behind this one.
    const cancelDeadline = ports.clock.after(describeMs, () =>
      end(refused('timeout', `the agent did not tell how it is within ${describeMs} ms`)),
    );
    function described(answer: Outcome): void {
      const reason = endOf();
      if (reason !== null) return end(refused('agent-down', reason));
      if (session.state === 'closed')
        return end(refused('not-found', `session ${session.id} was deleted while it was opened`));
      const state = answer.ok ? SessionState.safeParse(answer.data).data : undefined;
      end({ ok: true, data: { session: sessions.summary(entry), state, problems } }, () =>
        sessions.announce(entry, state),
      );
    }
    try {
      session.wake();
    } catch (thrown) {
      return end(refused('agent-down', messageOf(thrown)));
    }
    // Of an agent that dies its questions hear before the session does.
    session.submit({ type: 'query', subject: 'state' }, (answer) => queueMicrotask(() => described(answer)));
  }

  return { create, load };
}
