// The facts that a client declares about a command besides the command itself: its identity, its dependencies, its
// effect.
import type { Command } from '../model/command.ts';

/** The identity and place of a command. Names are the client's own words. */
export interface Ticket {
  /** The client's name for this kind of command. */
  readonly type: string;
  /** Commands with the same id are the same command. Absent: the command is never recognised again by an id. */
  readonly id?: string | undefined;
  /** A second identity, valid within the lane and for a limited time. */
  readonly key?: string | undefined;
  /**
   * The payload of the command, without id and key. A repetition must have an equal payload; the order of object keys
   * does not count.
   */
  readonly payload: unknown;
  /** Ids of commands that must have succeeded first. */
  readonly dependsOn: readonly string[];
  /** The command fails unless its session has this version. */
  readonly ifVersion?: number | undefined;
  /** The client's name for the session of the command. Absent: no session, or a session that does not exist yet. */
  readonly session?: string | undefined;
  /** Commands of one lane run one after the other: the lane of the session, or the lane of the server. */
  readonly lane: 'session' | 'server';
  /**
   * `in-turn`: behind all earlier commands of the lane. `beside`: at once, because the command is about the one in
   * progress. `joins`: beside a command that `runs`, if one is in progress in the lane; else in turn.
   */
  readonly place: 'in-turn' | 'beside' | 'joins';
  /** The command lasts as long as the agent works. */
  readonly runs?: boolean;
  /** Effect of success on the version of the session: unchanged, one more, set to 0, removed. */
  readonly effect: 'none' | 'changes' | 'opens' | 'closes';
  /** A further rate limit, besides those of the lane and of all commands. */
  readonly allowance?: 'answers';
  /** Time limit from the start of the command, ms; null: no limit. */
  readonly timeoutMs: number | null;
  /** Sent to the session after a timeout, so that the work does not go on unnoticed. */
  readonly undo?: Command;
}

/** The ledger's addition to an outcome. */
export interface Receipt {
  /** The command was carried out before; this is the outcome of that time. */
  readonly replayed: boolean;
  /** The version of the session after the command; absent for failures and without a version. */
  readonly version?: number;
  /** The command timed out; the outcome is a refusal with the code `timeout`. */
  readonly timedOut: boolean;
}
