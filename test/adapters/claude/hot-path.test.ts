// The hot path of a Claude agent and its slow path are one: whatever lines come, in whatever pieces, the client is told
// the same. What is common to all protocols is tested in ../pi/hot-path.test.ts as well.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Options } from '../../../src/index.ts';
import { isFull, shareOf } from '../../support/full.ts';
import { cut, deltas, mustTellAlike, mutationsOfAnyLine, oneOf, pass, saidByAll } from '../../support/hot-path.ts';
import { readTrace } from '../../support/translate.ts';

type Kind = 'text' | 'thinking' | 'input';
type Shape = keyof typeof shapes;

interface Update {
  readonly shape: Shape;
  readonly kind: Kind;
  readonly index: number;
  readonly delta: string;
  readonly mutation: Mutation;
  /** What happened to the estimate in front of the delta; absent: there is none. */
  readonly estimate?: Estimate;
}

const fields = {
  text: ['text_delta', 'text', { type: 'text', text: '' }],
  thinking: ['thinking_delta', 'thinking', { type: 'thinking', thinking: '', signature: '' }],
  input: ['input_json_delta', 'partial_json', { type: 'tool_use', name: 'Read', input: {} }],
} as const satisfies Record<Kind, readonly [string, string, object]>;

const lane = { session_id: '5b1c0f6e-7a44-4d0e-9c35-2f8a1d6e0b97', parent_tool_use_id: null };
const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** The order of keys: Claude Code 2.1.329 (thinking has a field more), an older one, this gateway, RpcMessage. */
const shapes = {
  'claude code': (event: object, uuid: string) => ({
    type: 'stream_event',
    event,
    ...lane,
    uuid,
    ...(JSON.stringify(event).includes('"thinking_delta"') ? { thinking_display: 'updates' } : {}),
    api_message_id: 'msg_1',
  }),
  older: (event: object, uuid: string) => ({ type: 'stream_event', event, ...lane, uuid }),
  gateway: (event: object, uuid: string) => ({
    type: 'stream_event',
    event,
    parent_tool_use_id: null,
    session_id: lane.session_id,
    uuid,
  }),
  document: (event: object, uuid: string) => ({ type: 'stream_event', uuid, session_id: lane.session_id, event }),
  'no id': (event: object) => ({ type: 'stream_event', event }),
} as const;

const someDelta = /"(text|thinking|partial_json)":"((?:[^"\\]|\\.)*)"/u;

/** What may happen to a line, as text. Each must be judged as the parser judges it. */
const mutations = {
  ...mutationsOfAnyLine,
  spaces: (line: string) => line.replace('"delta":', '"delta" : ').replace('{', '{ '),
  'escaped slash': (line: string) => line.replace(someDelta, '"$1":"\\/$2"'),
  'extra key in the event': (line: string) => line.replace('"index"', '"more":{"text":"no"},"index"'),
  'text twice': (line: string) => line.replace(someDelta, '"$1":"first","$1":"$2"'),
  'text twice, other first': (line: string) => line.replace(someDelta, '"$1":"$2","$1":"one"'),
  'other index': (line: string) => line.replace(/"index":\d+/u, '"index":7'),
  'index twice': (line: string) => line.replace(/("index":\d+),(.*?)\}\}/u, '$1,$2},"index":7}'),
  'no string': (line: string) => line.replace(someDelta, '"$1":7'),
  null: (line: string) => line.replace(someDelta, '"$1":null'),
  'control character': (line: string) => line.replace(someDelta, '"$1":"\u0001$2"'),
  'bad escape': (line: string) => line.replace(someDelta, '"$1":"\\x$2"'),
  'kind of another block': (line: string) => line.replace(/"type":"\w+_delta","\w+":/u, '"type":"text_delta","text":'),
  'another type behind the text': (line: string) => line.replace(someDelta, '"$1":"$2","type":"signature_delta"'),
  'another event behind the event': (line: string) => line.replace(/\}$/u, ',"event":{"type":"message_stop"}}'),
  'another type behind it all': (line: string) => line.replace(/\}$/u, ',"type":"system"}'),
  'other lane': (line: string) => line.replace('"parent_tool_use_id":null', '"parent_tool_use_id":"call-9"'),
  'other session': (line: string) => line.replace('5b1c0f6e', '5b1c0f6f'),
  'other message': (line: string) => line.replace('msg_1', 'msg_2'),
  'longer id': (line: string) => line.replace(/"uuid":"/u, '"uuid":"0'),
  'shorter id': (line: string) => line.replace(/"uuid":"./u, '"uuid":"'),
  'id of anything': (line: string) => line.replace(/"uuid":"[^"]{36}/u, `"uuid":"${'?'.repeat(36)}`),
  'id with an escape': (line: string) => line.replace(/"uuid":"[^"]{36}/u, `"uuid":"${'\\n'.repeat(18)}`),
  'id with half an escape': (line: string) => line.replace(/"uuid":"[^"]{36}/u, `"uuid":"${'0'.repeat(35)}\\`),
  'id with a quote': (line: string) => line.replace(/"uuid":"[^"]{36}/u, `"uuid":"${'0'.repeat(35)}"`),
  'id with a control character': (line: string) => line.replace(/"uuid":"./u, '"uuid":"\u0002'),
  'id beyond ASCII': (line: string) => line.replace(/"uuid":"../u, '"uuid":"é'),
  'id is no string': (line: string) => line.replace(/"uuid":"[^"]*"/u, '"uuid":12'),
  'id twice': (line: string) => line.replace(/("uuid":"[^"]*")/u, '$1,"uuid":"other"'),
  'cut in the text': (line: string) => line.replace(/("(?:text|thinking|partial_json)":").*$/u, '$1'),
  'cut behind the text': (line: string) => line.replace(/\}\}.*$/u, ''),
  'cut in the id': (line: string) => line.replace(/("uuid":"....).*$/u, '$1'),
  'another last byte': (line: string) => line.replace(/\}$/u, ']'),
} as const;
type Mutation = keyof typeof mutations;

const tokens = /"estimated_tokens":\d+/u;

/** What may happen to the estimate in front of a delta of thinking. */
const estimates = {
  ...mutationsOfAnyLine,
  'leading zero': (line: string) => line.replace(tokens, '"estimated_tokens":07'),
  zero: (line: string) => line.replace(tokens, '"estimated_tokens":0'),
  negative: (line: string) => line.replace(tokens, '"estimated_tokens":-7'),
  fraction: (line: string) => line.replace(tokens, '"estimated_tokens":7.0'),
  exponent: (line: string) => line.replace(tokens, '"estimated_tokens":7e2'),
  'fifteen digits': (line: string) => line.replace(tokens, '"estimated_tokens":123456789012345'),
  'more digits than a number has': (line: string) => line.replace(tokens, '"estimated_tokens":12345678901234567890'),
  'no digits': (line: string) => line.replace(tokens, '"estimated_tokens":'),
  'number as text': (line: string) => line.replace(tokens, '"estimated_tokens":"7"'),
  'number twice': (line: string) => line.replace(/\}$/u, ',"estimated_tokens":1}'),
  'other subtype': (line: string) => line.replace('thinking_tokens', 'thinking_words'),
  'a subtype with a meaning': (line: string) => line.replace('thinking_tokens', 'notice'),
  'other session': (line: string) => line.replace('5b1c0f6e', '5b1c0f6f'),
  'field beyond ASCII': (line: string) => line.replace(/\}$/u, ',"more":"é"}'),
  'another field': (line: string) => line.replace(/\}$/u, ',"more":{"uuid":1}}'),
  'marks of a template': (line: string) => line.replace(/\}$/u, ',"a":"\\u00000\\u0000","b":"\\u00002\\u0000"}'),
  'shorter id': (line: string) => line.replace(/"uuid":"./u, '"uuid":"'),
  'id with an escape': (line: string) => line.replace(/"uuid":"[^"]{36}/u, `"uuid":"${'\\n'.repeat(18)}`),
  'id with a quote': (line: string) => line.replace(/"uuid":"[^"]{36}/u, `"uuid":"${'0'.repeat(35)}"`),
  'no id': (line: string) => line.replace(/,"uuid":"[^"]*"/u, ''),
  'cut in the number': (line: string) => line.replace(/("estimated_tokens":).*$/u, '$1'),
  'U+2028 behind': (line: string) => `${line}\u2028`,
} as const;
type Estimate = keyof typeof estimates;

const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] };
const usage = { input_tokens: 3, output_tokens: 1 };

/** A run with one message whose blocks stream these updates, then a second one like the first but for its kinds. */
function stream(updates: readonly Update[]): Buffer {
  const lines: string[] = [];
  let frames = 0;
  const put = (frame: object) => void lines.push(JSON.stringify({ ...frame, uuid: idOf(++frames) }));
  const event = (said: object) => put({ type: 'stream_event', event: said, ...lane });
  put({ type: 'system', subtype: 'init', ...lane, cwd: '/', model: 'm', tools: [], mcp_servers: [] });
  event({ type: 'message_start', message: { ...message, usage } });
  const open = new Set<number>();
  let guess = 0;
  for (const { shape, kind, index, delta, mutation, estimate } of updates) {
    const [type, field, block] = fields[kind];
    if (!open.has(index)) {
      if (open.has(index - 1)) event({ type: 'content_block_stop', index: index - 1 });
      const call = kind === 'input' ? { id: `call-${index}` } : {};
      event({ type: 'content_block_start', index, content_block: { ...block, ...call } });
    }
    open.add(index);
    const said = { type: 'content_block_delta', index, delta: { type, [field]: delta } };
    if (estimate !== undefined) {
      guess += 1 + (delta.length % 9);
      const figures = { estimated_tokens: guess, estimated_tokens_delta: 1 + (delta.length % 9) };
      const line = { type: 'system', subtype: 'thinking_tokens', ...figures, session_id: lane.session_id };
      lines.push(estimates[estimate](JSON.stringify({ ...line, uuid: idOf(++frames) })));
    }
    lines.push(mutations[mutation](JSON.stringify(shapes[shape](said, idOf(++frames)))));
  }
  event({ type: 'content_block_stop', index: Math.max(0, ...open) });
  event({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 9 },
  });
  event({ type: 'message_stop' });
  put({ type: 'result', subtype: 'success', is_error: false, result: '', ...lane });
  return Buffer.from(`${lines.join('\n')}\n`);
}

const piece = deltas(['"}},"session_id":"', '","uuid":"', '","text":"', '{"type":"stream_event"']);
const mutation = oneOf(mutations, 'none');
const estimate = oneOf(estimates, 'none');
const kinds = Object.keys(fields) as Kind[];
const updates = fc
  .tuple(
    fc.constantFrom(...(Object.keys(shapes) as Shape[])),
    fc.array(fc.constantFrom(...kinds), { minLength: 14, maxLength: 14 }),
    fc.array(fc.record({ delta: piece, mutation, move: fc.integer({ min: 0, max: 9 }), estimate }), {
      minLength: 2,
      maxLength: 14,
    }),
    fc.boolean(),
  )
  .map(([shape, ofBlocks, parts, isEstimated]) => {
    let index = 0;
    return parts.map(({ delta, mutation: how, move, estimate: guess }): Update => {
      if (move === 0) index += 1;
      const update = { shape, kind: ofBlocks[index] ?? 'text', index, delta, mutation: how };
      // Some deltas have no estimate.
      return isEstimated && move !== 1 ? { ...update, estimate: guess } : update;
    });
  });
const words = (...deltas: string[]) =>
  deltas.map((delta): Update => ({ shape: 'claude code', kind: 'text', index: 0, delta, mutation: 'none' }));

/** Thinking with estimates. */
const thoughts = (...how: Estimate[]) =>
  how.map(
    (estimate): Update => ({
      shape: 'claude code',
      kind: 'thinking',
      index: 0,
      delta: 'a',
      mutation: 'none',
      estimate,
    }),
  );

/** Says how many lines were recognised. */
function mustBeAlike(chunks: readonly Buffer[]): number {
  saidByAll(chunks, { from: 'claude', to: 'claude' });
  return pass(chunks, { from: 'claude', to: 'claude', way: 'burst' }).recognised;
}

/** The lines with others put in front of the first one that says that text. */
function withBefore(lines: Buffer, text: string, others: readonly object[]): Buffer {
  const at = lines.lastIndexOf('\n', lines.indexOf(`"text":"${text}"`)) + 1;
  const between = others.map((frame) => `${JSON.stringify(frame)}\n`).join('');
  return Buffer.concat([lines.subarray(0, at), Buffer.from(between), lines.subarray(at)]);
}

const streams = isFull ? 200 : 60;
const names = Object.keys(mutations) as Mutation[];
const lineKinds = (Object.keys(shapes) as Shape[]).flatMap((shape) => kinds.map((kind) => ({ shape, kind })));

describe('the hot path', () => {
  test.each<[string, Options, boolean]>([
    ['claude', {}, true],
    ['rpc-message', {}, true],
    ['pi', {}, false],
    ['pi', { dialect: 'delta-only' }, true],
    ['pi-legacy', {}, false],
  ])(
    'tells %s clients %j what the slow path tells them',
    (to, options, takesBursts) => {
      const { recognised, together } = mustTellAlike(updates.map(stream), 'claude', to, streams, options);
      // Else this would compare the slow path with itself.
      expect(recognised).toBeGreaterThan(streams);
      if (takesBursts) expect(together).toBeGreaterThan(streams / 5);
    },
    60_000,
  );

  test.each(names)('judges a line as the parser does: %s', (how) => {
    for (const { shape, kind } of shareOf(lineKinds, names.indexOf(how), 4)) {
      // One such line among others, and lines that are all like this: what they teach must be right, too.
      for (const isSuch of [(place: number) => place === 2, () => true]) {
        const parts = ['one', 'two', 'three \\ "', 'four'].map(
          (delta, place): Update => ({ shape, kind, index: 0, delta, mutation: isSuch(place) ? how : 'none' }),
        );
        mustBeAlike([stream(parts)]);
      }
    }
  });

  test.each([
    ['claude code', 3],
    ['older', 3],
    ['gateway', 3],
    ['no id', 3],
    // Its own id stands in front of its delta.
    ['document', 0],
  ] as const)('needs one parsed line for the rest of a block (%s)', (shape, expected) => {
    for (const kind of kinds) {
      const parts = ['a', 'b', 'c\n', 'ü'].map((delta): Update => ({ shape, kind, index: 0, delta, mutation: 'none' }));
      expect(pass([stream(parts)], { from: 'claude', to: 'claude', way: 'burst' }).recognised).toBe(expected);
    }
  });

  test('what a line taught counts for its block alone', () => {
    const texts = words('a', 'b', 'c');
    const lines = stream(texts).toString();
    // The second message has no text at that place: its deltas are of the wrong kind.
    const second = lines.replace('"type":"text","text":""', '"type":"thinking","thinking":"","signature":""');
    const chunks = [Buffer.from(lines + second)];
    const slow = pass(chunks, { from: 'claude', to: 'claude', way: 'slow' });
    expect(slow.said.join('\n')).toContain('not of the kind');
    expect(mustBeAlike(chunks)).toBe(2);
  });

  test('lines of a sub-agent teach nothing', () => {
    const of = (event: object) => ({ type: 'stream_event', event, ...lane, parent_tool_use_id: 'call-9' });
    const deltas = ['x', 'y', 'z'].map((text) =>
      of({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    );
    const start = of({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    const others = [of({ type: 'message_start', message: { ...message, usage } }), start, ...deltas];
    expect(mustBeAlike([withBefore(stream(words('a', 'b', 'c')), 'b', others)])).toBe(2);
  });

  test('what waits for the next frame is not passed by', () => {
    const status = (more: object) => ({ type: 'system', subtype: 'status', ...more, ...lane, uuid: idOf(99) });
    const others = [status({ status: 'compacting' }), status({ status: null, compact_result: 'success' })];
    expect(mustBeAlike([withBefore(stream(words('a', 'b', 'c', 'd')), 'c', others)])).toBe(2);
  });

  test('thinking goes on after each estimate of its tokens', () => {
    const lines = stream(thoughts('none', 'none', 'none', 'none'));
    // All but the first estimate and the first delta.
    expect(mustBeAlike([lines])).toBe(6);
    const { said, together } = pass([lines], { from: 'claude', to: 'claude', way: 'burst' });
    expect(together).toBe(6);
    // They stay where they were.
    const order = said.flatMap((line) => /"(thinking_tokens|thinking_delta)"/u.exec(line)?.[1] ?? []);
    expect(order).toEqual(Array.from({ length: 4 }, () => ['thinking_tokens', 'thinking_delta']).flat());
    const guesses = said.flatMap((line) => /"estimated_tokens":(\d+),"estimated_tokens_delta":(\d+)/u.exec(line) ?? []);
    expect(guesses.filter((_, at) => at % 3 > 0)).toEqual(['2', '2', '4', '2', '6', '2', '8', '2']);
  });

  test.each(Object.keys(estimates) as Estimate[])('judges an estimate as the parser does: %s', (how) => {
    const such = [thoughts('none', 'none', how, 'none', 'none'), thoughts(how, how, how, how, how)];
    for (const updates of such)
      for (const to of ['claude', 'rpc-message', 'pi']) {
        saidByAll([stream(updates)], { from: 'claude', to });
        saidByAll(cut(stream(updates), [61]), { from: 'claude', to });
      }
  });

  test('an estimate that is too long for a frame is refused on both', () => {
    const lines = stream(thoughts('none', 'none', 'another field', 'none'));
    const longest = (pattern: RegExp) =>
      Math.max(
        ...lines
          .toString()
          .split('\n')
          .filter((line) => pattern.test(line))
          .map((line) => line.length),
      );
    // The estimates are shorter than the deltas: with this limit, only some estimates would pass.
    for (const maxFrameBytes of [longest(/thinking_tokens/u) - 1, longest(/thinking_delta/u) - 1]) {
      const said = (way: 'slow' | 'burst') =>
        pass([lines], { from: 'claude', to: 'claude', way, maxFrameBytes }).said.filter((text) => text.startsWith('{'));
      expect(said('burst')).toEqual(said('slow'));
    }
  });

  test('bytes that are no UTF-8 are refused on both', () => {
    const bytes = stream(words('a', 'b', 'c', 'd'));
    bytes[bytes.indexOf('"text":"c"') + 8] = 0xff;
    saidByAll([bytes], { from: 'claude', to: 'claude' });
  });
});

const corpus = path.join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'claude-sdk', 'cli-2.1.329');
const traces = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.endsWith('.jsonl')) : [];
const printed = (name: string) =>
  readTrace(readFileSync(path.join(corpus, name), 'utf8')).flatMap(({ dir, line }) => (dir === 'out' ? [line] : []));

describe('a recorded Claude Code', () => {
  if (traces.length === 0) test.skip(`there is no corpus at ${corpus}`, () => {});
  test.each(traces)('%s is told as the slow path tells it', (name) => {
    const bytes = Buffer.from(
      printed(name)
        .map((line) => `${line}\n`)
        .join(''),
    );
    for (const to of ['claude', 'rpc-message', 'pi', 'pi-legacy']) {
      const whole = saidByAll([bytes], { from: 'claude', to });
      expect(saidByAll(cut(bytes, [7, 1333]), { from: 'claude', to })).toEqual(whole);
    }
  });
});
