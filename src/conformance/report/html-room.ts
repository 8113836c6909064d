// Divides the room of the HTML page of a report among the checks, so that the page stays small whatever the run holds
// (docs/conformance/README.md, "Reading a report").

import { type Markup, written } from '../../core/export/html-markup.ts';
import { type Detail, insideMarkup } from './html-inside.ts';
import { isBad, levels, type Report, type ReportEntry } from './report.ts';
import { hasRoot, speakersOf } from './report-texts.ts';

/** No foreign text at all. Our own words do not count, because the set of checks bounds them. */
const bare: Detail = { ofBreach: 0, ofMessage: 0, ofReason: 0, isLess: true };

/** How much a check shows while all checks together take at most `room` bytes; each more than the one before. */
const steps: readonly { readonly detail: Detail; readonly room: number }[] = [
  {
    detail: {
      messages: { around: 0, most: 1, conversations: 1, related: 0 },
      ...{ ofBreach: 500, ofMessage: 300, ofReason: 300, isLess: true },
    },
    room: 400_000,
  },
  {
    detail: {
      messages: { around: 1, most: 4, conversations: 1, related: 4 },
      ...{ ofBreach: 1500, ofMessage: 200, ofReason: 1000, isLess: true },
    },
    room: 150_000,
  },
  {
    detail: {
      messages: { around: 4, most: 24, conversations: 3, related: 6 },
      ...{ ofBreach: 4000, ofMessage: 1000, ofReason: 4000, isLess: false },
    },
    room: 150_000,
  },
];

/**
 * The inside of each check. First each check gets the message that is wrong; then those that matter most get more, as
 * far as the room goes.
 */
export function insidesOf(report: Report): ReadonlyMap<ReportEntry, Markup> {
  const speakers = speakersOf(report);
  const entries = mostImportantFirst(report.results);
  const sizes = new Map<ReportEntry, number>();
  const insides = new Map<ReportEntry, Markup>();
  for (const entry of entries) {
    const markup = insideMarkup(entry, speakers, bare);
    insides.set(entry, markup);
    sizes.set(entry, sizeOf(markup, Number.POSITIVE_INFINITY));
  }
  let used = 0;
  for (const { detail, room } of steps)
    for (const entry of entries) {
      const markup = insideMarkup(entry, speakers, detail);
      const had = sizes.get(entry) ?? 0;
      const most = Math.max(room - used, 0) + had;
      const size = sizeOf(markup, most);
      if (size > most) continue;
      used += size - had;
      insides.set(entry, markup);
      sizes.set(entry, size);
    }
  return insides;
}

/** Failures first, then what is unclear for a reason of its own; what was expected or follows from another comes last. */
function mostImportantFirst(entries: readonly ReportEntry[]): readonly ReportEntry[] {
  const rank = (entry: ReportEntry): number => {
    if (!isBad(entry)) return 3;
    if (entry.known === true || hasRoot(entry, entries)) return 2;
    return entry.verdict === 'failed' ? 0 : 1;
  };
  const keyed = entries.map((entry) => ({ entry, key: rank(entry) * levels.length + levels.indexOf(entry.level) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ entry }) => entry);
}

/** Bytes of the markup in UTF-8, counted until they exceed `most`. */
function sizeOf(markup: Markup, most: number): number {
  let size = 0;
  for (const part of written(markup)) {
    size += Buffer.byteLength(part);
    if (size > most) break;
  }
  return size;
}
