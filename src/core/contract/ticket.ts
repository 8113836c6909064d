// What a client says of a command beside what it asks: how it is known again, what it waits for, what it changes. Knows no
// protocol.
import type { Command } from '../model/command.ts';

/** A command's place in the order of things; the client's own words where a field is a name. */
export interface Ticket {
  /** What the client calls this kind of command. */
  readonly type: string;
  /** The same id again is the same command; absent: it has none, and is never known again. */
  readonly id?: string | undefined;
  /** Another way to know it again, within its lane and for a while only. */
  readonly key?: string | undefined;
  /** All that a repetition must equal, as JSON; the order of keys does not count. Without id and key. */
  readonly payload: unknown;
  /** Ids of commands that must have succeeded before. */
  readonly dependsOn: readonly string[];
  /** It fails unless its session has this version. */
  readonly ifVersion?: number | undefined;
  /** The session that it is about, as the client calls it; absent: none, or one that is still to be. */
  readonly session?: string | undefined;
  /** Commands of one lane are carried out one after the other: that of the session, or that of the server. */
  readonly lane: 'session' | 'server';
  /**
   * `in-turn`: behind all that came before it in its lane. `beside`: at once, for it is about what is going on there.
   * `joins`: beside a command that `runs`, if one is going on in its lane; else in its turn.
   */
  readonly place: 'in-turn' | 'beside' | 'joins';
  /** It goes on for as long as the agent works. */
  readonly runs?: boolean;
  /** What its success does to the version of its session: nothing, one more, 0, no version any more. */
  readonly effect: 'none' | 'changes' | 'opens' | 'closes';
  /** An allowance that it draws on beside that of its lane and that of all. */
  readonly allowance?: 'answers';
  /** From its start; null: as long as it takes. */
  readonly timeoutMs: number | null;
  /** What is asked of the session when its time is over, so that it does not go on unheard. */
  readonly undo?: Command;
}

/** What the ledger adds to an outcome. */
export interface Receipt {
  /** It was carried out before, and this is what came of it then. */
  readonly replayed: boolean;
  /** The version of the session behind it; absent for failures and where there is none. */
  readonly version?: number;
  /** Its time was over; the outcome is a refusal with the code `timeout`. */
  readonly timedOut: boolean;
}
