// Each kind of fault on a stream of bytes, and the promise of the seed.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FaultAction, FaultRow } from '../../src/faults/action.ts';
import { createFaultEngine } from '../../src/faults/engine.ts';
import { parseFault } from '../../src/faults/grammar.ts';
import { kindNames } from '../../src/faults/rule.ts';

const lines = (count: number) => Array.from({ length: count }, (_, at) => `{"type":"t${at + 1}"}\n`);
const framed = (body: string) => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** What an engine does with these chunks of the agent, all at time 0. */
function run(faults: readonly string[], chunks: readonly (string | Buffer)[], seed = 1, on: 'in' | 'out' = 'out') {
  const rows: FaultRow[] = [];
  const engine = createFaultEngine({ rules: faults.map(parseFault), seed, acted: (row) => rows.push(row) });
  const actions = [...chunks.flatMap((chunk) => engine.push(on, Buffer.from(chunk), 0)), ...engine.end(on, 0)];
  const writes = actions.filter((action) => action.type === 'write');
  return { rows, actions, text: textOf(actions), writes: writes.map(({ bytes }) => bytes.toString('latin1')) };
}

function textOf(actions: readonly FaultAction[]): string {
  return Buffer.concat(
    actions.map((action) => {
      if (action.type === 'write') return action.bytes;
      return action.type === 'fill' ? Buffer.alloc(action.bytes, action.byte) : Buffer.alloc(0);
    }),
  ).toString('utf8');
}

describe('what each fault does', () => {
  const [one = '', two = '', three = '', four = ''] = lines(4);
  const all = [one, two, three, four];

  test.each([
    ['drop @2', one + three + four],
    ['drop @type=t2', one + three + four],
    ['drop @after type=t2', one + two],
    ['drop @every 2', one + three],
    ['drop @2-3', one + four],
    ['drop x2', three + four],
    ['drop p0', one + two + three + four],
    ['drop x0', one + two + three + four],
    ['drop on in', one + two + three + four],
    [`drop @byte ${one.length}`, one + three + four],
    ['dup @2', one + two + two + three + four],
    ['reorder @2', one + three + two + four],
    ['reorder 2 @1', two + three + one + four],
    ['reorder 9 @1', two + three + four + one],
    ['truncate 5 @2', `${one}${two.slice(0, 5)}${three}${four}`],
    [`truncate @byte ${one.length + 3}`, `${one}${two.slice(0, 3)}${three}${four}`],
    ['truncate @2', `${one}${two.slice(0, 6)}${three}${four}`],
    ['badjson @2', `${one}{"type":"t2"\n${three}${four}`],
    ['crlf @2', `${one}{"type":"t2"}\r\n${three}${four}`],
    ['bom @2', `${one}\uFEFF${two}${three}${four}`],
    ['huge 3 @2', `${one}{"type":"huge","data":"   "}\n${two}${three}${four}`],
    ['close @3', one + two],
    ['kill @3', one + two],
    ['reset @3', one + two],
    ['exit 4 @3', one + two],
    ['pause 1s @3', one + two + three + four],
    ['split 1 @1', one + two + three + four],
    ['join 2', one + two + three + four],
  ])('%s', (fault, text) => expect(run([fault], all).text).toBe(text));

  test('garbage is no UTF-8, and a line of its own', () => {
    const { writes } = run(['garbage 4 @2'], all);
    const line = Buffer.from(writes[1] ?? '', 'latin1').subarray(0, 5);
    expect([line.length, line[4], line.toString('utf8').includes('\uFFFD')]).toEqual([5, 0x0a, true]);
  });

  test('what a fault does to the agent comes behind what was said before', () => {
    const deeds = ['close', 'kill', 'reset', 'exit 4', 'pause 1s'].map((fault) => run([`${fault} @2`], all).actions[1]);
    expect(deeds).toEqual([
      { type: 'end', on: 'out', at: 0, isFault: true },
      { type: 'kill', on: 'out', at: 0 },
      { type: 'reset', on: 'out', at: 0 },
      { type: 'exit', on: 'out', code: 4, at: 0 },
      { type: 'pause', on: 'out', ms: 1000, at: 0 },
    ]);
  });

  test('split cuts within a character and within a header; join makes one write', () => {
    expect(run(['split 1'], ['é\n']).writes).toEqual(['\xc3', '\xa9', '\n']);
    expect(run(['split 5'], [framed('{}')]).writes[0]).toBe('Conte');
    expect(run(['split 1'], [`${'x'.repeat(1000)}\n`]).writes).toHaveLength(100);
    expect(run(['join 2'], all).writes).toEqual([one + two, three + four]);
    expect(run(['join 9'], all).writes).toEqual([one + two + three + four]);
  });

  test.each([
    ['delay 10ms', [10, 20, 30, 40]],
    ['delay 10ms @2', [0, 10, 10, 10]],
    ['stall 10ms @3', [0, 0, 10, 10]],
    ['stall @3', [0, 0, Infinity, Infinity]],
    ['rate 1kB', [0, 14, 28, 42]],
    ['delay 0ms', [0, 0, 0, 0]],
  ])('%s: when frames leave', (fault, times) => {
    const { actions } = run([fault], all);
    expect(actions.filter(({ type }) => type === 'write').map(({ at }) => at)).toEqual(times);
  });

  test('jitter is at most its time', () => {
    const { actions } = run(['jitter 10ms'], all);
    const times = actions.map(({ at }) => at);
    const gaps = times.map((at, place) => at - (times[place - 1] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10);
    expect(new Set(gaps).size).toBeGreaterThan(3);
  });

  test('Content-Length: the header stays right, or is cut', () => {
    const body = '{"method":"a"}';
    expect(run(['badjson'], [framed(body)]).text).toBe(framed(body.slice(0, -1)));
    expect(run(['bom'], [framed(body)]).text).toBe(framed(`\uFEFF${body}`));
    expect(run(['crlf'], [framed(body)]).text).toBe(`Content-Length: 14\n\n${body}`);
    expect(run(['drop @type=a'], [framed(body), framed('{}')]).text).toBe(framed('{}'));
    expect(run(['huge 2 @1'], [framed(body)]).text).toBe(framed('{"type":"huge","data":"  "}') + framed(body));
    expect(run(['truncate 30'], [framed(body)]).text).toBe(framed(body).slice(0, 30));
  });

  test('faults at a time need no frame', () => {
    const engine = createFaultEngine({ rules: ['kill @t=3s', 'drop @t=1s'].map(parseFault), seed: 1 });
    expect(engine.push('out', Buffer.from('a\n'), 500)).toHaveLength(1);
    expect(engine.push('out', Buffer.from('b\n'), 1000)).toHaveLength(0);
    expect(engine.wakeAt()).toBe(3000);
    expect(engine.wake(3000)).toEqual([{ type: 'kill', on: 'out', at: 3000 }]);
    expect(engine.wakeAt()).toBeNull();
  });

  test('what is kept back leaves after a while, though nothing comes', () => {
    const engine = createFaultEngine({ rules: [parseFault('reorder 5 @1')], seed: 1 });
    expect(engine.push('out', Buffer.from('a\n'), 100)).toEqual([]);
    expect(engine.wakeAt()).toBe(350);
    expect(textOf(engine.wake(350))).toBe('a\n');
    expect(engine.wakeAt()).toBeNull();
  });
});

describe('the seed', () => {
  const chunked = (text: string, sizes: readonly number[]): string[] => {
    const chunks: string[] = [];
    for (let at = 0, turn = 0; at < text.length; turn += 1) {
      const size = sizes[turn % sizes.length] ?? 1;
      chunks.push(text.slice(at, at + size));
      at += size;
    }
    return chunks;
  };
  const anyFaults = ['drop p0.3', 'dup p0.3', 'garbage 3 p0.3', 'badjson p0.2', 'truncate p0.1', 'bom x2 p0.2'];

  test('the same seed makes the same bytes and rows, wherever reads end; another seed does not', () => {
    const text = lines(40).join('');
    const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), sizes, (seed, cuts) => {
        const whole = run(anyFaults, [text], seed);
        const cut = run(anyFaults, chunked(text, cuts), seed);
        expect([cut.text, cut.rows]).toEqual([whole.text, whole.rows]);
        expect(run(anyFaults, [text], seed ^ 1).text).not.toBe(whole.text);
      }),
    );
  });

  test('what the other direction says changes nothing', () => {
    const rules = [...anyFaults, ...anyFaults.map((fault) => `${fault} on in`)].map(parseFault);
    const alone = createFaultEngine({ rules, seed: 3 });
    const both = createFaultEngine({ rules, seed: 3 });
    const alones = lines(50).flatMap((line) => alone.push('out', Buffer.from(line), 0));
    const boths = lines(50).flatMap((line, at) => {
      both.push('in', Buffer.from('{"type":"prompt"}\n'.repeat(at % 3)), at);
      return both.push('out', Buffer.from(line), 0);
    });
    expect(textOf(boths)).toBe(textOf(alones));
  });

  test('a chance of a tenth is about a tenth, and two rules are independent', () => {
    const { rows } = run(['delay 1ms p0.1', 'jitter 1ms p0.1'], lines(10_000));
    const frames = (kind: string) => rows.filter(({ fault }) => fault.startsWith(kind)).map(({ frame }) => frame);
    const [first, second] = [frames('delay'), frames('jitter')];
    expect(Math.abs(first.length - 1000)).toBeLessThan(120);
    expect(Math.abs(second.length - 1000)).toBeLessThan(120);
    expect(Math.abs(first.filter((frame) => second.includes(frame)).length - 100)).toBeLessThan(50);
  });
});

describe('any bytes', () => {
  test('without a fault that acts they pass as they came', () => {
    const inert = kindNames.map((name) =>
      parseFault(`${name} ${{ delay: '1s', jitter: '1s', rate: '1' }[String(name)] ?? ''} p0`),
    );
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 10 }), (chunks) => {
        const engine = createFaultEngine({ rules: inert, seed: 1 });
        const actions = [
          ...chunks.flatMap((chunk) => engine.push('out', Buffer.from(chunk), 0)),
          ...engine.end('out', 0),
        ];
        const bytes = actions.map((action) => (action.type === 'write' ? action.bytes : Buffer.alloc(0)));
        expect(Buffer.concat(bytes)).toEqual(Buffer.concat(chunks));
      }),
    );
  });

  test('a line that is too long passes in pieces, and frames behind it are frames again', () => {
    const long = 'x'.repeat(1024 * 1024);
    const { text, rows } = run(['drop @type=t1'], [...Array.from({ length: 10 }, () => long), '\n', ...lines(2)]);
    expect([text.length, rows.length]).toEqual([10 * long.length + 1 + lines(1)[0]!.length, 1]);
  });
});
