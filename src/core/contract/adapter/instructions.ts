// Instructions for the model, given before the conversation begins.

/** Plain text for the model; at least one of the fields is set. */
export interface Instructions {
  /** Replaces the agent's own instructions. */
  readonly text?: string | undefined;
  /** Appended to the agent's own instructions, or to `text`. */
  readonly addition?: string | undefined;
}
