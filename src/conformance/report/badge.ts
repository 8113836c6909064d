// A badge for a README: the protocol, and how many of the checks that applied have passed.
import { isBad, type Report } from './report.ts';

const colours = { good: '#2c7a39', doubtful: '#8a6100', bad: '#b3261e' };
/** Width of a character of 11 px Verdana on average, px. A badge has few characters, so that an average serves. */
const characterWidth = 6.6;

/** An SVG of one line, without scripts and without outside resources. */
export function renderBadge(report: Report): string {
  const { results, counts, protocol, side } = report;
  const applied = counts.total - counts.verdicts['not-applicable'];
  const bad = results.filter((entry) => entry.level !== 'MAY' && entry.known !== true && isBad(entry));
  const isFailed = bad.some(({ verdict }) => verdict === 'failed');
  const state = isFailed ? 'bad' : bad.length > 0 || applied === 0 ? 'doubtful' : 'good';
  const label = `${protocol} ${side}`;
  const said = `${counts.verdicts.passed} of ${applied} checks`;
  const [left, right] = [label, said].map((text) => Math.round(text.length * characterWidth) + 12);
  const width = (left ?? 0) + (right ?? 0);
  const text = (words: string, x: number) => `<text x="${x}" y="14" text-anchor="middle">${words}</text>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}: ${said}">`,
    `<rect width="${width}" height="20" rx="3" fill="#3c4043"/>`,
    `<rect x="${left}" width="${right}" height="20" rx="3" fill="${colours[state]}"/>`,
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
    text(label, (left ?? 0) / 2),
    text(said, (left ?? 0) + (right ?? 0) / 2),
    '</g></svg>\n',
  ].join('');
}
