// The verbs of the demo agent, as data. The script's parser, `help`, the slash commands and the README use this table.
// The plays of the verbs are in steps/.

/** A number that may follow a verb. Values outside the bounds are moved to the nearest bound. */
export interface Amount {
  /** The unit of the number, for users. */
  readonly name: string;
  readonly fallback: number;
  readonly least: number;
  readonly most: number;
}

interface Verb {
  readonly name: string;
  readonly help: string;
  readonly amount?: Amount;
}

/** Every verb, in the order of `help`. */
export const verbs = [
  { name: 'think', help: 'a thinking block with a signature, before the text' },
  { name: 'tool', help: 'one tool call, then a turn that closes with text' },
  {
    name: 'tools',
    help: 'several parallel tool calls, answered last first',
    amount: { name: 'calls', fallback: 3, least: 1, most: 20 },
  },
  { name: 'toolfail', help: 'a tool call that ends in an error' },
  { name: 'edit', help: 'a tool call that changes a file, and shows how' },
  { name: 'ask', help: 'a tool call that waits for approval' },
  { name: 'select', help: 'a dialog: choose one of three' },
  { name: 'confirm', help: 'a dialog: yes or no' },
  { name: 'input', help: 'a dialog: one line of text' },
  { name: 'editor', help: 'a dialog: several lines of text' },
  { name: 'fail', help: 'the model call fails in the middle of a message, and the run with it' },
  {
    name: 'retry',
    help: 'the model is overloaded that many times, then answers',
    amount: { name: 'rounds', fallback: 2, least: 1, most: 10 },
  },
  { name: 'compact', help: 'the conversation is compacted between two messages' },
  {
    name: 'slow',
    help: 'from here on one delta each so many ms',
    amount: { name: 'ms', fallback: 100, least: 1, most: 60_000 },
  },
  { name: 'hang', help: 'starts a message and is silent for ever' },
  { name: 'die', help: 'the agent dies in the middle of a message' },
  {
    name: 'long',
    help: 'a text in that many deltas',
    amount: { name: 'deltas', fallback: 1_000, least: 1, most: 200_000 },
  },
  {
    name: 'text',
    help: 'a text of that many characters',
    amount: { name: 'characters', fallback: 1_000, least: 1, most: 1_000_000 },
  },
  { name: 'unicode', help: 'line separators, combining marks, an emoji cut in two' },
  { name: 'image', help: 'tells which images the prompt carried' },
  { name: 'contexts', help: 'tells which contexts the prompt carried' },
  { name: 'notice', help: 'an information, a warning and an error to the user' },
  { name: 'status', help: 'status line, widget, title and activity' },
  { name: 'queue', help: 'shows two queued messages and takes them back' },
  { name: 'usage', help: 'tells the figures of the session so far' },
  { name: 'subagent', help: 'a tool call in which a sub-agent speaks and uses a tool' },
  { name: 'unknown', help: 'an event that no other protocol knows' },
  { name: 'badorder', help: 'events in a wrong order, on purpose' },
  { name: 'help', help: 'this list' },
] as const satisfies readonly Verb[];

/** The name of a verb. */
export type VerbName = (typeof verbs)[number]['name'];

/** The verbs by name. A Map, because prompts supply the names that are looked up. */
export const verbByName: ReadonlyMap<string, Verb & { readonly name: VerbName }> = new Map(
  verbs.map((verb) => [verb.name, verb]),
);

/** The usage of a verb: `tools [calls]`. */
export function usageOf({ name, amount }: Verb): string {
  return amount === undefined ? name : `${name} [${amount.name}]`;
}
