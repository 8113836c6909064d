// The contract of a rule. A rule only reads messages, so the same rule judges a live peer and a recorded trace.
import { CannotTell, type Description, type Needs, PeerWrong } from './check.ts';
import type { Shape } from './shape.ts';

/** One message of a trace. */
export interface TraceFrame {
  /** Ms since the trace began; 0 where the time is unknown. */
  readonly at: number;
  readonly by: 'agent' | 'client';
  readonly text: string;
  /** Undefined where the text is not JSON. */
  readonly json?: unknown;
  /** The sender sent something that is no frame; `text` holds the reason. */
  readonly isFault?: true;
}

/** The messages of one connection. */
export interface Trace {
  readonly frames: readonly TraceFrame[];
  /** The trace was not cut off, and both sides had time to answer: what is missing at the end will not come. */
  readonly isComplete: boolean;
}

/** A place to which a rule applies. */
export interface Finding {
  /** Index of the message in the trace. */
  readonly frame: number;
  /** The fault at this place; null without a fault. */
  readonly wrong: string | null;
}

/** A value in a message that has a shape. */
export interface Place {
  /** Index of the message in the trace. */
  readonly frame: number;
  readonly value: unknown;
  /** The name of the value in findings. */
  readonly as: string;
}

/** The form of a rule of pure shape. */
export interface Form<View> {
  /** The first and the last version that has these messages, where not all have. */
  readonly since?: string;
  readonly until?: string;
  /** The kinds of places that the rule reads, and the shape of each. */
  readonly parts: readonly { readonly kind: string; readonly shape: Shape; read(view: View): Iterable<Place> }[];
}

/** A check that only reads. `View` is what the check set derives from a trace, once for all its rules. */
export interface Rule<View> extends Description {
  /** The scenarios in which the rule can apply; see {@link Scenario}. */
  readonly scenarios: readonly string[];
  /** The rule compares both sides, so it is skipped for a recording of one side. */
  readonly reads?: 'both';
  /** Only of rules of pure shape. */
  readonly form?: Form<View>;
  /**
   * One finding for each place to which the rule applies. No finding: the trace held nothing to judge. Never throws,
   * whatever the trace holds.
   */
  judge(view: View): Iterable<Finding>;
}

/** A conversation with an agent, held so that rules can read it. */
export interface Scenario<Context> {
  /** Stable name of one or two words. */
  readonly name: string;
  /** What the scenario does, as a sentence. */
  readonly title: string;
  readonly needs?: Needs;
  /** Resolves at the end of the conversation. Rejects like a check; the messages up to that point are still judged. */
  run(context: Context): Promise<void>;
}

/** Runs `work` in the name of a check: when the message that `work` waits for does not come, that check fails. */
export async function requiredBy<Value>(check: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof PeerWrong) throw new PeerWrong(thrown.message, thrown.check ?? check);
    throw thrown;
  }
}

/** Runs preparatory `work`: a failure there makes the check unclear, because another check covers it. */
export async function setup<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof PeerWrong) throw new CannotTell(`could not be prepared: ${thrown.message}`);
    throw thrown;
  }
}

/** One finding for each item, for rules that judge items one by one. */
export function* each<Item extends { readonly frame: number }>(
  items: Iterable<Item>,
  wrongWith: (item: Item) => string | null,
): Generator<Finding> {
  for (const item of items) yield { frame: item.frame, wrong: wrongWith(item) };
}

/** A rule for another kind of view, which holds the rule's own view. `placeOf` says where a frame of the latter stands. */
export function ruleWithin<Inner, Outer>(
  { form, judge, ...rule }: Rule<Inner>,
  viewIn: (outer: Outer) => Inner,
  placeOf: (frame: number, outer: Outer) => number = (frame) => frame,
): Rule<Outer> {
  function* placed<Item extends { readonly frame: number }>(items: Iterable<Item>, outer: Outer): Generator<Item> {
    for (const item of items) yield { ...item, frame: placeOf(item.frame, outer) };
  }
  const parts = form?.parts.map(({ read, ...part }) => ({
    ...part,
    read: (outer: Outer) => placed(read(viewIn(outer)), outer),
  }));
  return {
    ...rule,
    judge: (outer) => placed(judge(viewIn(outer)), outer),
    ...(form === undefined || parts === undefined ? {} : { form: { ...form, parts } }),
  };
}
