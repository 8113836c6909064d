// The grammar of faults: what each part means, and where a mistake is.
import { describe, expect, test } from 'vitest';
import { parseFault } from '../../src/faults/grammar.ts';
import { kindNames, kinds } from '../../src/faults/rule.ts';

const infinity = Number.POSITIVE_INFINITY;

describe('a fault', () => {
  test.each([
    ['drop', { kind: 'drop', argument: 0, where: { type: 'any' }, count: infinity, probability: 1, on: 'out' }],
    ['delay 200ms@12', { kind: 'delay', argument: 200, where: { type: 'frames', from: 12, to: 12 } }],
    ['delay 1.5s @12-20 x3 p0.5 on in', { argument: 1500, count: 3, probability: 0.5, on: 'in' }],
    ['  dup  @ every 5  x 2  p .25  on  out ', { where: { type: 'every', step: 5 }, count: 2, probability: 0.25 }],
    ['drop @type=chat/contentReceived x1', { where: { type: 'named', name: 'chat/contentReceived' }, count: 1 }],
    ['kill @after type=turn_start', { where: { type: 'after', name: 'turn_start' }, count: 1 }],
    ['truncate @byte 4096', { argument: -1, where: { type: 'byte', offset: 4096 } }],
    ['stall @t=3s', { argument: infinity, where: { type: 'time', ms: 3000 }, count: 1 }],
    ['stall 2m', { argument: 120_000 }],
    ['rate 2KiB', { argument: 2048 }],
    ['huge 1MB', { argument: 1e6 }],
    ['huge', { argument: 64 * 1024 * 1024, count: 1 }],
    ['exit 0', { argument: 0 }],
    ['exit @3', { argument: 1, where: { type: 'frames', from: 3, to: 3 } }],
    ['stderr-flood 10', { kind: 'stderr-flood', argument: 10 }],
    ['drop x0', { count: 0 }],
    ['delay 0ms p0', { argument: 0, probability: 0 }],
  ])('%s', (text, rule) => expect(parseFault(text)).toMatchObject({ text: text.trim(), ...rule }));

  test.each([...kindNames])('%s is read as its help says', (name) => {
    const [example = ''] = kinds[name].says.split(':');
    expect(parseFault(example.replaceAll(/[[\]]/gu, '')).kind).toBe(name);
  });
});

describe('a mistake', () => {
  test.each([
    ['', 1, 'a kind of fault is expected'],
    ['dorp', 1, 'a kind of fault is expected'],
    ['constructor', 1, 'a kind of fault is expected'],
    ['delay', 6, 'delay needs a time'],
    ['delay @3', 7, 'delay needs a time'],
    ['delay 200', 7, 'a time with its unit'],
    ['delay 200KiB', 7, 'a time with its unit'],
    ['delay 200msec', 7, 'a time with its unit'],
    ['delay -5ms', 7, 'a time with its unit'],
    ['rate 0', 6, 'must be at least 1'],
    ['rate 5s', 6, 'a size'],
    ['reorder 0', 9, 'must be at least 1'],
    ['join 1', 6, 'must be at least 2'],
    ['exit 256', 6, 'must be at most 255'],
    ['split 1.5', 7, 'a whole number'],
    ['drop 3', 6, 'nothing more is expected'],
    ['drop @', 7, 'a place is expected'],
    ['drop @0', 7, 'must be at least 1'],
    ['drop @9-3', 7, 'frames are counted from 1'],
    ['drop @every', 12, 'a whole number'],
    ['drop @every 0', 13, 'must be at least 1'],
    ['drop @after turn', 13, 'type=… is expected'],
    ['drop @type=', 12, 'the type or method'],
    ['drop @t=3', 9, 'a time with its unit'],
    ['drop x', 6, 'nothing more is expected'],
    ['drop x y', 8, 'x needs a whole number'],
    ['drop p2', 7, 'from 0 to 1'],
    ['drop p1.5', 7, 'from 0 to 1'],
    ['drop on up', 9, 'on needs in'],
    ['drop p0.5 x2', 11, 'nothing more is expected'],
    ['drop, dup', 5, 'nothing more is expected'],
  ])('%s', (text, column, words) => {
    expect(() => parseFault(text)).toThrow(`fault "${text}", column ${column}: `);
    expect(() => parseFault(text)).toThrow(words);
  });
});
