// The answers of the fake model as data. `[[name]]` in a prompt selects one of them.

/** One content block, with the exact pieces in which it streams. */
export type Block =
  | { readonly type: 'text'; readonly deltas: readonly string[] }
  | { readonly type: 'thinking'; readonly deltas: readonly string[]; readonly signature: string }
  | { readonly type: 'tool_use'; readonly name: string; readonly deltas: readonly string[] }
  /** A block of any other kind: sent complete in its start event, without deltas. */
  | { readonly type: 'whole'; readonly block: { readonly type: string }; readonly deltas: readonly [] };

/**
 * An attempt that fails before the step itself succeeds: an HTTP status, an `error` event in the middle of the stream,
 * or a stream that stops early, with a broken connection (`cut`) or a normal end (`end`).
 */
export type Fault =
  | { readonly status: number; readonly error: string }
  | { readonly after: readonly Block[]; readonly error: string }
  | { readonly after: readonly Block[]; readonly stops: 'cut' | 'end' };

/** One answer of the model. */
export interface Step {
  readonly blocks: readonly Block[];
  /** Default: `tool_use` when the last block is a tool call, else `end_turn`. */
  readonly stop?: string;
  /** Default 100 tokens. */
  readonly inputTokens?: number;
  /** The last block stays open, and its last delta repeats until the client disconnects. */
  readonly endless?: boolean;
  /** How often the last delta of the last block repeats, slowly. */
  readonly lingers?: number;
  /** Failing attempts, one for each request, before this step is sent. */
  readonly faults?: readonly Fault[];
}

/** What the fake model sees of the prompt. */
export interface Prompt {
  readonly text: string;
  /** Media types of the images in the prompt. */
  readonly images: readonly string[];
}

/** The answers to one prompt, in order: the first at once, each later one after a round of tool results. */
export type Scenario = (prompt: Prompt) => readonly Step[];

/** Cuts a text into pieces of `size` UTF-16 units. Surrogate pairs may fall apart, as they do on the wire. */
export function cut(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

/** 50 kB of prose in which every piece differs, so that a lost, doubled or swapped delta shows. */
export const longText = Array.from({ length: 2_000 }, (_, at) => `Sentence number ${at}. `)
  .join('')
  .slice(0, 50_000);

/** Line separators that some readers take for line ends, a surrogate pair, and characters that JSON must escape. */
export const unicodeText = 'a\u2028b\u2029c\u0085d \u{1F600}\u{1F468}\u200D\u{1F469} "quoted" \\ \t \u0000 ü 中文 end';

const text = (...deltas: string[]): Block => ({ type: 'text', deltas });
const thinking = (...deltas: string[]): Block => ({ type: 'thinking', deltas, signature: 'c2lnbmVkIQ==' });
const call = (name: string, input: object): Block => ({
  type: 'tool_use',
  name,
  deltas: cut(JSON.stringify(input), 7),
});
const overloaded = 'overloaded_error';

/** Prints for about 30 s at most, so that a tool whose agent was killed does not outlive the test for long. */
const tickingCommand = 'for i in $(seq 1 300); do echo tick $i; sleep 0.1; done';

const answers: Record<string, Scenario> = {
  text: () => [{ blocks: [text('Hello, ', 'world. ', 'This is ', 'plain text.')] }],
  think: () => [{ blocks: [thinking('Let me ', 'think ', 'about it.'), text('The answer ', 'is 42.')] }],
  tools: () => [
    {
      blocks: [
        text('I run ', 'two tools.'),
        call('bash', { command: 'printf "hello\\nworld\\n"' }),
        call('read', { path: 'notes.txt' }),
      ],
    },
    { blocks: [text('Both tools ', 'are done.')] },
  ],
  // The session that the legacy document shows as its example.
  'legacy-example': () => [
    { blocks: [text("I'll list", ' the files', ' for you.'), call('bash', { command: 'ls -la' })] },
    { blocks: [text('Here are the files', ' in the current directory:\n', '...')] },
  ],
  // A tool that runs until its file exists, 10 s at most.
  waiting: () => [
    {
      blocks: [
        text('I wait.'),
        call('bash', { command: 'for i in $(seq 1 500); do [ -e go ] && break; sleep 0.02; done; echo gone' }),
      ],
    },
    { blocks: [text('Waited ', 'enough.')] },
  ],
  toolerr: () => [
    {
      blocks: [
        text('Trying.'),
        call('read', { path: 'does-not-exist.txt' }),
        call('bash', { command: 'echo oops >&2; exit 3' }),
        call('nosuchtool', { a: 1 }),
        call('read', { wrong: 'argument' }),
      ],
    },
    { blocks: [text('All of them failed.')] },
  ],
  'abort-text': () => [{ blocks: [text('This never ', 'ends, ', 'and on ')], endless: true }],
  busy: () => [{ blocks: [text('I take ', 'my time', ' …')], lingers: 100 }],
  // Half an answer twice, then a complete one.
  twice: () => [
    {
      blocks: [text('At ', 'last.')],
      faults: [1, 2].map(() => ({ after: [text('Half a ', 'sentence')], error: overloaded })),
    },
  ],
  // Empty pieces keep the stream open without changing the text, however long that lasts.
  hold: () => [{ blocks: [text('This never ', 'ends.', '')], endless: true }],
  'abort-think': () => [{ blocks: [thinking('I think ', 'and think ', 'and ')], endless: true }],
  'abort-args': () => [
    {
      blocks: [text('Now a tool.'), { type: 'tool_use', name: 'bash', deltas: ['{"comm', 'and":"echo ', 'x'] }],
      endless: true,
    },
  ],
  'abort-tool': () => [{ blocks: [text('Running.'), call('bash', { command: tickingCommand })] }],
  // The SDK inside pi retries a 529 twice without reporting it: three of them make one failure that pi reports
  // (docs/protocols/pi-legacy.md 3.8).
  overloaded: () => [
    {
      blocks: [text('Better ', 'late.')],
      faults: [0, 1, 2].map(() => ({ status: 529, error: overloaded })),
    },
  ],
  'mid-error': () => [
    { blocks: [text('Whole ', 'again.')], faults: [{ after: [text('Half a ', 'sentence')], error: overloaded }] },
  ],
  'bad-request': () => [
    {
      blocks: [text('Never said.')],
      faults: Array.from({ length: 20 }, () => ({ status: 400, error: 'invalid_request_error' })),
    },
  ],
  compact: () => [{ blocks: [text('Used ', 'many tokens.')], inputTokens: 199_000 }],
  long: () => [{ blocks: [text(...cut(longText, 25))] }],
  unicode: () => [{ blocks: [thinking(...cut(unicodeText, 1)), text(...cut(unicodeText, 1))] }],
  'max-tokens': () => [{ blocks: [text('Cut off in the mid')], stop: 'max_tokens' }],
  refusal: () => [{ blocks: [text('I must not.')], stop: 'refusal' }],
  empty: () => [{ blocks: [] }],
  image: ({ images }) => [{ blocks: [text(images.length > 0 ? `I see ${images.join(', ')}.` : 'I see no image.')] }],
};

/** All scenarios by name. A Map, because the name comes from the wire. */
export const scenarios: ReadonlyMap<string, Scenario> = new Map(Object.entries(answers));
