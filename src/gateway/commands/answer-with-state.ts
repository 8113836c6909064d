// Answers the command that opened a session. The answer needs the state of the agent, so the agent is started first.
import type { Clock } from '../../core/contract/clock.ts';
import { messageOf, type Outcome, refused } from '../../core/model/errors.ts';
import { SessionState } from '../../core/model/outcome-data.ts';
import type { HubEntry } from '../../core/session/hub.ts';
import { openedData } from '../sessions/session-summary.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Settled, SettleWithAfter } from './after-answer.ts';

/** A session that was opened for a client. */
export interface OpenedSession {
  readonly entry: HubEntry;
  /** Why the agent of the session is gone; null while the agent is there. */
  agentEnd(): string | null;
  /** An agent that does not report its state has not opened the session. */
  readonly mustDescribe?: boolean;
}

/** The dependencies of the answer. */
export interface StateAnswerPorts {
  readonly clock: Clock;
  readonly sessions: Pick<Sessions, 'remove'>;
}

/** How long an agent may take to start and to report its state, ms. */
const describeMs = 30_000;

/** Settles the command that opened the session once the session is on disk, so that nobody is told of one that a crash loses. */
export function settleKept({ session }: HubEntry, settled: Settled, settle: SettleWithAfter): void {
  session.whenKept((isThere) =>
    settle(isThere ? settled : { outcome: refused('conflict', 'another gateway has a session with this id') }),
  );
}

/**
 * Starts the session's agent, and settles the command that opened the session with the state that the agent reports.
 * Removes the session if the agent cannot be started or does not report in time.
 */
export function answerWithState(
  { entry, agentEnd, mustDescribe = false }: OpenedSession,
  settle: SettleWithAfter,
  { clock, sessions }: StateAnswerPorts,
): void {
  const { session } = entry;
  let isOver = false;
  const end = (settled: Settled) => {
    if (isOver) return;
    isOver = true;
    cancelDeadline();
    const { outcome } = settled;
    if (outcome.ok) return settleKept(entry, settled, settle);
    sessions.remove(session.id, outcome.error.message);
    settle(settled);
  };
  const fail = (...refusal: Parameters<typeof refused>) => end({ outcome: refused(...refusal) });
  // The commands of all clients wait until this one is answered, so the wait is limited.
  const cancelDeadline = clock.after(describeMs, () =>
    fail('timeout', `the agent did not tell how it is within ${describeMs} ms`),
  );
  function described(answer: Outcome): void {
    const reason = agentEnd();
    if (reason !== null) return fail('agent-down', reason);
    if (session.state === 'closed') return fail('not-found', `session ${session.id} was deleted while it was opened`);
    if (mustDescribe && !answer.ok) return fail(answer.error.code, answer.error.message);
    const state = answer.ok ? SessionState.safeParse(answer.data).data : undefined;
    const outcome: Outcome = { ok: true, data: { ...openedData(entry), state } };
    end({ outcome, after: { do: 'announce', entry, state } });
  }
  try {
    session.start();
  } catch (thrown) {
    return fail('agent-down', messageOf(thrown));
  }
  // When an agent dies, its pending commands are settled before the session learns the reason.
  session.submit({ type: 'query', subject: 'state' }, (answer) => queueMicrotask(() => described(answer)));
}
