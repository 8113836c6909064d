// Rules of pure shape as data. A protocol with such rules has two tables, in `<protocol>/shapes/`:
//
//   const places = {                                   // which values of a trace have a shape
//     ...readersOf('content:', ['text', 'url'], (type) => function* ({ contents }: View) {
//       for (const { frame, content } of contents) if (content.type === type) yield { frame, value: content, as: 'content' };
//     }),
//   };
//   export const shapeRulesOfAgents = shapeRules('eca', places, {
//     'content-url': { section: '…', sentence: 'A url has …', scenarios: ['tool'],
//       shapes: { 'content:url': fields({ title: 'string', url: 'string' }) } },
//   });
//
// The value of a place is the very object (or array) of the message and no copy: test/conformance/shape-rows puts wrong values
// into its place, for each field and word of each row, so rows have no broken peers of their own. Its conversations are those of
// the mutation score and those of its talks.ts. docs/conformance/shapes.md shows the rows.
import type { Finding, Place, Rule } from './rule.ts';
import { type RuleRow, rulesIn } from './rule-rows.ts';
import { misfit, type Shape } from './shape.ts';

/** Yields the places of one kind. */
export type Reader<View> = (view: View) => Iterable<Place>;
/** The readers of all kinds of places. */
export type Places<View, Kind extends string> = Readonly<Record<Kind, Reader<View>>>;

/** A rule of pure shape. It covers the kinds of places, unless `covers` says otherwise. */
export interface ShapeRow<Kind extends string> extends Omit<RuleRow<never>, 'judge' | 'form'> {
  /** The first and the last version of the protocol or program that has these messages, where not all have. */
  readonly since?: string;
  readonly until?: string;
  /** The shape of each kind of place that the rule reads. */
  readonly shapes: Readonly<Partial<Record<Kind, Shape>>>;
}

/** Builds the rules. Each id is `prefix`, a slash and the name of the row. */
export function shapeRules<View, Kind extends string>(
  prefix: string,
  places: Places<View, Kind>,
  rows: Readonly<Record<string, ShapeRow<NoInfer<Kind>>>>,
): Rule<View>[] {
  const kinds = Object.entries<Reader<View>>(places);
  const made = Object.entries(rows).map(([name, { shapes, since, until, ...row }]): [string, RuleRow<View>] => {
    const shapeOf = new Map(Object.entries<Shape | undefined>(shapes));
    const parts = kinds.flatMap(([kind, read]) => {
      const shape = shapeOf.get(kind);
      return shape === undefined ? [] : [{ kind, shape, read }];
    });
    const versions = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
    return [
      name,
      {
        covers: [...shapeOf.keys()],
        ...row,
        form: { ...versions, parts },
        *judge(view): Generator<Finding> {
          for (const { shape, read } of parts)
            for (const { frame, value, as } of read(view)) yield { frame, wrong: misfit(value, shape, as) };
        },
      },
    ];
  });
  return rulesIn(prefix, Object.fromEntries(made));
}

/** One reader for each name. The kind of place is `prefix` and the name. */
export function readersOf<View, const Prefix extends string, const Name extends string>(
  prefix: Prefix,
  names: readonly Name[],
  readerOf: (name: Name) => Reader<View>,
): Places<View, `${Prefix}${Name}`> {
  const entries = names.map((name) => [`${prefix}${name}`, readerOf(name)] as const);
  return Object.fromEntries(entries) as Places<View, `${Prefix}${Name}`>;
}
