// What a rule is: a check that does nothing and reads what was said, so that it judges a live peer and a recorded trace alike.
// Knows no protocol and runs nothing.
import { CannotTell, type Description, type Needs, PeerWrong } from './check.ts';

/** One message of a trace. */
export interface TraceFrame {
  /** Ms since the trace began; 0 where nobody knows. */
  readonly at: number;
  readonly by: 'agent' | 'client';
  readonly text: string;
  /** Undefined where the text is not JSON. */
  readonly json?: unknown;
  /** What came was no frame: `text` says why. */
  readonly isFault?: true;
}

/** What was said on one connection. */
export interface Trace {
  readonly frames: readonly TraceFrame[];
  /** What is missing at the end will not come: nothing was cut off, and everybody had their time. */
  readonly isComplete: boolean;
}

/** A place where a rule had something to say. */
export interface Finding {
  /** Index of the message in the trace. */
  readonly frame: number;
  /** What is wrong there; null when all is well. */
  readonly wrong: string | null;
}

/** A check by reading. `View` is what the set of checks makes of a trace, once for all its rules. */
export interface Rule<View> extends Description {
  /** The scenarios in which it has something to say; see {@link Scenario}. */
  readonly scenarios: readonly string[];
  /** It sets what one side says against what the other said: a recording that has one side alone tells it nothing. */
  readonly reads?: 'both';
  /** Every place that it applies to. None: there was nothing to judge. Never throws, whatever the trace holds. */
  judge(view: View): Iterable<Finding>;
}

/** A conversation with an agent that rules then read. */
export interface Scenario<Context> {
  /** Stable, one word or two. */
  readonly name: string;
  /** What is done, as a sentence. */
  readonly title: string;
  readonly needs?: Needs;
  /** Ends when everything was said. Rejects as a check does; what was said until then is judged all the same. */
  run(context: Context): Promise<void>;
}

/** What `work` waits for is what that check asks for: when it does not come, it is that check which fails. */
export async function requiredBy<Value>(check: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof PeerWrong) throw new PeerWrong(thrown.message, thrown.check ?? check);
    throw thrown;
  }
}

/** Work that only prepares a check: another is about what does not come there. */
export async function setup<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof PeerWrong) throw new CannotTell(`could not be prepared: ${thrown.message}`);
    throw thrown;
  }
}

/** A finding at each of those, for rules that look at messages one by one. */
export function* each<Item extends { readonly frame: number }>(
  items: Iterable<Item>,
  wrongWith: (item: Item) => string | null,
): Generator<Finding> {
  for (const item of items) yield { frame: item.frame, wrong: wrongWith(item) };
}
