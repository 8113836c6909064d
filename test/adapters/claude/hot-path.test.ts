// The hot path of a Claude agent and its slow path are one: whatever lines come, in whatever pieces, the client is told
// the same. What is common to all protocols is tested in ../pi/hot-path.test.ts as well.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Options } from '../../../src/index.ts';
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
  for (const { shape, kind, index, delta, mutation } of updates) {
    const [type, field, block] = fields[kind];
    if (!open.has(index)) {
      if (open.has(index - 1)) event({ type: 'content_block_stop', index: index - 1 });
      const call = kind === 'input' ? { id: `call-${index}` } : {};
      event({ type: 'content_block_start', index, content_block: { ...block, ...call } });
    }
    open.add(index);
    const said = { type: 'content_block_delta', index, delta: { type, [field]: delta } };
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
const kinds = Object.keys(fields) as Kind[];
const updates = fc
  .tuple(
    fc.constantFrom(...(Object.keys(shapes) as Shape[])),
    fc.array(fc.constantFrom(...kinds), { minLength: 14, maxLength: 14 }),
    fc.array(fc.record({ delta: piece, mutation, move: fc.integer({ min: 0, max: 9 }) }), {
      minLength: 2,
      maxLength: 14,
    }),
  )
  .map(([shape, ofBlocks, parts]) => {
    let index = 0;
    return parts.map(({ delta, mutation: how, move }): Update => {
      if (move === 0) index += 1;
      return { shape, kind: ofBlocks[index] ?? 'text', index, delta, mutation: how };
    });
  });
const words = (...deltas: string[]) =>
  deltas.map((delta): Update => ({ shape: 'claude code', kind: 'text', index: 0, delta, mutation: 'none' }));

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
      const { recognised, together } = mustTellAlike(updates.map(stream), 'claude', to, 200, options);
      // Else this would compare the slow path with itself.
      expect(recognised).toBeGreaterThan(300);
      if (takesBursts) expect(together).toBeGreaterThan(50);
    },
    60_000,
  );

  test.each(Object.keys(mutations) as Mutation[])('judges a line as the parser does: %s', (how) => {
    for (const shape of Object.keys(shapes) as Shape[]) {
      for (const kind of kinds) {
        // One such line among others, and lines that are all like this: what they teach must be right, too.
        for (const isSuch of [(place: number) => place === 2, () => true]) {
          const parts = ['one', 'two', 'three \\ "', 'four'].map(
            (delta, place): Update => ({ shape, kind, index: 0, delta, mutation: isSuch(place) ? how : 'none' }),
          );
          mustBeAlike([stream(parts)]);
        }
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
    const parts = ['a', 'b', 'c'].map(
      (delta): Update => ({ shape: 'claude code', kind: 'thinking', index: 0, delta, mutation: 'none' }),
    );
    const estimate = { type: 'system', subtype: 'thinking_tokens', estimated_tokens: 2, ...lane, uuid: idOf(99) };
    const lines = stream(parts)
      .toString()
      .replace(/.*"thinking_delta".*\n/gu, (line) => `${JSON.stringify(estimate)}\n${line}`);
    expect(mustBeAlike([Buffer.from(lines)])).toBe(2);
    // They stay where they were.
    const { said } = pass([Buffer.from(lines)], { from: 'claude', to: 'claude', way: 'burst' });
    const order = said.flatMap((line) => /"(thinking_tokens|thinking_delta)"/u.exec(line)?.[1] ?? []);
    expect(order).toEqual(Array.from({ length: 3 }, () => ['thinking_tokens', 'thinking_delta']).flat());
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
