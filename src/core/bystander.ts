// Stands in for a user who cannot be asked: some protocols have no words for approvals and dialogs, and an agent that waits
// for an answer would stand still until its deadline. Says so for the client while its prompt runs; where another client
// can answer, that one's answer counts. Knows no line of the wire.
import type { Action, SessionView } from './adapter.ts';
import type { Command } from './command.ts';

type Actions = Action<Command>[];

const timer = 'questions';
/** How often the session is looked at while a prompt of this client is at work, ms. */
const paceMs = 250;
const reason = 'the client of this session has no way to ask its user';

/** Watches one session for one client. */
export interface Bystander {
  /** The client has sent a prompt. */
  prompted(): Actions;
  /** A prompt was answered: its run has begun, or will not. */
  answered(): void;
  wake(timer: string): Actions;
}

/** Watches nothing without a session. */
export function createBystander(session: SessionView | undefined): Bystander {
  /** By identity: agents use ids again. */
  const seen = new WeakSet<object>();
  let prompts = 0;
  let isWatching = false;

  function watch(): Actions {
    isWatching = true;
    return [{ do: 'timer', id: timer, ms: paceMs }];
  }

  function decline(): Command[] {
    if (session === undefined) return [];
    const { approvals, dialogs } = session.transcript;
    const fresh = [...approvals.values(), ...dialogs.values()].filter((question) => !seen.has(question));
    return fresh.map((question) => {
      seen.add(question);
      const { id } = question;
      if (question.type === 'dialog-request') {
        return { type: 'answer-dialog', id, answer: { kind: 'cancelled' }, unable: true };
      }
      return { type: 'answer-approval', id, decision: 'deny', reason, unable: true };
    });
  }

  return {
    prompted() {
      prompts += 1;
      return session === undefined || isWatching ? [] : watch();
    },
    answered() {
      prompts = Math.max(0, prompts - 1);
    },
    wake(name) {
      if (name !== timer || session === undefined) return [];
      isWatching = false;
      const told = decline().map((message): Action<Command> => ({ do: 'deliver', message }));
      const goesOn = prompts > 0 || session.transcript.run !== null;
      return goesOn ? [...told, ...watch()] : told;
    },
  };
}
