// The options of an adapter, and the start of an agent.

/** Adapter options from the configuration or a URL's query: strings or JSON values, checked by the adapter. */
export type Options = Readonly<Record<string, unknown>>;

/** How to start an agent: further arguments for its program, and the options of its adapter. */
export interface AgentLaunch {
  readonly argv: readonly string[];
  readonly options: Options;
}
