// What a pi writes, made up: whole conversations and single delta lines in the dialects of the field (docs/limits.md 1.1). Deterministic, so that two sides see the same bytes. Knows nothing of the gateway.

/** Snapshots in each delta line (pi up to 0.83), or deltas only with the usage beside them (pi from 0.84.2). */
export type Dialect = 'snapshot' | 'delta-only';

/** Size of the pieces in which a stream is handed over, as pipes do. */
export const chunkBytes = 64 * 1024;

/** A small generator of numbers from 0 up to 1 (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const syllables = [
  'ca',
  'ble',
  'port',
  'in',
  'to',
  'sock',
  'et',
  're',
  'd',
  'line',
  's',
  'over',
  'wa',
  'tch',
  'un',
  'y',
];
/** What stands between words now and then: everything that JSON escapes, and letters of two to four bytes. */
const marks = [', ', '. ', '\n\n', '"', '\\', '\t', '`', ' é', ' ü', ' – ', ' 漢', ' 🙂', '{"a":1}', ': '];

/** Pieces of a made-up answer, 4.1 characters each on average, until `bytes` of UTF-8 are reached. */
export function deltasOf(bytes: number, seed = 1): string[] {
  const next = random(seed);
  const pick = (list: readonly string[]) => list[Math.floor(next() * list.length)] ?? '';
  const deltas: string[] = [];
  for (let length = 0; length < bytes; ) {
    const delta =
      next() < 0.06
        ? pick(marks)
        : `${next() < 0.6 ? ' ' : ''}${pick(syllables)}${next() < 0.4 ? pick(syllables) : ''}`;
    deltas.push(delta);
    length += Buffer.byteLength(delta);
  }
  return deltas;
}

const usage = {
  input: 2140,
  output: 1,
  cacheRead: 18_211,
  cacheWrite: 340,
  totalTokens: 20_692,
  cost: { input: 0.00642, output: 0.000015, cacheRead: 0.0054633, cacheWrite: 0.001275, total: 0.0131733 },
};

/** The message so far, as both `partial` and `message` show it. */
function messageSoFar(text: string): object {
  return {
    role: 'assistant',
    content: [{ type: 'text', text, index: 0 }],
    api: 'anthropic-messages',
    provider: 'acme',
    model: 'patch-large',
    usage,
    stopReason: 'stop',
    timestamp: 1_795_254_182_342,
  };
}

/** An update's line without its LF; `text` is the message so far. */
function updateLine(dialect: Dialect, event: object, text: string): string {
  if (dialect === 'delta-only') return JSON.stringify({ type: 'message_update', usage, assistantMessageEvent: event });
  const partial = messageSoFar(text);
  return JSON.stringify({ type: 'message_update', assistantMessageEvent: { ...event, partial }, message: partial });
}

/** The line of one delta; `text` is the message including it. */
export function deltaLine(dialect: Dialect, delta: string, text: string): string {
  return updateLine(dialect, { type: 'text_delta', contentIndex: 0, delta }, text);
}

const userMessage = { role: 'user', content: [{ type: 'text', text: 'Which cable goes where?' }] };

/** The lines of a run up to the first delta. */
export function openingLines(dialect: Dialect): string[] {
  const message = { ...messageSoFar(''), content: [] };
  return [
    JSON.stringify({ type: 'agent_start' }),
    JSON.stringify({ type: 'turn_start' }),
    JSON.stringify({ type: 'message_start', message: userMessage }),
    JSON.stringify({ type: 'message_end', message: userMessage }),
    JSON.stringify({ type: 'message_start', message }),
    updateLine(dialect, { type: 'text_start', contentIndex: 0 }, ''),
  ];
}

/** The lines of a run after the last delta; `text` is what all deltas said. */
export function closingLines(dialect: Dialect, text: string): string[] {
  const message = { ...messageSoFar(text), content: [{ type: 'text', text }] };
  const lines = [
    updateLine(dialect, { type: 'text_end', contentIndex: 0, content: text }, text),
    JSON.stringify({ type: 'message_end', message }),
    JSON.stringify({ type: 'turn_end', message, toolResults: [] }),
    JSON.stringify({
      type: 'agent_end',
      messages: [userMessage, message],
      willRetry: dialect === 'delta-only' ? false : undefined,
    }),
  ];
  if (dialect === 'delta-only') lines.push(JSON.stringify({ type: 'agent_settled', aborted: false }));
  return lines;
}

/** Bytes of the lines, cut as a pipe cuts them: without regard for lines or letters. */
export function* chunksOf(lines: Iterable<string>, bytes = chunkBytes): Generator<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  for (const line of lines) {
    const encoded = Buffer.from(`${line}\n`);
    waiting.push(encoded);
    length += encoded.length;
    if (length < bytes) continue;
    const whole = Buffer.concat(waiting);
    let at = 0;
    for (; length - at >= bytes; at += bytes) yield Buffer.from(whole.subarray(at, at + bytes));
    waiting = [whole.subarray(at)];
    length -= at;
  }
  if (length > 0) yield Buffer.concat(waiting);
}

/** Delta lines sampled evenly from a message that grows to `bytes`: at most `lines` of them, each with its snapshot. */
export function sampledDeltas(dialect: Dialect, bytes: number, lines: number): { lines: string[]; deltas: string[] } {
  const deltas = deltasOf(bytes);
  const count = Math.min(lines, deltas.length);
  const places = new Set(
    Array.from({ length: count }, (_, place) => Math.floor(((place + 0.5) * deltas.length) / count)),
  );
  const sample = { lines: [] as string[], deltas: [] as string[] };
  let text = '';
  for (const [number, delta] of deltas.entries()) {
    text += delta;
    if (!places.has(number)) continue;
    sample.lines.push(deltaLine(dialect, delta, dialect === 'snapshot' ? text : ''));
    sample.deltas.push(delta);
  }
  return sample;
}
