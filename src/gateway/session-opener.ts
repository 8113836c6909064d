// How a client opens sessions: fresh ones, and stored ones again; what could not be opened leaves nothing behind. Part of the
// composition root; knows no protocol.
import { z } from 'zod';
import type { Clock } from '../core/contract/clock.ts';
import type { Command, CommandOf } from '../core/model/command.ts';
import { GatewayError, messageOf, type Outcome, refused } from '../core/model/errors.ts';
import { messagesBefore } from '../core/session/forks.ts';
import type { HubEntry } from '../core/session/hub.ts';
import { SessionState } from '../core/model/outcome-data.ts';
import type { Session } from '../core/session/session.ts';
import type { SessionRequest, Sessions } from './sessions.ts';

/** Who opens them, and how. */
export interface SessionOpenerPorts {
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
export interface SessionOpener {
  create(command: CommandOf<'create-session'>, settle: Settle): void;
  load(command: CommandOf<'load-session'>, settle: Settle): void;
}

/** `then`: what is told of it when the client has heard its answer. */
export type Settle = (outcome: Outcome, then?: () => void) => void;

/** An id may be part of a path, a URL or a line of a log (docs/threats.md T9); longer than those of the REST routes, for clients mint them. */
const sessionId = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,255}$/u;

/** What an agent answers that was asked to go to another conversation, and that has not gone there. */
const Stopped = z.looseObject({ cancelled: z.boolean() });

/** How long an agent may take to start and to tell how it is. */
const describeMs = 30_000;

/** Of one client. */
export function createSessionOpener(ports: SessionOpenerPorts): SessionOpener {
  const { sessions, isOurs } = ports;

  function create(command: CommandOf<'create-session'>, settle: Settle): void {
    const { describe = false, past, ...wish } = command;
    if (past !== undefined) return again(past, wish, settle);
    const { entry, endOf } = open({ agent: ports.agent, ...wish, isQuiet: describe });
    if (describe) return describeOpened(entry, settle, endOf);
    settle({ ok: true, data: opened(entry) });
  }

  /** Its agent is told what was said, or reads its own file of that. */
  function again(
    { session, before }: NonNullable<CommandOf<'create-session'>['past']>,
    wish: SessionRequest,
    settle: Settle,
  ): void {
    const source = sessions.find(session);
    const { agent } = source;
    const { state, transcript } = source.session;
    if (state === 'running') return settle(refused('busy', 'the agent is at work'));
    if (sessions.isForgetful(agent)) {
      const history = messagesBefore(source.session, before);
      if (history === null) return settle(refused('not-found', `there is no message ${before}`));
      const { entry } = open({ ...wish, agent, history });
      return settle({ ok: true, data: opened(entry) });
    }
    const { file } = transcript.info;
    if (file === undefined) return settle(refused('unsupported', 'its agent has no file of it'));
    // Two agents must not write into one file; who cuts the conversation writes into another one.
    const path = before === undefined ? sessions.copyStored(file, agent) : file;
    if (path === null) return settle(refused('unsupported', 'its agent cannot go on with it twice'));
    const { entry } = open({ ...wish, agent, isQuiet: true });
    const steps: Command[] = [{ type: 'switch-session', path }];
    if (before !== undefined) steps.push({ type: 'fork', entry: before });
    walk(entry, steps, settle, () => settled(entry, settle));
  }

  /** One step after the other. What is refused, or what the agent does not do, leaves no session behind. */
  function walk(entry: HubEntry, steps: readonly Command[], settle: Settle, then: () => void): void {
    const [step, ...rest] = steps;
    if (step === undefined) return then();
    entry.session.submit(step, (outcome) => {
      const isStopped = outcome.ok && Stopped.safeParse(outcome.data).data?.cancelled === true;
      if (outcome.ok && !isStopped) return walk(entry, rest, settle, then);
      sessions.hub.remove(entry.session.id, 'it could not be loaded');
      settle(isStopped ? refused('agent-refused', 'the agent did not open the session') : outcome);
    });
  }

  /** An agent may ask for what was said only now, behind our question; the next question comes behind that. */
  function settled(entry: HubEntry, settle: Settle): void {
    const asking = { type: 'query', subject: 'state' } as const;
    entry.session.submit(asking, () => entry.session.submit(asking, () => announced(entry, settle)));
  }

  function announced(entry: HubEntry, settle: Settle): void {
    settle({ ok: true, data: opened(entry) }, () => sessions.announce(entry));
  }

  /** A session that could not be loaded leaves nothing behind. */
  function load({ path, id, keep, describe = false }: CommandOf<'load-session'>, settle: Settle): void {
    const found = sessions.findStored(path, ports.agent);
    const { agent, cwd, file } = found;
    const folders = cwd === undefined ? [] : [cwd];
    const { entry, endOf } = open({ agent, id, folders, keep, found, isQuiet: true });
    if (found.stored !== null) return describe ? describeOpened(entry, settle, endOf) : announced(entry, settle);
    walk(entry, [{ type: 'switch-session', path: file }], settle, () => {
      if (!describe) return settled(entry, settle);
      entry.session.submit({ type: 'query', subject: 'state' }, () => describeOpened(entry, settle, endOf));
    });
  }

  function opened(entry: HubEntry) {
    const { session, problems } = entry;
    const can = session.agent === undefined ? {} : { can: [...session.agent.commands] };
    return { session: sessions.summary(entry), problems, ...can };
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
    const { session } = entry;
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
      end({ ok: true, data: { ...opened(entry), state } }, () => sessions.announce(entry, state));
    }
    try {
      session.start();
    } catch (thrown) {
      return end(refused('agent-down', messageOf(thrown)));
    }
    // Of an agent that dies its questions hear before the session does.
    session.submit({ type: 'query', subject: 'state' }, (answer) => queueMicrotask(() => described(answer)));
  }

  return { create, load };
}
