// The prompts that clients have given and that the conversation does not show yet. A client that was told that its prompt is
// taken must find it again, also if the gateway was killed before the run of the prompt was on disk.
import { textIn } from '../../log/messages.ts';
import type { OpenPrompt } from '../../log/stored-records.ts';
import type { Event, EventOf } from '../../model/event.ts';

/** A class: each session that is kept and gets a prompt has one. Follows the same records live and when they are read again. */
export class OpenPrompts {
  #open: OpenPrompt[];
  #isRunning: boolean;

  /** `isRunning`: a run is open. */
  constructor(open: readonly OpenPrompt[], isRunning: boolean) {
    this.#open = [...open];
    this.#isRunning = isRunning;
  }

  taken(prompt: number, content: OpenPrompt['content']): void {
    this.#open.push({ prompt, content, isBegun: false });
  }

  /** `isOver`: nothing of the prompt is to come any more. */
  answered(prompt: number, isOver: boolean): void {
    if (isOver) this.#open = this.#open.filter((open) => open.prompt !== prompt);
    else this.#open = this.#open.map((open) => (open.prompt === prompt ? { ...open, isBegun: true } : open));
  }

  /** Takes each event of the log in order. */
  event(event: Event): void {
    if (event.type === 'run-start') this.#isRunning = true;
    if (event.type === 'message-added' && event.role === 'user' && event.parent === undefined) this.#shown(event);
    if (event.type !== 'run-end') return;
    this.#isRunning = false;
    // Not every agent repeats the prompts of its runs.
    this.#open = this.#open.filter(({ isBegun }) => !isBegun);
  }

  /** Oldest first. */
  all(): readonly OpenPrompt[] {
    return this.#open;
  }

  /** An agent may add to the text of a prompt: then it is the oldest one. */
  #shown({ content }: EventOf<'message-added'>): void {
    // Outside of a run an agent tells history.
    if (!this.#isRunning || this.#open.length === 0) return;
    const text = textIn(content);
    const same = this.#open.findIndex((open) => textIn(open.content) === text);
    this.#open.splice(Math.max(0, same), 1);
  }
}
