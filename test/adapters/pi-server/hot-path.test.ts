// The hot path of a pi-server: pi's updates, each wrapped in an event of its session. What pi's lines may look like is
// tested in ../pi/hot-path.test.ts as well.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { multiplexing } from '../../../src/adapters/pi-server/backend/frames.ts';
import type { Options } from '../../../src/index.ts';
import { createPeek } from '../../../src/transports/framing/peek.ts';
import { mustTellAlike, mutationsOfAnyLine, oneOf, pass, saidByAll } from '../../support/hot-path.ts';
import { type Mutation, mutations, stream, type Update, updates } from '../../support/pi-updates.ts';

const eventOf = (line: string) => `{"type":"event","sessionId":"s1","event":${line}}`;

/** What may happen to the wrapping. */
const outer = {
  ...mutationsOfAnyLine,
  'session behind': (line: string) => line.replace(/"sessionId":"s1",(.*)\}$/u, '$1,"sessionId":"s1"}'),
  'other session': (line: string) => line.replace('"s1"', '"s2"'),
  'session twice': (line: string) => line.replace(/\}$/u, ',"sessionId":"s2"}'),
  'other type behind': (line: string) => line.replace(/\}$/u, ',"type":"response"}'),
  'version in front': (line: string) => line.replace('"event":{', '"sessionVersion":3,"event":{'),
  'no wrapping': (line: string) => line.slice(eventOf('').length - 1, -1),
} as const;
type Outer = keyof typeof outer;

/** The session of the conversation is the first that is heard of: its opening lines are sound. */
const wrapped = (updates: readonly Update[], how: (place: number) => Outer) => {
  let place = 0;
  return stream(updates, (line) => {
    const isUpdate = line.includes('_delta"');
    return outer[isUpdate ? how(place++) : 'none'](eventOf(line));
  });
};

describe('the hot path', () => {
  test.each<[string, Options]>([
    ['claude', {}],
    ['pi', { dialect: 'delta-only' }],
  ])(
    'tells %s clients %j what the slow path tells them',
    (to, options) => {
      const streams = fc
        .tuple(updates, fc.array(oneOf(outer, 'none'), { minLength: 1, maxLength: 5 }))
        // Where nobody looks, a line may be two: see `unseen`.
        .map(([list, hows]) =>
          wrapped(list, (place) => (list[0]?.shape === 'bare' ? (hows[place % hows.length] ?? 'none') : 'none')),
        );
      const { recognised, together } = mustTellAlike(streams, 'pi-server', to, 150, options);
      expect(recognised).toBeGreaterThan(200);
      expect(together).toBeGreaterThan(50);
    },
    60_000,
  );

  test.each(Object.keys(mutations) as Mutation[])('judges a line as the parser does: %s', (how) => {
    for (const shape of ['bare', 'snapshot'] as const) {
      const parts = ['one', 'two', 'three \\ "', 'four', 'five', 'six'].map(
        (delta, place): Update => ({ shape, kind: 'text', index: 0, delta, mutation: place === 3 ? how : 'none' }),
      );
      saidByAll([wrapped(parts, () => 'none')], { from: 'pi-server', to: 'claude' });
    }
  });

  test.each(Object.keys(outer) as Outer[])('judges the wrapping as the parser does: %s', (how) => {
    for (const isSuch of [(place: number) => place === 3, (place: number) => place > 1]) {
      const parts = ['a', 'b', 'c', 'd', 'e', 'f'].map(
        (delta): Update => ({ shape: 'bare', kind: 'text', index: 0, delta, mutation: 'none' }),
      );
      saidByAll([wrapped(parts, (place) => (isSuch(place) ? how : 'none'))], { from: 'pi-server', to: 'claude' });
    }
  });

  test.each(['bare', 'snapshot'] as const)('needs one parsed line for the rest of a block (%s)', (shape) => {
    const parts = ['a', 'b', 'c\n', 'ü'].map(
      (delta): Update => ({ shape, kind: 'text', index: 0, delta, mutation: 'none' }),
    );
    for (const way of ['glance', 'burst'] as const)
      expect(pass([wrapped(parts, () => 'none')], { from: 'pi-server', to: 'claude', way }).recognised).toBe(3);
  });
});

describe('the session that a frame seems to be for', () => {
  test.each<[string, string | null]>([
    [eventOf('{}'), 's1'],
    ['{"type":"event","sessionId":"', null],
    [`{"type":"event","sessionId":"${'x'.repeat(300)}"}`, null],
    ['{"type":"event","event":{},"sessionId":"s1"}', null],
    ['{"type":"response","id":"s1:1"}', null],
    ['', null],
  ])('%s', (line, name) => {
    const bytes = Buffer.from(`before${line}`);
    expect(multiplexing.seemsFor?.(createPeek(bytes), 6, bytes.length)).toBe(name);
  });
});
