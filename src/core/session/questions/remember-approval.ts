// Remembers approvals for the rest of a session, and reports to clients whether an approval was remembered.
import type { Event } from '../../model/event.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { Approval, Keeper } from './answers.ts';
import { mostRemembered, type StandingApprovals } from './standing-approvals.ts';

/** The dependencies of remembering. */
export interface RememberingPorts {
  readonly transcript: Transcript;
  readonly standing: StandingApprovals;
  /** Logs an event through the repair. */
  admit(event: Event): void;
  /** Answers an open question with the standing approval. */
  allow(question: Approval): void;
}

/** Creates the function that remembers an accepted approval. `keeper` null: the approval counts once. */
export function createRemembering({ transcript, standing, admit, allow }: RememberingPorts) {
  function say(level: 'info' | 'warning', text: string): void {
    admit({ type: 'notice', level, source: 'gateway', text });
  }

  function remember(question: Approval, tool: string): void {
    const kept = standing.remember(question);
    if (kept === 'full') {
      say('warning', `The yes to ${tool} counts once: the session keeps it for ${mostRemembered} tools and no more.`);
    }
    if (kept !== 'kept') return;
    say('info', `${tool} is allowed for the rest of this session.`);
    for (const open of [...transcript.approvals.values()]) if (standing.of(open) === 'remembered') allow(open);
  }

  return (question: Approval, keeper: Keeper | null): void => {
    const tool = JSON.stringify(question.name);
    if (keeper === 'nobody') say('warning', `The yes to ${tool} counts once: the agent offers none to keep.`);
    if (keeper === 'session') remember(question, tool);
  };
}
