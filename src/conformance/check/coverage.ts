// What a specification holds that is to be checked, as data: coverage.test reads it. Knows no protocol.

/** A heading, a kind of message or a sentence of a specification. */
export interface CoverageItem {
  /** Its number where it has one, else its words. */
  readonly name: string;
  /** Why no check is about it. */
  readonly reason?: string;
}

/** A sentence of a specification that asks for something. */
export interface Requirement {
  /** A few words that occur in it and in no other. */
  readonly words: string;
  /** Ids of the checks that are about it. */
  readonly checks?: readonly string[];
  /** Why none is. */
  readonly reason?: string;
}

/** One specification. */
export interface Coverage {
  /** The file of the document. */
  readonly document: string;
  /** The sets of these protocols share it. */
  readonly protocols: readonly string[];
  /** Every heading; a check names one as its `section`. */
  readonly sections: readonly CoverageItem[];
  /** Every kind of message, e.g. `command:prompt`, `event:agent_start`; checks name them as `covers`. */
  readonly kinds: readonly CoverageItem[];
  /** Every sentence with MUST, SHOULD, MAY, must, should, never, always or required in it. */
  readonly sentences: readonly Requirement[];
}
