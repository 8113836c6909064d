// What docs/performance.md says of figures that miss their goals, and the plot beside it.
import { expect, test } from 'vitest';
import { plot } from '../../bench/plot.ts';
import { atLeast, atMost, type Figure, type Point, reasons } from '../../bench/report.ts';

const figure = (what: string, value: number, goal: Figure['goal']): Figure => ({
  row: 'P1',
  what,
  value,
  unit: 'x',
  ...(goal && { goal }),
});

test('Each missed goal has its reason, those with the same reason together', () => {
  expect(
    reasons([
      figure('met', 4, atLeast(4, 'never said')),
      figure('low', 3, atLeast(4, 'the pipe')),
      figure('no goal', 3, undefined),
      figure('high', 5, atMost(4, 'the disk')),
      figure('lower', 2, atLeast(4, 'the pipe')),
    ]),
  ).toEqual(['**P1, low; P1, lower**: the pipe', '**P1, high**: the disk']);
});

test('A plot has a panel for each kind of point that there is, and no number that is none', () => {
  const points = (kind: Point['plot']): Point[] =>
    [1, 10, 200].flatMap((x) =>
      (['patchbay', 'peer', 'floor'] as const).map((line, index) => ({ plot: kind, line, x, y: x / 10 ** index })),
    );
  const both = plot([...points('length'), ...points('readers')]);
  expect(both.match(/<circle /gu)).toHaveLength(18);
  expect(both.match(/translate\(/gu)).toHaveLength(2);
  expect(plot(points('readers')).match(/translate\(/gu)).toHaveLength(1);
  expect(`${both}${plot([])}${plot(points('length').slice(0, 1))}`).not.toMatch(/NaN|Infinity/u);
});
