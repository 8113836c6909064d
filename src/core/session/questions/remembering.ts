// Keeps approvals for the rest of a session, and tells everybody what became of such a wish.
import type { Event } from '../../model/event.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { Approval, Keeper } from './answers.ts';
import { mostRemembered, type StandingApprovals } from './standing-approvals.ts';

/** What it takes to remember an approval. */
export interface RememberingPorts {
  readonly transcript: Transcript;
  readonly standing: StandingApprovals;
  /** Logs an event through the repair. */
  admit(event: Event): void;
  /** Answers an open question by what is remembered. */
  allow(question: Approval): void;
}

/** Returns what keeps an approval that the agent has taken, as its keeper says; null: the approval counts once. */
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
