// What makes spans. The parts that follow runs know these two interfaces, and no tracing library.

/** Facts about a span. Never the text of a conversation, nor the arguments or results of tools. */
export type SpanFacts = Readonly<Record<string, string>>;

/** A span that has begun. */
export interface OpenSpan {
  /** Begins a span inside this one. */
  child(name: string, facts: SpanFacts): OpenSpan;
  /** Ends the span; called once. `error`: the kind of failure, a word of a small set; null if nothing failed. */
  end(facts: SpanFacts, error: string | null): void;
}

/** Makes traces. */
export interface Tracer {
  /** Begins the outermost span of a new trace. */
  begin(name: string, facts: SpanFacts): OpenSpan;
}
