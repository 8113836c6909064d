// What belongs together: all checks of one protocol for one side, and how they are played. Knows no protocol.
import type { Check, Connection, Description, Settings, Tools } from './check.ts';
import type { Finding, Rule, Scenario, Trace } from './rule.ts';

interface SetOf {
  /** The id of its adapter. */
  readonly protocol: string;
  /** Counted up with each change of meaning. */
  readonly version: string;
  /** Each takes any trace of this protocol, whoever is judged. */
  readonly rules: readonly Rule<Trace>[];
}

/** The checks of an agent: we are its client. */
export interface AgentSet extends SetOf {
  readonly side: 'agent';
  readonly checks: readonly Check<Tools>[];
  /** What is played for the rules. */
  readonly scenarios: readonly Scenario<Tools>[];
  /** Bounds for the peer that all other checks share, so that they do not stand in each other's way. */
  readonly usual: Settings;
  /**
   * Words of a peer that has had enough, where its bounds are not ours to set: a check without bounds of its own that fails
   * with them could not tell.
   */
  readonly excuse?: RegExp;
}

/** What an agent of ours does with one prompt of the client that is judged. */
export interface Behaviour {
  /** Stable, one word or two; what rules name as their scenario. A prompt that holds `[[name]]` asks for it. */
  readonly name: string;
  /** What is done, as a sentence. */
  readonly title: string;
}

/** The checks of a client: we are its agent. */
export interface ClientSet extends SetOf {
  readonly side: 'client';
  /** Prompts that do not ask for one are answered by these in turn. */
  readonly behaviours: readonly Behaviour[];
  /**
   * Plays an agent on a connection that a client has made; resolves when it is over. `isWhole`: nothing of ours was going on
   * then, so what has not come will not come. Never rejects for what a client does.
   */
  serve(connection: Connection, tools: ServeTools): Promise<{ readonly isComplete: boolean }>;
}

/** What the runner gives to an agent of ours. */
export interface ServeTools {
  /** The act for the next prompt: the one that its words ask for, else the next in turn. */
  behaviourFor(prompt: string): string;
  /** A word that nobody else uses. */
  mint(word: string): string;
  /** Waits. For what only time can bring. */
  pause(ms: number): Promise<void>;
  readonly patienceMs: number;
}

/** All checks of one protocol, for one side. */
export type CheckSet = AgentSet | ClientSet;

/** Every check of a set, in its order. */
export function descriptionsOf(set: CheckSet): readonly Description[] {
  return set.side === 'agent' ? [...set.checks, ...set.rules] : set.rules;
}

/** Checks and scenarios that work in a context, as they are run: each in a context of its own. */
export function withContext<Context>(
  createContext: (tools: Tools) => Context,
  { checks = [], scenarios = [] }: { checks?: readonly Check<Context>[]; scenarios?: readonly Scenario<Context>[] },
): Pick<AgentSet, 'checks' | 'scenarios'> {
  return {
    checks: checks.map((check) => ({ ...check, run: (tools) => check.run(createContext(tools)) })),
    scenarios: scenarios.map((scenario) => ({ ...scenario, run: (tools) => scenario.run(createContext(tools)) })),
  };
}

/** Rules over what `read` makes of a trace. It is made once for each trace. */
export function rulesOver<View>(read: (trace: Trace) => View, rules: readonly Rule<View>[]): readonly Rule<Trace>[] {
  const views = new WeakMap<Trace, { readonly view: View }>();
  function viewOf(trace: Trace): View {
    const known = views.get(trace) ?? { view: read(trace) };
    views.set(trace, known);
    return known.view;
  }
  return rules.map((rule) => ({ ...rule, judge: (trace): Iterable<Finding> => rule.judge(viewOf(trace)) }));
}
