// Declines approvals and dialogs for clients whose protocol cannot show them. Without an answer, the agent would wait
// until its deadline. The client declines only while its own prompt runs. An answer of another client that can show the
// question still counts.
import type { Action } from '../../contract/adapter/action.ts';
import type { SessionView } from '../../contract/adapter/projection.ts';
import type { Command } from '../../model/command.ts';
import type { EventOf } from '../../model/event.ts';

type Actions = Action<Command>[];
type Question = EventOf<'approval-request' | 'dialog-request'>;

const timer = 'questions';
/** How often the sessions are checked while a prompt of this client runs, ms. */
const paceMs = 250;
const reason = 'the client of this session has no way to ask its user';

/** Declines the questions of one client's sessions. */
export interface AutoDecline {
  /** Adds a session. `name`: the session name for delivered commands, if the connection carries several sessions. */
  watching(session: SessionView, name?: string): void;
  /** Removes a closed session. */
  over(name: string): void;
  /** Must be called when the client has sent a prompt. */
  prompted(): Actions;
  /** Must be called when a prompt was answered: its run has begun, or never will. */
  answered(): void;
  onTimer(timer: string): Actions;
}

/**
 * Creates the auto-decline of one client. `session`: the only session of the connection, or `many` if the client
 * subscribes to sessions; undefined turns auto-decline off. `canAsk`: the questions that this client can show after
 * all.
 */
export function createAutoDecline(
  session: SessionView | 'many' | undefined,
  canAsk: (question: Question) => boolean = () => false,
): AutoDecline {
  /** Compared by identity, because agents reuse ids. */
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
      const declined = [...views].flatMap(([key, view]) => decline(view, key));
      const goesOn = prompts > 0 || [...views.values()].some(({ transcript }) => transcript.run !== null);
      return goesOn ? [...declined, ...watch()] : declined;
    },
  };
}

/** Whether the session itself answers the question, so that no client is asked. */
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
