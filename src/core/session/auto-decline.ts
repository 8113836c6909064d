// Stands in for a user who cannot be asked: some protocols have no words for approvals and dialogs, or not for all of them,
// and an agent that waits for an answer would stand still until its deadline. Says so for the client while its prompt runs;
// where another client can answer, that one's answer counts. Knows no line of the wire.
import type { Action, SessionView } from '../contract/adapter.ts';
import type { Command } from '../model/command.ts';
import type { EventOf } from '../model/event.ts';

type Actions = Action<Command>[];
type Question = EventOf<'approval-request' | 'dialog-request'>;

const timer = 'questions';
/** How often the sessions are looked at while a prompt of this client is at work, ms. */
const paceMs = 250;
const reason = 'the client of this session has no way to ask its user';

/** Watches the sessions of one client. */
export interface AutoDecline {
  /** One more session; `name`: what its commands are delivered to, where the connection carries several. */
  watching(session: SessionView, name?: string): void;
  /** The session of that name is over. */
  over(name: string): void;
  /** The client has sent a prompt. */
  prompted(): Actions;
  /** A prompt was answered: its run has begun, or will not. */
  answered(): void;
  onTimer(timer: string): Actions;
}

/**
 * `session`: the one that the connection belongs to, `many` where it watches sessions of its own; without any it does
 * nothing. `canAsk`: which questions this client can be asked after all.
 */
export function createAutoDecline(
  session: SessionView | 'many' | undefined,
  canAsk: (question: Question) => boolean = () => false,
): AutoDecline {
  /** By identity: agents use ids again. */
  const seen = new WeakSet<object>();
  const views = new Map<string | undefined, SessionView>();
  if (session !== undefined && session !== 'many') views.set(undefined, session);
  let prompts = 0;
  let isWatching = false;

  function watch(): Actions {
    isWatching = true;
    return [{ do: 'timer', id: timer, ms: paceMs }];
  }

  function decline({ transcript }: SessionView, name: string | undefined): Actions {
    const { approvals, dialogs } = transcript;
    const fresh = [...approvals.values(), ...dialogs.values()].filter((question) => !seen.has(question));
    return fresh.flatMap((question): Actions => {
      seen.add(question);
      if (isAnswered(question) || canAsk(question)) return [];
      const message = refusalOf(question);
      return [name === undefined ? { do: 'deliver', message } : { do: 'deliver', message, session: name }];
    });
  }

  return {
    watching(view, name) {
      views.set(name, view);
    },
    over(name) {
      views.delete(name);
    },
    prompted() {
      prompts += 1;
      return session === undefined || isWatching ? [] : watch();
    },
    answered() {
      prompts = Math.max(0, prompts - 1);
    },
    onTimer(name) {
      if (name !== timer || session === undefined) return [];
      isWatching = false;
      const told = [...views].flatMap(([key, view]) => decline(view, key));
      const goesOn = prompts > 0 || [...views.values()].some(({ transcript }) => transcript.run !== null);
      return goesOn ? [...told, ...watch()] : told;
    },
  };
}

/** By the session itself: nobody is asked. */
function isAnswered(question: Question): boolean {
  return question.type === 'approval-request' && question.standing !== undefined;
}

function refusalOf(question: Question): Command {
  const { id } = question;
  if (question.type === 'dialog-request') {
    return { type: 'answer-dialog', id, answer: { kind: 'cancelled' }, unable: true };
  }
  return { type: 'answer-approval', id, decision: 'deny', reason, unable: true };
}
