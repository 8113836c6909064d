// Draws docs/performance.svg: what a delta costs over the length of its message, and over the number of readers. Both axes of
// both panels are logarithmic, so a straight line is a power of the length.
import type { Point } from './report.ts';

type Line = Point['line'];

/** What a panel shows and what its lines are. */
interface Panel {
  readonly plot: Point['plot'];
  readonly title: string;
  readonly axis: string;
  readonly names: Readonly<Record<Line, string>>;
}

const panels: readonly Panel[] = [
  {
    plot: 'length',
    title: 'pi’s snapshot lines to Claude frames, in memory',
    axis: 'KB of the message so far',
    names: { patchbay: 'patchbay', peer: 'JSON.parse alone', floor: 'newline search alone' },
  },
  {
    plot: 'readers',
    title: 'one session to many readers, CPU time for all of them',
    axis: 'readers',
    names: { patchbay: 'patchbay serve', peer: 'bare relay with ws', floor: 'bare relay, one write a read' },
  },
];

const colours: Readonly<Record<Line, string>> = { patchbay: '#0969da', peer: '#bc4c00', floor: '#6e7781' };
/** Units of the drawing. */
const size = { width: 460, height: 300, left: 56, right: 24, top: 60, bottom: 46 };

/** The whole file. Panels without a point are left out. */
export function plot(points: readonly Point[]): string {
  const drawn = panels.flatMap((panel) => {
    const own = points.filter((point) => point.plot === panel.plot);
    return own.length === 0 ? [] : [draw(panel, own)];
  });
  const shifted = drawn.map((panel, index) => `<g transform="translate(${index * size.width} 0)">${panel}</g>`);
  const [width, height] = [size.width * Math.max(1, drawn.length), size.height];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="sans-serif" font-size="11">`,
    `<title>${panels.map(({ title }) => title).join('; ')}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...shifted,
    '</svg>',
    '',
  ].join('\n');
}

function draw({ title, axis, names }: Panel, points: readonly Point[]): string {
  const known = [...new Set(points.map(({ x }) => x))];
  const across = scale(known, size.left, size.width - size.right);
  const up = scale(wholeDecades(points.map(({ y }) => y)), size.height - size.bottom, size.top);
  const text = (x: number, y: number, words: string, more = '') =>
    `<text x="${round(x)}" y="${round(y)}" fill="#1f2328" ${more}>${words}</text>`;
  const rule = (x1: number, y1: number, x2: number, y2: number) =>
    `<path d="M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}" stroke="#d0d7de"/>`;
  const [bottom, end] = [size.height - size.bottom, size.width - size.right];
  const lines = (Object.keys(names) as Line[]).flatMap((line, index) => {
    const own = points.filter((point) => point.line === line).sort((a, b) => a.x - b.x);
    if (own.length === 0) return [];
    const places = own.map(({ x, y }) => [round(across.at(x)), round(up.at(y))] as const);
    const colour = colours[line];
    return [
      `<path d="M${places.map((place) => place.join(' ')).join('L')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...places.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`),
      `<rect x="${size.left + 120 * index}" y="30" width="10" height="10" fill="${colour}"/>`,
      text(size.left + 120 * index + 14, 39, names[line], 'font-size="9"'),
    ];
  });
  return [
    text(size.left, 18, title, 'font-weight="bold"'),
    ...up.powers.flatMap((value) => [
      rule(size.left, up.at(value), end, up.at(value)),
      text(size.left - 6, up.at(value) + 4, String(value), 'text-anchor="end"'),
    ]),
    ...known.flatMap((x) => [
      rule(across.at(x), size.top, across.at(x), bottom),
      text(across.at(x), bottom + 16, String(x), 'text-anchor="middle"'),
    ]),
    text((size.left + end) / 2, size.height - 10, axis, 'text-anchor="middle"'),
    text(
      14,
      (size.top + bottom) / 2,
      'us a delta',
      `transform="rotate(-90 14 ${(size.top + bottom) / 2})" text-anchor="middle"`,
    ),
    ...lines,
  ].join('\n');
}

/** The powers of ten around the values, so that an axis begins and ends with a rule. */
function wholeDecades(values: readonly number[]): number[] {
  return [10 ** Math.floor(Math.log10(Math.min(...values))), 10 ** Math.ceil(Math.log10(Math.max(...values)))];
}

/** A logarithmic axis from one place of the drawing to another, and the powers of ten on it. */
function scale(values: readonly number[], from: number, to: number) {
  const logs = values.map((value) => Math.log10(value));
  const [least, most] = [Math.min(...logs), Math.max(...logs)];
  const span = Math.max(most - least, 1e-9);
  const first = Math.ceil(least - 1e-9);
  const powers = Array.from({ length: Math.max(0, Math.floor(most + 1e-9) - first + 1) }, (_, step) =>
    Number((10 ** (first + step)).toPrecision(1)),
  );
  return { powers, at: (value: number) => from + ((Math.log10(value) - least) / span) * (to - from) };
}

const round = (place: number) => Math.round(place * 10) / 10;
