// A tracer that writes down what it is told, and an outline of the tree.
import type { OpenSpan, SpanFacts, Tracer } from '../../../../src/gateway/tracing/tracer.ts';

/** What became of a span. */
export interface RecordedSpan {
  readonly name: string;
  readonly facts: Record<string, string>;
  readonly children: RecordedSpan[];
  /** Of each end: the error. */
  readonly ends: (string | null)[];
}

/** The traces of one tracer. */
export interface Recording {
  readonly tracer: Tracer;
  readonly traces: readonly RecordedSpan[];
  /** Every span. */
  all(): RecordedSpan[];
}

export function recordSpans(): Recording {
  const traces: RecordedSpan[] = [];
  function record(into: RecordedSpan[], name: string, facts: SpanFacts): OpenSpan {
    const span: RecordedSpan = { name, facts: { ...facts }, children: [], ends: [] };
    into.push(span);
    return {
      child: (childName, childFacts) => record(span.children, childName, childFacts),
      end(lastFacts, error) {
        Object.assign(span.facts, lastFacts);
        span.ends.push(error);
      },
    };
  }
  const below = (spans: readonly RecordedSpan[]): RecordedSpan[] =>
    spans.flatMap((span) => [span, ...below(span.children)]);
  return { tracer: { begin: (name, facts) => record(traces, name, facts) }, traces, all: () => below(traces) };
}

/** One line for each span, indented: the name, and `!error` of its end. */
export function treeOf(spans: readonly RecordedSpan[], indent = ''): string[] {
  return spans.flatMap(({ name, ends, children }) => [
    `${indent}${name}${ends.map((error) => (error === null ? '' : ` !${error}`)).join('')}`,
    ...treeOf(children, `${indent}  `),
  ]);
}
