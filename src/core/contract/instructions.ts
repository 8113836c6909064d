// What the model is told before the conversation begins.

/** Plain text for the model; at least one of both. */
export interface Instructions {
  /** In place of the agent's own instructions. */
  readonly text?: string | undefined;
  /** Behind the agent's own instructions, or behind `text`. */
  readonly addition?: string | undefined;
}
