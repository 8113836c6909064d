// A check set: all checks of one protocol for one side, and how to run them.
import type { Check, Connection, Conversation, Description, Settings, Tools } from './check.ts';
import type { ProgramVersions, SetHistory } from './history.ts';
import { type Rule, ruleWithin, type Scenario, type Trace } from './rule.ts';

interface SetOf {
  /** The id of the adapter. */
  readonly protocol: string;
  /** Incremented with each change of meaning. */
  readonly version: string;
  /** What the versions of the set changed. Absent as long as there is one. */
  readonly history?: SetHistory;
  /** The versions of the judged program that checks describe. Absent where all describe every version. */
  readonly programs?: ProgramVersions;
  /** A guess at the dialect or version of a peer that fails, as a sentence that says what to do; null without one. */
  guess?(conversations: readonly Conversation[]): string | null;
  /** The programs and versions whose behaviour the measured checks describe. Absent where no check is measured. */
  readonly measuredOn?: string;
  /** Each rule accepts any trace of this protocol, whichever side is judged. */
  readonly rules: readonly Rule<Trace>[];
}

/** The checks of an agent. Patchbay plays the client. */
export interface AgentSet extends SetOf {
  readonly side: 'agent';
  readonly checks: readonly Check<Tools>[];
  /** Conversations that the rules read. */
  readonly scenarios: readonly Scenario<Tools>[];
  /** Limits for the peer that all other checks share, high enough that the checks do not hinder each other. */
  readonly usual: Settings;
  /**
   * Matches the error of a peer that has reached a limit. Where we cannot set the limits, a check that needs no limits
   * of its own and fails with this error is unclear.
   */
  readonly excuse?: RegExp;
}

/** The reaction of our agent to one prompt of the client under test. */
export interface Behaviour {
  /**
   * Stable name of one or two words; rules list it in `scenarios`. A prompt that contains `[[name]]` requests this
   * behaviour.
   */
  readonly name: string;
  /** What the agent does, as a sentence. */
  readonly title: string;
}

/** The checks of a client. Patchbay plays the agent. */
export interface ClientSet extends SetOf {
  readonly side: 'client';
  /** A prompt that requests no behaviour gets the next of these in turn. */
  readonly behaviours: readonly Behaviour[];
  /**
   * Plays the agent on a client's connection and resolves when the connection is over. `isComplete`: our agent had
   * nothing in progress at the end, so a message that has not come will not come. Never rejects for what a client does.
   */
  serve(connection: Connection, tools: ServeTools): Promise<{ readonly isComplete: boolean }>;
}

/** The tools that the runner gives to the fake agent of a client set. */
export interface ServeTools {
  /** The behaviour for the next prompt: the one that the prompt requests, else the next in turn. */
  behaviourFor(prompt: string): string;
  /** A unique id that begins with `word`. */
  mint(word: string): string;
  /** Waits this long. Only for what nothing but time can show. */
  pause(ms: number): Promise<void>;
  readonly patienceMs: number;
}

/** All checks of one protocol for one side. */
export type CheckSet = AgentSet | ClientSet;

/** Every check of a set, in the order of the set. */
export function descriptionsOf(set: CheckSet): readonly Description[] {
  return set.side === 'agent' ? [...set.checks, ...set.rules] : set.rules;
}

/** Adapts checks and scenarios that need a context to the runner: each run gets a new context. */
export function withContext<Context>(
  createContext: (tools: Tools) => Context,
  { checks = [], scenarios = [] }: { checks?: readonly Check<Context>[]; scenarios?: readonly Scenario<Context>[] },
): Pick<AgentSet, 'checks' | 'scenarios'> {
  return {
    checks: checks.map((check) => ({ ...check, run: (tools) => check.run(createContext(tools)) })),
    scenarios: scenarios.map((scenario) => ({ ...scenario, run: (tools) => scenario.run(createContext(tools)) })),
  };
}

/** Adapts rules that need a view to traces. `read` runs once for each trace. */
export function rulesOver<View>(read: (trace: Trace) => View, rules: readonly Rule<View>[]): readonly Rule<Trace>[] {
  const views = new WeakMap<Trace, { readonly view: View }>();
  function viewOf(trace: Trace): View {
    const known = views.get(trace) ?? { view: read(trace) };
    views.set(trace, known);
    return known.view;
  }
  return rules.map((rule) => ruleWithin(rule, viewOf));
}
