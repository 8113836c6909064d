// Somebody who looks at one session: what its agent sends and gets, and the events that came of it.
import type { Command } from '../model/command.ts';
import type { Logged } from '../model/event.ts';
import type { NoteLevel } from './adapter.ts';
import type { Out } from './channel.ts';

/** All calls come in the order in which things happen. */
export interface Tap {
  /** Whether anybody looks now. While nobody does, nothing below is called, and deltas take the fast path. */
  readonly isOn: boolean;
  /** A frame of the agent begins to be taken. Everything until {@link Tap.taken} is its doing. */
  frame(bytes: Uint8Array): void;
  taken(): void;
  /** A command goes to the agent. Everything until {@link Tap.submitted} is its doing. */
  command(command: Command): void;
  submitted(): void;
  /** A frame for the agent. */
  sent(out: Out): void;
  /** An event was logged. */
  event(logged: Logged): void;
  note(level: NoteLevel, text: string): void;
}
