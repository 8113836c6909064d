// Inventory of a specification as data: headings, message kinds and requirements, each with its checks or the reason
// for having none. coverage.test compares the inventory with the document.

/** A heading, a kind of message or a sentence of a specification. */
export interface CoverageItem {
  /** The number of the item, or its words where the document has no numbers. */
  readonly name: string;
  /** Why no check covers the item. */
  readonly reason?: string;
}

/** A sentence of a specification that states a requirement. */
export interface Requirement {
  /** A few words that occur in this sentence and in no other. */
  readonly words: string;
  /** Ids of the checks that cover the sentence. */
  readonly checks?: readonly string[];
  /** Why no check covers the sentence. */
  readonly reason?: string;
}

/** One specification. */
export interface Coverage {
  /** File name of the document. */
  readonly document: string;
  /** The check sets of these protocols share the inventory. */
  readonly protocols: readonly string[];
  /** Every heading. A check names one heading as its `section`. */
  readonly sections: readonly CoverageItem[];
  /** Every kind of message, e.g. `command:prompt`, `event:agent_start`. Checks list them in `covers`. */
  readonly kinds: readonly CoverageItem[];
  /** Every sentence with MUST, SHOULD, MAY, must, should, never, always or required in it. */
  readonly sentences: readonly Requirement[];
}
