// The form of a promise of ours. No set of checks can hold one: the bases of a set's rules are others.
import type { Finding, Trace } from '../../../src/conformance/check/rule.ts';

/** A rule that holds for our own output and for nobody else's. */
export interface OwnRule {
  /** `<protocol>/own/<words>`. */
  readonly id: string;
  readonly basis: 'own';
  readonly sentence: string;
  /** One finding for each place to which the rule applies. */
  judge(trace: Trace): Iterable<Finding>;
}

/** Turns a table of sentences and judges, by name, into rules over a view of the trace. */
export function ownRules<View>(
  protocol: string,
  read: (trace: Trace) => View,
  rows: Readonly<Record<string, readonly [sentence: string, judge: (view: View) => Iterable<Finding>]>>,
): readonly OwnRule[] {
  const views = new WeakMap<Trace, View>();
  function viewOf(trace: Trace): View {
    const view = views.get(trace) ?? read(trace);
    views.set(trace, view);
    return view;
  }
  return Object.entries(rows).map(([name, [sentence, judge]]) => ({
    id: `${protocol}/own/${name}`,
    basis: 'own',
    sentence,
    judge: (trace) => judge(viewOf(trace)),
  }));
}
